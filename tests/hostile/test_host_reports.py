"""What an answer leaves in the place of its report: never read through a link, never waited for, never an exception."""

import subprocess
import tempfile
from pathlib import Path

import pytest

from benchmarks.strict import code_cache, walls
from benchmarks.strict.execute import Execution, Job, run
from benchmarks.strict.libraries import of_repository
from ml_agent.testing.git_folders import write_files

HELD_BY = "benchmarks.strict.reports, benchmarks.strict.code_cache, benchmarks.strict.walls"
OURS = "P=${0%/*}; /bin/rm -f $P/trace $P/report.jsonl; "
DEEP = '{"outcome":"finished","recorded":{"parents":[],"entry":{"module":"","file":"fit.py","own":false,"words":[]},"options":[],"calls":[],"settings":{"a":%s}}}'


@pytest.fixture
def root(tmp_path: Path) -> Path:
    write_files(tmp_path / "fitting", {"fit.py": "print(1)\n"})
    return (tmp_path / "fitting").resolve()


def done(root: Path, text: str) -> Execution:
    return run(Job(root=root, path=".", text=text, kind="bash", record=True), of_repository(root))


@pytest.mark.parametrize("name", ["trace", "report.jsonl"])
def test_a_link_never_brings_a_file_of_the_host(root: Path, tmp_path: Path, name: str) -> None:
    secret = tmp_path / "secret"
    secret.write_text("canary")
    execution = done(root, f"{OURS}/bin/ln -s {secret} $P/{name}")
    assert not execution.ok
    assert "canary" not in str(execution)


@pytest.mark.parametrize("name", ["trace", "report.jsonl"])
@pytest.mark.parametrize("made", ["/usr/bin/mkfifo $P/{}", "/bin/ln -s /dev/zero $P/{}", "/bin/mkdir $P/{}"])
def test_a_pipe_a_device_or_a_folder_is_not_read(root: Path, name: str, made: str) -> None:
    execution = done(root, OURS + made.format(name))
    assert not execution.ok
    assert not execution.trace or name != "trace"


@pytest.mark.parametrize(
    "line",
    [
        "no JSON",
        "\\377",
        "[[[",
        '{"outcome":"finished","compiled":3}',
        '{"outcome":"anything"}',
        '{"outcome":"finished","recorded":{"calls":1}}',
        DEEP % ("[" * 200 + "]" * 200),
    ],
)
def test_a_forged_line_is_a_failed_program(root: Path, line: str) -> None:
    execution = done(root, f"{OURS}printf '{line}\\n' > $P/report.jsonl")
    assert (execution.ok, execution.code) == (False, "spoilt-report")


def test_only_files_of_the_repository_are_compiled(root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ML_AGENT_CACHE_DIR", str(tmp_path / "cache"))
    (tmp_path / "other.py").write_text("print(2)\n")
    (root / "led.py").symlink_to(tmp_path / "other.py")
    named = ["/nofile", "/dev/zero", f"{tmp_path}/other.py", f"{root}/../other.py", f"{root}/led.py", f"{root}"]
    line = '{"outcome":"finished","compiled":[' + ",".join(f'"{one}"' for one in named) + "]}"
    done(root, f"{OURS}printf '{line}\\n' > $P/report.jsonl")
    assert not list(code_cache.folder().iterdir())
    code_cache.keep([f"{root}/fit.py", "a\0b"], root)
    assert len(list(code_cache.folder().iterdir())) == 1


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


def test_a_probe_that_failed_is_tried_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    program, works = tmp_path / "bwrap", tmp_path / "works"
    program.write_text(f"#!/bin/sh\necho >> {tmp_path}/tried\n[ -e {works} ]\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    monkeypatch.setattr(walls._Decision, "path", None)
    monkeypatch.setattr(walls._Decision, "told", False)
    assert walls.bubblewrap() is None
    assert (tmp_path / "tried").read_text().count("\n") == walls.TRIES
    assert capsys.readouterr().err == f"{walls.WITHOUT}\n"
    works.touch()
    assert walls.bubblewrap() == str(program), "a failure does not count for good"
    works.unlink()
    assert walls.bubblewrap() == str(program), "what worked is not given up"
    assert subprocess.run([program], check=False).returncode == 1
