"""A hundred bad inputs and more: each ends in one line with the right exit code, within five seconds, and loses nothing."""

import json
import os
import resource
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from ml_agent.cli import run
from tests.processor_time import is_within
from tests.servers.git_folders import write_files
from tests.servers.misbehaviours import always
from tests.servers.model_server import ModelServer, Response

Make = Callable[[Path], object]
SECONDS, WALL_SECONDS = 5, 120
"""Of processor time; and of the clock, which a busy machine lets run on, but a wait never passes."""
ONE_LINE = "Bad input ends in one line and the right exit code, within seconds, and nothing is lost."
SCRIPT = "import argparse\np = argparse.ArgumentParser()\np.add_argument('--lr', type=float)\np.parse_args()\n"
README = "# Fit\n\nFit the model:\n\n```bash\npython fit.py --lr 0.5\n```\n"
ROW = {
    "github_id": 1, "id": 1, "github": "https://github.com/a/fitting", "path": ".", "instruction": "fit the model with lr 0.25",
    "type": "Bash Script", "output": "python fit.py --lr 0.25", "arguments": "{'lr': '0.25'}", "oracle": "", "prefix_code": "",
}  # fmt: skip
FIT = ["solve", "fit the model with lr 0.25", "--repo", "fitting", "--run", "none", "--quiet"]


def fifo(path: Path) -> None:
    os.mkfifo(path)


def endless(path: Path) -> None:
    path.symlink_to("/dev/zero")


def memory(path: Path) -> None:
    path.symlink_to("/proc/self/mem")


def folder(path: Path) -> None:
    path.mkdir()


def loop(path: Path) -> None:
    path.symlink_to(path.name)


def sparse(path: Path) -> None:
    with path.open("wb") as file:
        file.truncate(2**31)


class Case(NamedTuple):
    """One bad input."""

    words: Sequence[str]
    files: Mapping[str, str | bytes | Make] = {}
    """By name; what is there before must be there afterwards."""
    environment: Mapping[str, str] = {}
    code: int = 2


def _command_line() -> dict[str, Case]:
    solve = ["solve", "x", "--quiet"]
    cases = {
        "a budget of nothing": [*solve, "--max-seconds", "0"], "a budget below nothing": [*solve, "--max-cost", "-1"],
        "a budget of no number": [*solve, "--max-cost", "nan"], "tokens of none": [*solve, "--max-tokens", "0"],
        "an unknown navigator": [*solve, "--navigator", "gpt"], "an unknown network": [*solve, "--network", "all"],
        "an unknown sandbox": [*solve, "--sandbox", "vm"], "no sandbox but a run": [*solve, "--sandbox", "none", "--run", "full"],
        "a tape that is not there": [*solve, "--replay", "nowhere"], "an expectation elsewhere": [*FIT, "--expect", "../x"],
        "an empty expectation": [*FIT, "--expect", ""], "an expectation of no kind": [*FIT, "--expect", "x:wonder"],
        "a password in an address": [*solve, "--repo", "https://a:b@[x/y"], "a file for a repository": [*solve, "--repo", "mine"],
        "a name that is too long": ["resume", "a" * 5000], "a name with a NUL": ["resume", "a\0b"], "no name": ["resume", ""],
        "a path for a name": ["runs", "show", "../../etc"], "to delete nothing": ["runs", "delete", "x"], "to view nothing": ["view", "x"],
        "a repository that is too long": [*solve, "--repo", "a/" * 3000], "a path that is too long": [*FIT, "--path", "b/" * 3000],
        "a NUL in a path": [*FIT, "--path", "a\0b"], "a NUL in a repository": [*solve, "--repo", "a\0b"],
        "an output that is there": [*FIT, "--out", "."], "an output that is a file": [*FIT, "--out", "mine"],
        "an output of the system": [*FIT, "--out", "/proc/self/x"], "an output with a NUL": [*FIT, "--out", "a\0b"],
        "nothing to check": ["check", "", "--repo", "fitting"], "a check nowhere": ["check", "python fit.py", "--repo", "nowhere"],
        "an explanation of nothing": ["explain", "fitting", "--no-such"], "a catalogue with a NUL": [*solve, "--catalog", "a\0b"],
    }  # fmt: skip
    odd = dict.fromkeys(("a tape that is not there", "an output of the system"), 3)
    return {name: Case(words, code=odd.get(name, 2)) for name, words in cases.items()}


