"""The command line as a user meets it: one line and an exit code for every mistake, the answer and nothing else on stdout."""

import json
import os
from pathlib import Path

import pytest

from tests.command import ml_agent

SCRIPT = (
    'import argparse\np = argparse.ArgumentParser()\np.add_argument("--lr", type=float, default=0.1)\np.parse_args()\n'
)


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """A folder with one script and a README."""
    root = tmp_path / "repository"
    (root / "train").mkdir(parents=True)
    (root / "train" / "fit.py").write_text(SCRIPT)
    (root / "README.md").write_text("# Fit\n\nFit the model:\n\n```bash\ncd train\npython fit.py --lr 0.5\n```\n")
    return root


BAD_INPUT = {
    "an empty instruction": (("",), 2, "instruction is empty"),
    "a folder that is not there": (("fit it", "--repo", "{tmp}/nowhere"), 2, "nowhere"),
    "an option for a repository": (("fit it", "--repo", "-oops"), 2, "oops"),
    "a file for a folder": (("fit it", "--repo", "{repo}/README.md"), 2, "README.md"),
    "a path that is no folder": (
        ("fit it", "--repo", "{repo}", "--path", "missing"),
        2,
        "--path: the repository has no folder missing",
    ),
    "a path outside the tree": (("fit it", "--repo", "{repo}", "--path", "../plain"), 2, "outside the repository"),
    "a bad catalogue line": (("fit it", "--catalog", "{tmp}/broken.jsonl"), 2, "broken.jsonl:2"),
    "no catalogue": (("fit it", "--catalog", "{tmp}/none.jsonl"), 2, "none.jsonl"),
    "an argument without value": (("fit it", "--repo", "{repo}", "--arg", "lr"), 2, "NAME=VALUE"),
    "no key for the model": (("fit it", "--repo", "{repo}", "--navigator", "llm"), 3, "--model"),
    "a model without a key": (("fit it", "--repo", "{repo}", "--model", "gpt-4o"), 3, "set OPENAI_API_KEY"),
    "an unwritable folder": (
        ("fit it", "--repo", "{repo}", "--run", "none", "--out", "/proc/self/nowhere"),
        3,
        "--out",
    ),
}


@pytest.mark.parametrize("what", BAD_INPUT)
def test_bad_input_gets_one_line_and_the_documented_exit_code(what: str, repository: Path, tmp_path: Path) -> None:
    (tmp_path / "broken.jsonl").write_text('{"full_name": "a/b"}\n{"full_name": 3}\n')
    (tmp_path / "plain").mkdir()
    arguments, code, words = BAD_INPUT[what]
    filled = [argument.format(tmp=tmp_path, repo=repository) for argument in arguments]
    done = ml_agent("solve", *filled, "--quiet")
    assert (done.returncode, done.stdout) == (code, ""), done
    lines = done.stderr.strip().splitlines()
    assert len(lines) == 1 and words in lines[0], done.stderr
    assert list(Path(os.environ["ML_AGENT_RUNS_DIR"]).glob("*")) == [], "nothing half-written is left"


def test_a_host_that_does_not_answer_is_a_providers_error_and_the_run_is_kept() -> None:
    done = ml_agent("solve", "fit it", "--repo", "https://127.0.0.1:9/a/b", "--quiet")
    assert (done.returncode, done.stdout) == (4, "") and len(done.stderr.strip().splitlines()) == 1
    (run,) = Path(os.environ["ML_AGENT_RUNS_DIR"]).glob("2*")
    assert ml_agent("resume", run.name, "--quiet").returncode == 4


