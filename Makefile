# make demo: the main job on the embedded defaults.   make test: the tests.   Both set everything up first.
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
# Half of the tests' time is waiting: on two cores two processes a core.
WORKERS := 4
# Tests start this program hundreds of times: what Python compiled once is kept, whatever the machine says of it.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: newcomer site lock release-check smoke demo test test-slow test-hostile test-model fuzz check setup bench-rows bench-search clean

setup: $(READY)

$(READY): pyproject.toml scripts/setup.sh
	@bash scripts/setup.sh $(VENV)
	@touch $@

demo: setup
	@echo 'Solving: $(DEMO_TASK)'
	@$(BIN)/ml-agent solve "$(DEMO_TASK)" --catalog sample --run full --sandbox auto --unisolated

DEMO_TASK ?= Train a small multi-layer perceptron on the two intertwined spirals: two hidden layers with 12 and 6 neurons, the Adam optimiser with a learning rate of 0.05, and exactly 25 epochs, without early stopping.

test: setup
	@$(BIN)/python -m pytest -n $(WORKERS) --dist worksteal -m "not model and not slow and not hostile" --ignore=tests/hostile $(TESTS)

test-slow: setup
	@$(BIN)/python -m pytest -n $(WORKERS) --dist worksteal -m "slow and not model" $(TESTS)

# Attacks, with canaries: prints each case, what is promised and what holds it.
test-hostile: setup
	@$(BIN)/python -m pytest -n $(WORKERS) --dist worksteal -m "hostile and not model" $(TESTS)

test-model: setup
	@bash scripts/local-model.sh start
	@$(BIN)/python -m pytest -m model $(TESTS)

check: setup
	@$(BIN)/ruff format --check .
	@$(BIN)/ruff check .
	@$(BIN)/mypy ml_agent tests
	@$(BIN)/vulture
	@$(BIN)/pylint --score no ml_agent tools prompts sandbox benchmarks
	@$(BIN)/python -m pytest --collect-only -q >/dev/null

# The documentation as pages, in build/site; a broken link fails.
site: setup
	@$(BIN)/python -c "import material" 2>/dev/null || $(BIN)/python -m pip install -q -e ".[docs]"
	@NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --quiet

smoke: setup
	@bash scripts/smoke.sh

# The README's first commands in a fresh container with Python, git and make only.
newcomer: setup
	@bash scripts/newcomer.sh

fuzz: setup
	@bash scripts/fuzz.sh $(MINUTES)

# Dependencies at one version with their hashes; what is known against them; what a release is made of.
lock: setup
	@bash scripts/lock.sh $(VENV)

release-check: setup
	@bash scripts/release-check.sh $(VENV)

# Requests in users' words against a stand-in for GitHub's search: make bench-search CATALOGUE=repositories.jsonl
bench-search: setup
	@$(BIN)/python scripts/bench-search.py $(CATALOGUE) $(REQUESTS)

# The references of the delivery rows: downloads and builds what they need, runs them, judges what comes out.
bench-rows: setup
	@$(BIN)/python -m ml_agent.benchmarks.replay references --work build/rows --rows "$(ROWS)" --agent $(or $(AGENT),least)

clean:
	rm -rf $(VENV) build *.egg-info .mypy_cache .ruff_cache .pytest_cache .hypothesis
