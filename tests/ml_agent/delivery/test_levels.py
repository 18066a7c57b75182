"""No command ends with 0 below the level that was asked for, in any run mode and sandbox; the answer is on stdout only when it is one."""

import json
import subprocess
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from ml_agent.endings import is_reached, level_asked, level_seen
from ml_agent.sandbox.bubblewrap import find_bubblewrap
from ml_agent.sandbox.contract import Response
from ml_agent.state import EVIDENCE
from tests.command import ml_agent

SCHEMA = Path(__file__).parents[3] / "ml_agent" / "run.schema.json"
HEAD = "import argparse, time\nparser = argparse.ArgumentParser()\nparser.add_argument('--out', default='out.json')\nargs = parser.parse_args()\n"
PROGRAMS = {
    "good": "print('epoch 1 loss 0.5', flush=True)\nopen(args.out, 'w').write('[1]')\n",
    "bad": "print('epoch 1 loss 0.5', flush=True)\nraise RuntimeError('the loss is nan')\n",
    "hang": "time.sleep(600)\n",
    "long": "n = 0\nwhile True:\n    print('epoch', n := n + 1, flush=True)\n    time.sleep(0.2)\n",
    "empty": "print('epoch 1 loss 0.5', flush=True)\nopen(args.out, 'w').close()\n",
}
REACHED = {
    ("good", "probe", True): "delivered", ("good", "full", True): "delivered", ("long", "probe", True): "started",
    ("empty", "probe", False): "completed", ("empty", "full", False): "completed",
}  # fmt: skip
"""Program, run mode, whether a file is named: the ending, where it is a good one. Everything else must not end with 0."""
SANDBOXES = [
    pytest.param("docker", marks=[pytest.mark.docker, pytest.mark.slow, pytest.mark.xdist_group("delivery-docker")]),
    pytest.param("local", marks=pytest.mark.xdist_group("delivery-bubblewrap")),
]


def solve(place: Path, program: str, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    root = place / "repository"
    root.mkdir(exist_ok=True)
    (root / "fit.py").write_text(HEAD + PROGRAMS[program])
    (root / "README.md").write_text("# Fit\n\nFit the model:\n\n```bash\npython fit.py\n```\n")
    return ml_agent(
        "solve", "fit the model", "--repo", str(root), "--network", "none", "--navigator", "offline", "--max-attempts", "1", "--timeout", "6",
        "--out", str(place / "out"), *arguments, **{"ML_AGENT_CACHE_DIR": str(place / "cache"), "ML_AGENT_PROBE_SECONDS": "0.7", **environment},
    )  # fmt: skip


def result_of(place: Path) -> dict[str, Any]:
    return dict(json.loads((place / "out/run.json").read_text()))


def assert_honest(done: subprocess.CompletedProcess[str], result: dict[str, Any]) -> None:
    """What holds of every run, however it ends."""
    jsonschema.validate(result, json.loads(SCHEMA.read_text()))
    assert result["exit_code"] == done.returncode
    reached = EVIDENCE.index(result["evidence"]) >= EVIDENCE.index(result["asked"])
    assert done.returncode != 0 or (reached and result["ending"] == result["evidence"])
    ran = bool(result["sandbox"].get("ended"))
    assert bool(done.stdout.strip()) == (done.returncode == 0 or (result["evidence"] == "checked" and not ran))
    assert "proven" not in json.dumps(result)


QUICK = [("good", "full"), ("empty", "full"), ("bad", "full"), ("long", "probe")]
SLOW = [pytest.param(program, "probe", marks=pytest.mark.slow) for program in ("good", "hang", "empty")]


@pytest.mark.parametrize("sandbox", SANDBOXES)
@pytest.mark.parametrize(("program", "run"), [*QUICK, *SLOW])
def test_programs_that_run(program: str, run: str, sandbox: str, tmp_path: Path) -> None:
    if sandbox == "local" and find_bubblewrap() is None:
        pytest.skip("bubblewrap does not work here")
    named = program in ("good", "empty", "long")
    more = ("--expect", "out.json") if named else ()
    done = solve(tmp_path, program, "--run", run, "--sandbox", sandbox, *more)
    result = result_of(tmp_path)
    assert_honest(done, result)
    good = REACHED.get((program, run, named))
    assert (done.returncode == 0, result["ending"]) == (good is not None, good or result["ending"]), done.stderr


@pytest.mark.parametrize(
    ("program", "arguments", "environment"),
    [
        ("bad", ("--run", "none"), {}),
        ("good", ("--sandbox", "none"), {}),
        ("bad", (), {"ML_AGENT_SANDBOX": "none", "ML_AGENT_RUN": "full"}),
    ],
)
def test_nothing_runs(program: str, arguments: tuple[str, ...], environment: dict[str, str], tmp_path: Path) -> None:
    done = solve(tmp_path, program, *arguments, **environment)
    result = result_of(tmp_path)
    assert_honest(done, result)
    assert (done.returncode, result["ending"], result["asked"]) == (0, "checked", "checked")


def test_without_a_sandbox_nothing_can_be_asked_to_run(tmp_path: Path) -> None:
    done = solve(tmp_path, "good", "--sandbox", "none", "--run", "full")
    assert (done.returncode, done.stdout) == (2, "")
    assert len(done.stderr.strip().splitlines()) == 1


@pytest.mark.parametrize(
    "arguments", [("--expect", "a.json:picture"), ("--expect", "/tmp/x.json"), ("--expect", "../x")]
)
def test_expectations_that_cannot_be_meant(arguments: tuple[str, ...], tmp_path: Path) -> None:
    done = solve(tmp_path, "good", *arguments)
    assert (done.returncode, done.stdout) == (2, "") and len(done.stderr.strip().splitlines()) == 1


def response(**fields: Any) -> Response:
    return Response(**{"ended": "exited", "exit_code": 0, **fields})


@pytest.mark.parametrize("run", ["none", "probe", "full"])
@pytest.mark.parametrize("named", [False, True])
def test_a_level_is_never_more_than_what_was_seen(run: Any, named: bool) -> None:
    from ml_agent.delivery.expectation import Expectation, Judgement

    one = Expectation(path="x.json", kind="json")
    asked = level_asked(run, [one] if named else [])
    for verdict in ("delivered", "missing", "not judged"):
        judged = [Judgement(expectation=one, verdict=verdict, said="")] if named else []
        for seen in (
            level_seen(response(), judged),
            level_seen(response(exit_code=1), ()),
            level_seen(response(ended="probe", exit_code=None, started=True), ()),
            level_seen(response(ended="timeout", exit_code=None, started=True), ()),
        ):
            if is_reached(asked, seen, judged if seen in ("completed", "delivered") else ()):
                assert EVIDENCE.index(seen) >= EVIDENCE.index(asked)
                assert not (seen == "completed" and judged and verdict == "missing")
