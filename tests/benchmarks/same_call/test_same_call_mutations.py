"""Changed references are told from the reference, of every kind."""

from pathlib import Path

from ml_agent.benchmarks.data import Task
from ml_agent.benchmarks.same_call import same_call
from ml_agent.benchmarks.same_call.mutations import mutants

COMMAND = "bash fetch.sh a b\npython commands.py slices x.txt --steps 9\n"
CODE = """
from kit import Net, load
net = Net(12)
net.freeze()
net.fit(load("a.pt"), epochs=7)
"""


def task(kind: str, output: str) -> Task:
    return Task(
        github_id=1, id=1, github="https://github.com/some/kit", path="./", arguments={}, instruction="", oracle="",
        kind=kind, output=output,  # type: ignore[arg-type]
    )  # fmt: skip


def test_mutants_of_a_command_fail(kit: Path) -> None:
    made = mutants(task("bash", COMMAND), kit)
    about = {(m.kind, m.about) for m in made}
    assert ("calls", "without fetch.sh") in about and ("calls", "without commands.py") in about
    assert ("positional", "x.txt") in about and ("calls", "with rm") in about
    assert not [m for m in made if same_call(task("bash", COMMAND), m.text, kit).passed]


def test_mutants_of_code_fail(kit: Path) -> None:
    made = mutants(task("python", CODE), kit)
    about = {(m.kind, m.about) for m in made}
    assert {("calls", "without freeze"), ("calls", "fit again"), ("positional", "Net: 0")} <= about
    assert not [m for m in made if same_call(task("python", CODE), m.text, kit).passed]
