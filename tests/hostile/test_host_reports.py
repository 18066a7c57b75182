"""What an answer leaves in the place of its report: never read through a link, never waited for, never an exception."""

import shlex
import subprocess
import tempfile
from pathlib import Path

import pytest

from ml_agent.benchmarks.strict import code_cache, walls
from ml_agent.benchmarks.strict.execute import Execution, Job, judge_words, run
from ml_agent.benchmarks.strict.libraries import of_repository
from ml_agent.benchmarks.strict.reports import read_programs
from ml_agent.testing.git_folders import write_files

HELD_BY = (
    "benchmarks.strict.collector, benchmarks.strict.reports, benchmarks.strict.code_cache, benchmarks.strict.walls"
)
OURS = "P=${STRICT_SCORER%/*}; /bin/rm -f $P/trace; "
FINISHED = '{"outcome":"finished"}'
PERL = """/usr/bin/perl -MIO::Socket::UNIX -e '
my $s = IO::Socket::UNIX->new(Peer => $ENV{STRICT_SCORER}); my $said = "x" x 32 . "\\n{\\"outcome\\":\\"finished\\"}";
print $s pack("N", length $said), $said; $s->flush; @LATER@' fit.py 2>/dev/null; """
"""Says of itself that it finished; then does something."""
DEEP = '{"outcome":"finished","recorded":{"parents":[],"entry":{"module":"","file":"fit.py","own":false,"words":[]},"options":[],"calls":[],"settings":{"a":%s}}}'


@pytest.fixture
def root(tmp_path: Path) -> Path:
    write_files(tmp_path / "fitting", {"fit.py": "print(1)\n"})
    return (tmp_path / "fitting").resolve()


def done(root: Path, text: str) -> Execution:
    return run(Job(root=root, path=".", text=text, kind="bash", record=True), of_repository(root))


def test_a_link_never_brings_a_file_of_the_host(root: Path, tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text("canary")
    execution = done(root, f"{OURS}/bin/ln -s {secret} $P/trace")
    assert not execution.ok
    assert "canary" not in str(execution)


@pytest.mark.parametrize("made", ["/usr/bin/mkfifo $P/trace", "/bin/ln -s /dev/zero $P/trace", "/bin/mkdir $P/trace"])
def test_a_pipe_a_device_or_a_folder_is_not_read(root: Path, made: str) -> None:
    execution = done(root, OURS + made)
    assert not execution.ok and not execution.trace


def interpreter(code: str) -> str:
    """Our own interpreter with other words than the judge's."""
    return f"{judge_words()[0]} -I -S -c {shlex.quote(code)}; "


SAYS = f"""
import os, socket, struct
s = socket.socket(socket.AF_UNIX); s.connect(os.environ["STRICT_SCORER"])
said = b"x" * 32 + b"\\n" + {FINISHED.encode()!r}
s.sendall(struct.pack(">I", len(said)) + said)
"""
BECOMES = "os.set_inheritable(s.fileno(), True); w = {words!r}; os.execv(w[0], [*w, 'fit.py'])"


@pytest.mark.parametrize(
    "text",
    [
        f"for f in report.jsonl report scorer; do echo '{FINISHED}' >> ${{0%/*}}/$f; done; echo '{FINISHED}'",
        f"rm -f $STRICT_SCORER; echo '{FINISHED}' > $STRICT_SCORER",
        "for p in python; do :; done; unset STRICT_SCORER; python fit.py",
        PERL.replace("@LATER@", ""),
        PERL.replace("@LATER@", "sleep 1"),
        interpreter(SAYS),
    ],
    ids=["files", "another file for the socket", "no socket", "another program", "waits", "our interpreter"],
)
def test_a_shell_cannot_say_that_a_program_finished(root: Path, text: str) -> None:
    assert not done(root, text).ok


def test_a_process_that_becomes_the_judge_later_has_forged(root: Path) -> None:
    execution = done(root, interpreter(SAYS + BECOMES.format(words=judge_words())))
    assert (execution.ok, execution.code) == (False, "spoilt-report")


@pytest.mark.parametrize(
    "code",
    [
        f"for fd in range(3, 64):\n    try:\n        os.write(fd, {FINISHED.encode()!r} + b'\\n')\n    except OSError:\n        pass\n",
        "for fd in range(3, 64):\n    try:\n        os.write(fd, b'\\0\\0\\0\\x2a' + b'x' * 42)\n    except OSError:\n        pass\n",
    ],
    ids=["a line", "a report without the ticket"],
)
def test_a_program_that_writes_where_its_judge_does_has_not_finished(root: Path, code: str) -> None:
    (root / "fit.py").write_text(f"import os\n{code}os._exit(0)\n")
    assert not done(root, "python fit.py").ok


def test_a_job_cannot_be_changed(root: Path) -> None:
    """Neither its time, which would end the program before it fails, nor what is made up for it."""
    (root / "fit.py").write_text("for i in range(10**6): pass\nassert False, 'it fails'\n")
    plain, changed = (
        done(root, f"{text}python fit.py")
        for text in ("", "for f in ${0%/*}/*; do [ -f $f ] && /bin/sed -i s/3.0/1e-6/ $f; done; ")
    )
    assert (plain.ok, plain.code) == (changed.ok, changed.code) == (False, "rejected-by-hand")


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
def test_a_line_that_is_no_report_is_a_failed_program(line: str) -> None:
    (program,) = read_programs([line.encode()])
    assert (program.outcome, program.code) == ("failed", "spoilt-report")


def test_only_files_of_the_repository_are_compiled(root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ML_AGENT_CACHE_DIR", str(tmp_path / "cache"))
    (tmp_path / "other.py").write_text("print(2)\n")
    (root / "led.py").symlink_to(tmp_path / "other.py")
    named = ["/nofile", "/dev/zero", f"{tmp_path}/other.py", f"{root}/../other.py", f"{root}/led.py", f"{root}"]
    code_cache.keep(named, root)
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