def _configuration() -> dict[str, Case]:
    values = {
        "TIMEOUT": "abc", "GPUS": "0;rm", "UNISOLATED": "maybe", "MAX_COST": "inf-", "MEMORY_GB": "nan",
        "MAX_ATTEMPTS": "-3", "CLONE_BYTES": "0", "PROBE_SECONDS": "-1", "NETWORK": "half", "SANDBOX": "", "MODEL_MODE": "poetry",
    }  # fmt: skip
    cases = {
        f"{name} in the environment": Case(FIT, {}, {f"ML_AGENT_{name}": text}, 3) for name, text in values.items()
    }
    files: dict[str, str | bytes | Make] = {
        "damaged": "model = ", "not UTF-8": b"\xff\xfe\0", "a folder": folder, "a pipe": fifo, "endless": endless,
        "nested without end": "a = " + "[" * 5000, "a circle": loop, "larger than memory": sparse,
    }  # fmt: skip
    cases |= {
        f"a folder's file that is {name}": Case(FIT, {"ml-agent.toml": how}, {}, 3) for name, how in files.items()
    }
    own: dict[str, str | bytes | Make] = {
        "damaged": "model = ", "not UTF-8": b"\xff\xfe\0", "of unknown names": "modle = 'x'", "of wrong types": "timeout = [1]",
    }  # fmt: skip
    home = "config/ml-agent/ml-agent.toml"
    cases |= {
        f"an own file {name}": Case(FIT, {home: how}, {"XDG_CONFIG_HOME": "config"}, 3) for name, how in own.items()
    }
    return cases


def _catalogue() -> dict[str, Case]:
    texts: dict[str, str | bytes | Make] = {
        "is empty": "", "is no JSON": "hello\n", "is a list": "[1]\n", "has no name": '{"url": "./x"}\n',
        "has a name without an owner": '{"full_name": "x"}\n', "names one twice": '{"full_name": "a/b"}\n{"full_name": "a/b"}\n',
        "is not UTF-8": b'{"full_name": "a/\xff"}\n', "is deep": "[" * 100_000, "is a folder": folder, "is a pipe": fifo,
        "leads out": '{"full_name": "a/b", "url": "../x"}\n', "is larger than memory": sparse, "is endless": endless,
        "has a number for a name": '{"full_name": 3}\n', "has topics of no kind": '{"full_name": "a/b", "topics": {"x": 1}}\n',
        "holds a NUL": b'{"full_name": "a/b\0c"}\n', "is a circle": loop, "is memory": memory,
    }  # fmt: skip
    words = ["solve", "fit the model", "--catalog", "list.jsonl", "--run", "none", "--quiet"]
    return {f"a catalogue that {name}": Case(words, {"list.jsonl": how}) for name, how in texts.items()}


def _rows(**changed: object) -> str:
    row = {**ROW, **changed}
    return json.dumps({name: value for name, value in row.items() if value is not ...}) + "\n"


def _tasks() -> dict[str, Case]:
    texts: dict[str, str | bytes | Make] = {
        "are empty": "", "are a folder": folder, "are a pipe": fifo, "are memory": memory,
        "are larger than memory": sparse, "are a circle": loop, "are endless": endless,
    }  # fmt: skip
    words = ["bench", "predict", "--repos", ".", "--out", "out.jsonl", "--jobs", "1", "--tasks"]
    cases = {f"rows that {name}": Case([*words, "rows.jsonl"], {"rows.jsonl": how}) for name, how in texts.items()}
    cases |= {
        "a sample that is damaged": Case([*words, "wild", "--sample", "mine"]),
        "a sample of no list": Case([*words, "wild", "--sample", "keys"], {"keys": "3"}),
        "Parquet that is none": Case([*words, "rows.parquet"], {"rows.parquet": b"PAR1 and no more"}),
        "a split that is not there": Case([*words, "super-dainiu/ml-bench:none"]),
        "predictions in a folder": Case(["bench", "predict", "--tasks", "rows.jsonl", "--repos", ".", "--out", "fitting"],
                                        {"rows.jsonl": _rows()}),
    }  # fmt: skip
    bad: dict[str, str | bytes] = {
        "no JSON": "hello\n", "no UTF-8": b"\xff\xfe\n", "a list": "[1]\n", "a field too few": _rows(type=...), "a field of another kind": _rows(id="x"),
        "arguments of no kind": _rows(arguments="open('x')"), "deep arguments": _rows(arguments="(" * 5000), "a kind of none": _rows(type="R"),
        "deep JSON": "[" * 100_000 + "\n",
    }  # fmt: skip
    cases |= {
        f"a row with {name}": Case([*words, "rows.jsonl"], {"rows.jsonl": text}, {}, 1) for name, text in bad.items()
    }
    return cases


