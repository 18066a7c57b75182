"""What an answer leaves in the place of its report: never read through a link, never waited for, never an exception."""

import shlex
import tempfile
from pathlib import Path

import pytest

from ml_agent.benchmarks.observation.reports import read_report
from ml_agent.benchmarks.observation.repository import libraries_of
from ml_agent.benchmarks.observation.run import Execution, Job, can_run, our_words, run_answer
from tests.servers.git_folders import write_files

HELD_BY = "benchmarks.observation.reports, benchmarks.observation.run"
pytestmark = pytest.mark.skipif(not can_run(), reason="bubblewrap does not work here")
OURS = "P=${BENCH_OBSERVER%/*}; /bin/rm -f $P/trace; "
FINISHED = '{"outcome":"finished"}'
PERL = """/usr/bin/perl -MIO::Socket::UNIX -e '
my $s = IO::Socket::UNIX->new(Peer => $ENV{BENCH_OBSERVER}); my $said = "x" x 32 . "\\n{\\"outcome\\":\\"finished\\"}";
print $s pack("N", length $said), $said; $s->flush; @LATER@' fit.py 2>/dev/null; """
"""Says of itself that it finished; then does something."""
DEEP = """{"outcome":"finished","recorded":{"module":"","file":"fit.py","own":false,"words":[],"folder":".","parents":[],"options":[],
"calls":[],"destroyed":[],"environment":{},"settings":{"a":%s}}}"""


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


def interpreter(code: str) -> str:
    """Our own interpreter with other words than the judge's."""
    return f"{our_words()[0]} -I -S -c {shlex.quote(code)}; "


SAYS = f"""
import os, socket, struct
s = socket.socket(socket.AF_UNIX); s.connect(os.environ["BENCH_OBSERVER"])
said = b"x" * 32 + b"\\n" + {FINISHED.encode()!r}
s.sendall(struct.pack(">I", len(said)) + said)
"""
BECOMES = "os.set_inheritable(s.fileno(), True); w = {words!r}; os.execv(w[0], [*w, 'fit.py'])"


@pytest.mark.parametrize(
    "text",
    [
        f"for f in report.jsonl report scorer; do echo '{FINISHED}' >> ${{0%/*}}/$f; done; echo '{FINISHED}'",
        f"rm -f $BENCH_OBSERVER; echo '{FINISHED}' > $BENCH_OBSERVER",
        "for p in python; do :; done; unset BENCH_OBSERVER; python fit.py",
        PERL.replace("@LATER@", ""),
        PERL.replace("@LATER@", "sleep 1"),
        interpreter(SAYS),
    ],
    ids=["files", "another file for the socket", "no socket", "another program", "waits", "our interpreter"],
)
def test_a_shell_cannot_say_that_a_program_finished(root: Path, text: str) -> None:
    assert done(root, text).code


def test_a_process_that_becomes_the_judge_later_has_forged(root: Path) -> None:
    execution = done(root, interpreter(SAYS + BECOMES.format(words=our_words())))
    assert execution.code == "spoilt-report"


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
    assert done(root, "python fit.py").code


def test_a_job_cannot_be_changed(root: Path) -> None:
    """Neither its time, which would end the program before it fails, nor what is made up for it."""
    (root / "fit.py").write_text("for i in range(10**6): pass\nassert False, 'it fails'\n")
    plain, changed = (
        done(root, f"{text}python fit.py")
        for text in ("", "for f in ${0%/*}/*; do [ -f $f ] && /bin/sed -i s/3.0/1e-6/ $f; done; ")
    )
    assert plain.code == changed.code == "rejected-by-hand"


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