def test_a_model_of_the_environment_without_a_key(
    repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_MODEL", "gpt-4o")
    words = ("solve", "fit with lr 0.25", "--repo", str(repository), "--run", "none", "--quiet")
    refused = ml_agent(*words, "--out", str(tmp_path / "refused"))
    assert (refused.returncode, refused.stdout) == (3, "") and "no key for the model" in refused.stderr
    for name, more in (
        ("offline", ("--navigator", "offline")),
        ("earlier", ("--navigator", "grounded")),
        ("fallback", ("--fallback", "offline")),
    ):
        done = ml_agent(*words, *more, "--out", str(tmp_path / name))
        assert done.returncode == 0 and "--lr 0.25" in done.stdout, done.stderr


@pytest.mark.parametrize(
    ("cost", "code", "words"), [("1", 3, "ML_AGENT_PRICES"), ("inf", 2, "--max-cost"), ("nan", 2, "--max-cost")]
)
def test_a_limit_on_money_that_cannot_be_held(
    cost: str, code: int, words: str, repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-none-of-anybody")
    monkeypatch.setenv("OPENAI_BASE_URL", "https://host.invalid/v1")
    task = (
        "solve",
        "fit with lr 0.25",
        "--repo",
        str(repository),
        "--run",
        "none",
        "--model",
        "of-unknown-price",
        "--quiet",
    )
    done = ml_agent(*task, "--max-cost", cost)
    assert (done.returncode, done.stdout) == (code, "") and words in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1
    (tmp_path / "prices.toml").write_text("[of-unknown-price]\ninput = 1\noutput = 1\n")
    monkeypatch.setenv("ML_AGENT_PRICES", str(tmp_path / "prices.toml"))
    assert ("cannot be reached" in ml_agent(*task, "--max-cost", cost).stderr) is (cost == "1")


@pytest.mark.parametrize(
    "arguments", [("solve",), ("solve", "fit", "--nonsense"), ("nonsense",), ("check",), ("runs", "show")]
)
def test_wrong_usage_is_one_line_and_exit_code_2(arguments: tuple[str, ...]) -> None:
    done = ml_agent(*arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert len(done.stderr.strip().splitlines()) == 1, done.stderr


def test_a_limit_that_is_reached_ends_with_5(repository: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    words = ("--repo", str(repository), "--run", "none", "--max-seconds", "0.001", "--out", str(out))
    done = ml_agent("solve", "fit with lr 0.25", *words)
    assert (done.returncode, done.stdout) == (5, "") and "raise --max-seconds" in done.stderr
    assert json.loads((out / "run.json").read_text())["ending"] == "budget"


@pytest.mark.parametrize(
    "words",
    [["--run", "bla"], ["--max-attempts", "0"], ["--sandbox", "foo"], ["--gpus", "x"], ["--navigator", "gpt"]],
    ids=lambda words: words[0],
)
def test_a_wrong_value_of_a_flag_is_usage(words: list[str]) -> None:
    done = ml_agent("solve", "fit it", *words)
    assert (done.returncode, done.stdout) == (2, "")
    assert f"ml-agent: {' '.join(words)} " in done.stderr and "setting" not in done.stderr


def test_a_wrong_value_of_the_environment_is_configuration() -> None:
    done = ml_agent("solve", "fit it", ML_AGENT_MAX_ATTEMPTS="0")
    assert (done.returncode, done.stdout) == (3, "") and "setting max_attempts: " in done.stderr
    done = ml_agent("solve", "fit it", "--run", "none", ML_AGENT_MAX_ATTEMPTS="0")
    assert done.returncode == 3


def test_no_docker_is_said_in_one_line(repository: Path) -> None:
    done = ml_agent(
        "solve",
        "fit it",
        "--repo",
        str(repository),
        "--sandbox",
        "docker",
        "--quiet",
        DOCKER_HOST="unix:///nowhere.sock",
    )
    assert done.returncode == 3
    assert len(done.stderr.strip().splitlines()) == 1
    assert "--sandbox" in done.stderr


def test_the_answer_and_nothing_else_is_on_stdout(repository: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    done = ml_agent(
        "solve", "fit with a learning rate of 0.25", "--repo", str(repository), "--run", "none", "--out", str(out)
    )
    assert done.returncode == 0, done.stderr
    assert "fit.py --lr 0.25" in done.stdout
    assert len(done.stdout.strip().splitlines()) == 1
    result = json.loads((out / "run.json").read_text())
    assert (result["evidence"], result["ending"]) == ("checked", "checked")
    assert done.stdout.strip() in (out / "answer.sh").read_text()
    assert (out / "report.html").read_text().count("--lr 0.25") >= 1


def test_json_holds_the_whole_result(repository: Path) -> None:
    done = ml_agent("solve", "fit with lr 0.25", "--repo", str(repository), "--run", "none", "--json", "--quiet")
    result = json.loads(done.stdout)
    assert done.stderr == ""
    assert result["answer"]["ledger"][0]["value"] == "0.25"
    assert result["exit_code"] == done.returncode == 0


def test_check_prints_findings_and_ends_with_one(repository: Path) -> None:
    wrong = ml_agent("check", "python fit.py --lrr 1", "--repo", str(repository), "--path", "train")
    assert wrong.returncode == 1
    assert "did you mean --lr" in wrong.stdout
    right = ml_agent("check", "python fit.py --lr 1", "--repo", str(repository), "--path", "train")
    assert (right.returncode, right.stdout) == (0, "ok\n")


def test_runs_are_listed_shown_and_deleted(repository: Path) -> None:
    assert ml_agent("solve", "fit", "--repo", str(repository), "--run", "none", "--quiet").returncode == 0
    run = next(Path(os.environ["ML_AGENT_RUNS_DIR"]).iterdir()).name
    assert run[:10] in ml_agent("runs", "list").stdout
    assert json.loads(ml_agent("runs", "show", run).stdout)["id"] == run
    screen = ml_agent("view", run).stdout
    assert "generate" in screen and len(screen.splitlines()) <= 40
    again = ml_agent("resume", run, "--quiet")
    assert again.returncode == 0 and "fit.py" in again.stdout
    assert ml_agent("runs", "delete", run).returncode == 0
    assert ml_agent("resume", run).returncode == 2


@pytest.mark.slow
def test_runs_made_elsewhere_are_listed_whole_filtered_and_linked(repository: Path, tmp_path: Path) -> None:
    out = tmp_path / "a-run-of-my-own-choice"
    words = ("--repo", str(repository), "--run", "none", "--quiet")
    assert ml_agent("solve", "fit with lr 0.3", *words, "--out", str(out)).returncode == 0
    assert ml_agent("solve", "fit with lr 0.7", *words).returncode == 0
    own = next(Path(os.environ["ML_AGENT_RUNS_DIR"]).iterdir()).name
    for command in (("runs", "list"), ("view",)):
        listed = ml_agent(*command, COLUMNS="50").stdout
        assert out.name in listed and own in listed, listed
        assert max(map(len, listed.splitlines())) <= 50
        some = ml_agent(*command, "--filter", "lr 0.3", COLUMNS="50").stdout
        assert out.name in some and own not in some
    assert "generate" in ml_agent("view", out.name).stdout
    content = json.loads((out / "run.json").read_text())
    assert content["answer"]["declared"] == {"--lr": "train/fit.py:3"}
    page = (out / "report.html").read_text()
    assert '<a href="run.json">' in page and "bash reproduce.sh" in page and f"ml-agent continue {out.name}" in page


@pytest.mark.parametrize("command", [(), ("solve",), ("runs",)])
def test_help_is_there(command: tuple[str, ...]) -> None:
    done = ml_agent(*command, "--help")
    assert done.returncode == 0
    assert "Usage" in done.stdout