def _predictions() -> dict[str, Case]:
    texts: dict[str, str | bytes | Make] = {
        "are not there": "", "are empty": "\n", "are damaged": '{"github_id": 1,\n', "are of another kind": '{"github_id": 1, "id": 1, "output": 3}\n',
        "are a list": "[1]\n", "say a row twice": '{"github_id": 1, "id": 1, "output": "x"}\n' * 2, "are not UTF-8": b"\xff\xfe\n",
        "are a folder": folder, "are a pipe": fifo, "are deep": "[" * 100_000, "are endless": endless, "are memory": memory, "are a circle": loop,
    }  # fmt: skip
    words = ["bench", "score", "--tasks", "rows.jsonl", "--predictions", "predictions.jsonl"]
    return {
        f"predictions that {name}": Case(words, {"rows.jsonl": _rows(), "predictions.jsonl": how})
        for name, how in texts.items()
    }


def _repositories() -> dict[str, Case]:
    def solve(name: str, **files: Any) -> Case:
        return Case(["solve", "fit the model with lr 0.25", "--repo", name, "--run", "none", "--quiet"], files, {}, 1)

    git: dict[str, str | bytes | Make] = {"odd/fit.py": "x = 1\n"}
    return {
        "an empty folder": Case(["explain", "empty"], {"empty": folder}, {}, 0),
        "a folder of a circle": Case(["explain", "circle"], {"circle": loop}),
        "a git folder without commits": Case(
            ["explain", "odd"], {**git, "odd/.git/HEAD": "ref: refs/heads/none\n"}, {}, 0
        ),
        "a git folder with a damaged head": Case(["explain", "odd"], {**git, "odd/.git/HEAD": b"\xff\0"}),
        "a git file that leads nowhere": Case(["explain", "odd"], {**git, "odd/.git": "gitdir: /no/such\n"}, {}, 0),
        "a git file that leads to memory": Case(
            ["explain", "odd"], {**git, "odd/.git": "gitdir: /proc/self/mem\n"}, {}, 0
        ),
        "a remote that is not there": Case(["solve", "x", "--repo", "file:///no/such/repository", "--quiet"]),
        "a remote of an unknown kind": Case(["solve", "x", "--repo", "gopher://x/y", "--quiet"]),
        "a remote that runs": Case(["solve", "x", "--repo", "ext::sh -c id", "--quiet"]),
        "a commit that is an option": Case([*FIT, "--commit=--upload-pack=x"]),
    }


