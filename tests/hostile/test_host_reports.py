"""What an answer leaves in the place of its report: never read through a link, never waited for, never an exception."""

import tempfile
from pathlib import Path

import pytest

from ml_agent.benchmarks.observation.repository import libraries_of
from ml_agent.benchmarks.observation.run import Execution, Job, read_report, run_answer
from ml_agent.sandbox.bubblewrap import find_bubblewrap
from tests.servers.git_folders import write_files

HELD_BY = "benchmarks.observation.run"
pytestmark = pytest.mark.skipif(find_bubblewrap() is None, reason="bubblewrap does not work here")
OURS = "P=$BENCH_OBSERVER; /bin/rm -f $P/trace; "
DEEP = """{"outcome":"finished","recorded":{"program":{"file":"fit.py"},"own":false,"parents":[],
"calls":[{"name":"f","own":true,"arguments":{"a":%s}}]}}"""


@pytest.fixture
def root(tmp_path: Path) -> Path:
    write_files(tmp_path / "fitting", {"fit.py": "print(1)\n"})
    return (tmp_path / "fitting").resolve()


def done(root: Path, text: str) -> Execution:
    return run_answer(Job(root=root, folder=".", text=text, kind="bash"), libraries_of(root))


def test_a_link_never_brings_a_file_of_the_host(root: Path, tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text("canary")
    execution = done(root, f"{OURS}/bin/ln -s {secret} $P/trace")
    assert execution.code
    assert "canary" not in str(execution)


@pytest.mark.parametrize("made", ["/usr/bin/mkfifo $P/trace", "/bin/ln -s /dev/zero $P/trace", "/bin/mkdir $P/trace"])
def test_a_pipe_a_device_or_a_folder_is_not_read(root: Path, made: str) -> None:
    execution = done(root, OURS + made)
    assert execution.code and not execution.trace


@pytest.mark.parametrize(
    "line",
    [
        "no JSON",
        "\\377",
        "[[[",
        '{"outcome":"anything"}',
        '{"outcome":"finished","recorded":{"calls":1}}',
        DEEP % ("[" * 200 + "]" * 200),
    ],
)
def test_a_line_that_is_no_report_is_a_failed_program(line: str) -> None:
    report = read_report(line.encode())
    assert (report.outcome, report.code) == ("failed", "spoilt-report")


@pytest.mark.parametrize(
    "left",
    [
        "L=d; for i in {1..199}; do L=$L/d; done; for i in {1..15}; do /bin/mkdir -p $L; cd $L; done",
        "/bin/mkdir -p a/b; /bin/ln -s / a/b/c; /bin/chmod 0 a/b a .",
    ],
)
def test_what_is_left_is_removed(root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, left: str) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    execution = done(root, f"cd ${{0%/*}}; {left}")
    assert execution.code == "nothing-runs"
    assert not list(tmp_path.glob("*-answer-*"))