CASES = {**_command_line(), **_configuration(), **_catalogue(), **_tasks(), **_predictions(), **_repositories()}
ANSWERS: dict[str, Response] = {
    "refuses the key": Response(body=b'{"error": {"message": "no"}}', status=401), "forbids": Response(body=b"no", status=403),
    "does not know the model": Response(body=b'{"error": {"message": "no such model"}}', status=404),
    "wants money": Response(body=b"{}", status=402), "answers with a page": Response(body=b"<html>hello</html>"),
    "answers nothing": Response(body=b""), "answers a list": Response(body=b"[1, 2]"), "answers no choice": Response(body=b'{"choices": []}'),
    "answers half": Response(body=b'{"choices": [{"message": {"cont'), "answers null": Response(body=b'{"choices": [{"message": null}]}'),
    "answers backslashes": Response(body=b'{"choices": [{"message": {"content": "' + b"\\" * 400_000 + b'"}}]}'),
    "answers no UTF-8": Response(body=b"\xff\xfe\xff"), "answers deep": Response(body=b"[" * 50_000),
    "names a packing for letters": Response(body=b"{}", status=400, headers={"content-type": "application/json; charset=rot13"}),
    "asks for patience without end": Response(body=b"{}", status=429, headers={"retry-after": f"Fri, 01 Jan {'9' * 11} 00:00:00 GMT"}),
    "leads elsewhere": Response(body=b"", status=307, headers={"location": "http://127.0.0.1:9/"}),
    "leads to a file": Response(body=b"", status=302, headers={"location": "file:///etc/passwd"}),
}  # fmt: skip


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working folder with a repository and a file of the user's."""
    here = tmp_path / "here"
    write_files(here / "fitting", {"fit.py": SCRIPT, "README.md": README})
    (here / "mine").write_text("of the user's\n")
    monkeypatch.chdir(here)
    return here


def _lay(here: Path, files: Mapping[str, str | bytes | Make]) -> None:
    for name, how in files.items():
        path = here / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if callable(how):
            how(path)
        else:
            path.write_bytes(how.encode() if isinstance(how, str) else how)


def _said(words: Sequence[str], capsys: pytest.CaptureFixture[str]) -> tuple[int, str, str, float]:
    """Exit code, output, errors and processor seconds; it takes no more than two minutes of the clock."""
    began = time.monotonic()
    before = resource.getrusage(resource.RUSAGE_SELF)
    code = run(list(words))
    after = resource.getrusage(resource.RUSAGE_SELF)
    spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    assert time.monotonic() - began < WALL_SECONDS
    return code, *capsys.readouterr(), spent


@pytest.mark.promise(ONE_LINE, by="ml_agent.cli, ml_agent.errors, ml_agent.files")
@pytest.mark.parametrize("name", CASES)
def test_bad_input_ends_in_one_line(
    name: str, place: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    case = CASES[name]
    _lay(place, case.files)
    for variable, text in case.environment.items():
        monkeypatch.setenv(variable, str(place / text) if variable == "XDG_CONFIG_HOME" else text)
    code, out, err, spent = _said(case.words, capsys)
    lines = [line for line in err.strip().splitlines() if not line.startswith(("rows ", "answered "))]
    assert code == case.code, err
    assert "Traceback" not in err and "internal error" not in err
    assert len(lines) <= (3 if code < 2 else 1) and (lines or code == 0), err  # the bench also counts its rows
    assert code in (0, 1) or out == ""
    assert is_within(spent, SECONDS)
    assert (place / "mine").read_text() == "of the user's\n" and (place / "fitting/fit.py").read_text() == SCRIPT


@pytest.mark.promise(ONE_LINE, by="ml_agent.conversation")
@pytest.mark.parametrize("name", ANSWERS)
def test_a_bad_provider_ends_in_one_line(
    name: str, place: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with ModelServer(misbehaviour=always(ANSWERS[name])) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        monkeypatch.setenv("OPENAI_API_KEY", "sk-of-this-test-only")
        code, out, err, spent = _said([*FIT, "--navigator", "llm", "--model", "m", "--max-seconds", "20"], capsys)
    assert code in (0, 3, 4), err  # what answers in no form at all is stood in for, and the result says so
    assert len(err.strip().splitlines()) == (code > 0) and "sk-of-this" not in err + out, err
    assert (out == "") is (code > 0) and is_within(spent, SECONDS)


@pytest.mark.parametrize("url", ["http://127.0.0.1:9/v1", "nonsense", "ftp://x/v1", "http://[x/v1"])
@pytest.mark.promise(ONE_LINE, by="ml_agent.conversation")
def test_a_provider_that_is_none(
    url: str, place: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", url)
    code, out, err, spent = _said([*FIT, "--navigator", "llm", "--model", "m", "--max-seconds", "20"], capsys)
    assert code in (3, 4), err
    assert len(err.strip().splitlines()) == 1 and "internal" not in err and out == "" and is_within(spent, SECONDS)


def test_there_are_a_hundred() -> None:
    assert len(CASES) + len(ANSWERS) >= 100, len(CASES)
