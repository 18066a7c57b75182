"""Runs an answer in its repository, shut in by bubblewrap, with libraries unknown and each command traced.

A `Job` (an answer, where it runs) goes in; an `Execution` comes out: whether anything refused the answer, a report of each Python program that it
started (`inside` writes them), and bash's own trace of its commands (`steps` reads it). So that an answer comes as far as a parser without the
repository's libraries and data, programs of ours stand first on its PATH: `python` runs `inside`, `wget` says that it is done, `torchrun` hands over.
Nothing of a repository or an answer runs outside: where bubblewrap does not work, no answer is looked at.
"""

import atexit
import functools
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec

from ml_agent.benchmarks.data import Kind
from ml_agent.benchmarks.errors import BenchError
from ml_agent.benchmarks.observation.model import Report
from ml_agent.benchmarks.observation.repository import Libraries
from ml_agent.sandbox.bubblewrap import find_bubblewrap, system_folders
from ml_agent.sandbox.errors import SandboxLostError
from ml_agent.sandbox.held_folder import held_folder
from ml_agent.sandbox.inner_path import safe_relative
from ml_agent.sandbox.temporary import lent, temporary
from ml_agent.tools.commandline.shell import parse_command
from ml_agent.tools.launchers import Launcher, launcher_modules, launchers

INSIDE = Path(__file__).parent / "inside"
REPORTS = "reports.jsonl"
FILE_BLOCKS = 20_000
"""How large a file a program may write, as `ulimit -f` counts."""
MOST_BYTES = FILE_BLOCKS * 1024
MOST_REPORTS = 2000
DEEPEST = 60
"""Levels of what is recorded; ours have fewer."""
SPOILT = "spoilt-report"
CPU_SECONDS = 3.0
MOST_ENTRIES = 300
"""Each costs a mount; a folder with more stays closed."""
ANSWER = "answer.sh"
STILL_RUNNING = "still running"
"""What is said of an answer that was cut at its limit."""
WALL_SECONDS = 240.0
"""Only for programs that wait for something: what counts is processor time, so that a busy machine judges the same."""
PYTHONS = ("python", "python2", "python3", "python2.7", *(f"python3.{n}" for n in range(6, 15)))
_DONE_ELSEWHERE = (
    "pip pip3 conda mamba apt apt-get yum wget curl git unzip tar gunzip gzip nvidia-smi rm mv cp ln touch sleep aws gsutil "
    "gdown kaggle huggingface-cli brew make cmake gcc source-highlight tensorboard jupyter virtualenv"
)
DONE_ELSEWHERE = tuple(_DONE_ELSEWHERE.split())
"""Programs that do nothing here and say that they did it."""
WITHIN_WALLS = ("mkdir", "chmod")
"""Programs that do their work, and always say that they did it."""
GIVEN = ("absl", "configargparse.py", "ml_collections", "six.py", "yaml")
"""Libraries that read command lines and are pure Python: they are given for real where we have them."""
CONSOLE = "--console"
"""As `inside.target` reads it."""
_ACTIVATES = re.compile(r"(?:^|(?<=[;&|\n(]))[ \t]*(?:\.|source)[ \t]+[\w./~$-]*bin/activate(?=[ \t]*(?:[;&|\n)]|$))")
"""`source venv/bin/activate`, as a command of its own: the environment is there already."""
_OWN_SOURCE = re.compile(r"\$(\{?)BASH_SOURCE(?:\[0\])?")
SYSTEM_FOLDERS = ("/usr", "/bin", "/lib", "/lib64", "/lib32", "/sbin", "/etc/alternatives")
SYSTEM_PATH = "/usr/local/bin:/usr/bin:/bin"
RECORD, FIELD = "\x1e", "\x1f"
"""Separate the records of a trace, and the fields of each: the folder, the script in which a command stands, and the command."""
TRACE, TRACE_FD = "trace", 198
"""The file in which bash writes what it carries out, and the descriptor by which it does."""
SHELLS = "shells.sh"
"""What each bash that the answer starts reads first."""
_FILLING = threading.Lock()
"""A folder that all answers share is filled by one thread, before any answer starts."""


class Job(msgspec.Struct, frozen=True, kw_only=True):
    """One answer to run."""

    root: Path
    """The repository's folder."""
    folder: str
    """Relative to it; from there the answer runs."""
    text: str
    kind: Kind
    prefix_code: str = ""
    describe: bool = False
    """Whether the parsers of Python programs are written down, and not what they make of words."""


class Execution(msgspec.Struct, frozen=True, kw_only=True):
    """What became of an answer."""

    code: str = ""
    """Why it failed; "" where nothing speaks against it."""
    message: str = ""
    reports: tuple[Report, ...] = ()
    trace: str = ""
    """The simple commands that bash carried out."""


class _Layout(msgspec.Struct, frozen=True, kw_only=True):
    """Where things are for the answer."""

    place: Path
    """A folder of its own, which it may write."""
    root: Path
    workdir: Path
    programs: Path
    """Those that stand before the real ones on the PATH."""


def run_answer(job: Job, libraries: Libraries) -> Execution:
    """Run one answer; whatever it does is in the result. BenchError where bubblewrap does not work."""
    workdir = job.root / (job.folder or ".")
    if not workdir.is_dir():
        return Execution(code="no-such-folder", message=f"{job.folder} is not in the repository")
    root = job.root.resolve()
    with _FILLING:
        programs = _programs(tuple(sorted(libraries.console.items())), root)
        _given_libraries()
    with lent("answer") as place:
        layout = _Layout(place=place, root=root, workdir=workdir.resolve(), programs=programs)
        _write_answer(job, layout)
        (place / "job.json").write_text(json.dumps(_instructions(job, layout, libraries)))
        status, stderr = _start(layout)
        done = _judge(status, stderr, layout, job.kind, read_reports(place))
        return msgspec.structs.replace(done, trace=read_left(place, TRACE))


def _instructions(job: Job, layout: _Layout, libraries: Libraries) -> dict[str, Any]:
    """What each program is sent."""
    return {
        "root": str(layout.root), "seconds": CPU_SECONDS, "describe": job.describe, "foreign": sorted(libraries.foreign),
        "launchers": [*script_launchers(), *launcher_modules()],
        "installed": [str(layout.root / p) for p in libraries.installed], "libraries": [str(_given_libraries())],
    }  # fmt: skip


def _write_answer(job: Job, layout: _Layout) -> None:
    """The script that bash runs: preparations, then the answer with its trace on."""
    place, start = layout.place, ""
    if job.kind == "python":
        (place / "answer.py").write_text(job.text)
        script = f'python "{place}/answer.py"'
    else:
        # scripts begin with `cd "$(dirname "$0")"`: whoever runs an answer has laid it into the row's folder, but we keep it apart
        own = shlex.quote(str(layout.workdir / ANSWER))
        start = f"BASH_ARGV0={own}; BENCH_SCRIPT={own}; "
        script = _OWN_SOURCE.sub(r"$\1BENCH_SCRIPT", _ACTIVATES.sub(":", job.text))
    (place / SHELLS).write_text(started_shells(place, layout.root))
    shells = shlex.quote(str(place / SHELLS))
    start += f"trap wait EXIT; export BASH_ENV={shells}; {_tracing(place)}"  # waits for what runs in the background
    (place / ANSWER).write_text(f"{exports(job.prefix_code)}\n{start}{script}\n")


def exports(prefix: str) -> str:
    """The assignments of a script as exports: what of a row's prefix code stays in force for the answer."""
    found = parse_command(prefix, prompts=False).assignments
    escaped = ((name, value.replace("\\", "\\\\").replace('"', '\\"')) for name, value in found)
    return "".join(f'export {name}="{value}"\n' for name, value in escaped)


def _tracing(place: Path) -> str:
    """What makes bash write down each simple command, variables filled in; it stays on the line."""
    prompt = f"$'\\x{ord(RECORD):02x}" + rf"\x{ord(FIELD):02x}".join(("${PWD}", "${BASH_SOURCE[0]-}", "")) + "'"
    return f"exec {TRACE_FD}>>{shlex.quote(str(place / TRACE))}; BASH_XTRACEFD={TRACE_FD}; PS4={prompt}; set -x; "


def started_shells(place: Path, root: Path) -> str:
    """The script that each bash reads before its own text (`BASH_ENV`): it traces that bash where what it runs is the answer's.

    A script of the repository is older than this one; it is not traced, nor is what it starts.
    """
    script = f'$({system("readlink")} -f -- "$0")'
    ours = f"{shlex.quote(str(root))}/* && ! $0 -nt {shlex.quote(str(place / SHELLS))}"
    return f"{{ set +x; }} 2>/dev/null\nif [[ -f $0 && {script} == {ours} ]]; then unset BASH_ENV; else {_tracing(place)}fi\n"


def system(name: str) -> str:
    """A program of the system itself, past what stands before it on the PATH."""
    return shutil.which(name, path=SYSTEM_PATH) or f"/bin/{name}"


def our_words() -> list[str]:
    """How a Python program of the answer is started and watched: what follows are the words behind `python`."""
    start = f"import sys; sys.path.insert(0, {str(INSIDE.parent)!r}); import inside; del sys.path[0]; sys.exit(inside.main(sys.argv[1:]))"
    own = Path(sys.base_prefix, "bin", f"python{sys.version_info.major}.{sys.version_info.minor}")
    bare = own if own.exists() else Path(sys.executable).resolve()
    return [str(bare), "-I", "-S", "-B", "-c", start]


def _for_this_process(name: str) -> Path:
    """A folder that is there as long as this process."""
    folder = temporary(name)
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


@functools.cache
def _programs(console: tuple[tuple[str, str], ...], root: Path) -> Path:
    """A folder of programs that stand before the real ones on the PATH; `console` are the repository's own, by name."""
    folder = _for_this_process("bin")
    python = f"exec {shlex.join(our_words())}"
    scripts = {name: f'{start} "$@"' for name, place in console if (start := _console_start(name, place, root, python))}
    scripts |= dict.fromkeys(PYTHONS, f'{python} "$@"')
    scripts |= {one.name: _runner(one) for one in launchers().values() if one.starts == "program" and _is_absent(one)}
    scripts |= {name: f'{python} {name} "$@"' for name in script_launchers()}
    scripts |= dict.fromkeys(DONE_ELSEWHERE, "exit 0")
    scripts |= {name: f'{system(name)} "$@" 2>/dev/null; exit 0' for name in WITHIN_WALLS}
    # scripts that shells start count as successful, so that what follows them is seen as well
    scripts["bash"] = f'{system("bash")} "$@"; exit 0'
    scripts["sh"] = scripts["bash"]
    for name, body in scripts.items():
        (folder / name).write_text(f"#!/bin/sh\n{body}\n")
        (folder / name).chmod(0o755)
    return folder


def _console_start(name: str, place: str, root: Path, python: str) -> str:
    """What starts a console script, in words of a shell; "" where it cannot be started.

    Args:
        name: what it is called.
        place: `module:function`, or the file that is installed as it is.
        root: the repository's folder, resolved.
        python: what starts a Python program.
    """
    script = (root / place).resolve()
    if not re.fullmatch(r"\w[\w.-]*", name):
        return ""
    if ":" in place:
        return f"{python} {shlex.join([CONSOLE, name, place])}"
    if not script.is_relative_to(root) or not script.is_file():
        return ""
    with script.open("rb") as file:
        is_python = place.endswith(".py") or b"python" in file.readline(200)
    return f"{python if is_python else 'exec bash'} {shlex.quote(str(script))}"


@functools.cache
def script_launchers() -> tuple[str, ...]:
    """Programs such as `torchrun` that start a Python script."""
    return tuple(one.name for one in launchers().values() if one.starts == "script")


def _is_absent(launcher: Launcher) -> bool:
    """Whether the sandbox has no such program that works there."""
    there = shutil.which(launcher.name, path=SYSTEM_PATH) or launcher.name in ("exec", "command")
    return bool(launcher.word) or launcher.name == "sudo" or not there


def _runner(launcher: Launcher) -> str:
    """A shell script for a launcher such as `uv run` or `sudo`: it starts what stands behind its own options, and does nothing else."""
    word = f'[ "$1" = {launcher.word} ] || exit 0; shift; ' if launcher.word else ""
    valued = f"{'|'.join(sorted(launcher.valued))}) shift 2;; " if launcher.valued else ""
    skip = f'while :; do case "$1" in {valued}--) shift; break;; -*) shift;; *) break;; esac; done'
    return f'{word}{skip}; [ $# = 0 ] || exec "$@"'


@functools.cache
def _given_libraries() -> Path:
    """A folder with the libraries of GIVEN that are installed here."""
    folder = _for_this_process("parsers")
    for base in (Path(base) for base in sys.path if base.endswith("site-packages")):
        for source in (base / name for name in GIVEN if (base / name).exists() and not (folder / name).exists()):
            shutil.copytree(source, folder / source.name) if source.is_dir() else shutil.copy(source, folder)
    return folder


def _start(layout: _Layout) -> tuple[int | None, str]:
    """The exit status of the answer's shell, None where its time was over, and what it said on stderr."""
    limits = f"ulimit -c 0; ulimit -f {FILE_BLOCKS}; ulimit -t {int(CPU_SECONDS * 3)}; ulimit -v 4000000"
    answer = f"exec {system('bash')} --noprofile --norc {shlex.quote(str(layout.place / ANSWER))}"
    command = [*_walls(layout), system("bash"), "--noprofile", "--norc", "-c", f"{limits}; {answer}"]
    environment = {
        "BENCH_OBSERVER": str(layout.place), "BENCH_ANSWER": str(layout.place / "answer.py"), "HOME": "/tmp",
        "PATH": f"{layout.programs}:{SYSTEM_PATH}", "LANG": "C.UTF-8", "PYTHONDONTWRITEBYTECODE": "1",
    }  # fmt: skip
    process = subprocess.Popen(
        command, cwd=layout.workdir, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
        start_new_session=True,
    )  # fmt: skip
    try:
        _, stderr = process.communicate(timeout=WALL_SECONDS)
        status: int | None = process.returncode
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, 9)
        _, stderr = process.communicate(timeout=WALL_SECONDS)
        status = None
    return status, stderr.decode(errors="replace")[-20000:]


def _walls(layout: _Layout) -> list[str]:
    """The words that shut the answer in: its repository and a system to read, one folder to write, no network."""
    program = find_bubblewrap()
    if program is None:
        raise BenchError("scoring needs bubblewrap, which does not work here: install it and allow user namespaces")
    words = [program, "--unshare-all", "--die-with-parent", "--new-session", "--cap-drop", "ALL"]
    words += ["--proc", "/proc", "--dev", "/dev", "--tmpfs", "/tmp", *system_folders(SYSTEM_FOLDERS)]
    for shown in {str(INSIDE), sys.base_prefix, str(layout.programs), str(_given_libraries())} - {"/usr"}:
        words += ["--ro-bind", shown, shown]
    words += _shown(layout.root, layout.workdir)
    return [*words, "--bind", str(layout.place), str(layout.place), "--chdir", str(layout.workdir)]


def _shown(root: Path, workdir: Path) -> list[str]:
    """The words that show a repository: its root and the folder of the answer may be added to, in memory; all else is to read."""
    opened = [one for one in (workdir, *workdir.parents) if one.is_relative_to(root)][::-1]
    listed = {folder: sorted(folder.iterdir()) for folder in opened}
    if sum(map(len, listed.values())) > MOST_ENTRIES:
        return ["--ro-bind", str(root), str(root)]
    words: list[str] = []
    for folder, entries in listed.items():
        words += ["--tmpfs", str(folder)]
        for entry in (one for one in entries if one not in opened):
            linked = entry.is_symlink()
            words += (
                ["--symlink", str(entry.readlink()), str(entry)] if linked else ["--ro-bind", str(entry), str(entry)]
            )
    return words


def _judge(status: int | None, stderr: str, layout: _Layout, kind: Kind, reports: Sequence[Report]) -> Execution:
    """All programs must have passed, at least one must have run, and the shell must have understood everything."""
    done = Execution(reports=tuple(reports))
    for report in reports:
        if report.outcome in ("failed", "rejected"):
            return msgspec.structs.replace(done, code=report.code, message=report.message)
    for words, code in (
        ("syntax error", "syntax"),
        ("unexpected EOF", "syntax"),
        ("command not found", "no-such-command"),
    ):
        line = next((x for x in stderr.splitlines() if words in x), "")
        if line:
            return msgspec.structs.replace(done, code=code, message=_tidy(line, layout))
    if any(report.outcome != "none" for report in reports):
        return done
    if kind == "python" and (status is None or status > 128):
        return msgspec.structs.replace(done, message=STILL_RUNNING)
    last = (
        _tidy(stderr.strip().splitlines()[-1], layout) if stderr.strip() else "no program of the repository is started"
    )
    return msgspec.structs.replace(done, code="nothing-runs", message=last)


def _tidy(line: str, layout: _Layout) -> str:
    return line.replace(f"{layout.place}/", "").replace(f"{layout.root}/", "")[:400]


def read_reports(place: Path) -> tuple[Report, ...]:
    """The reports in the order in which the programs ended; these can write there as well, so nothing is read through a link or waited for."""
    lines = read_left(place, REPORTS).split("\n")[: MOST_REPORTS + 1]
    return tuple(read_report(line.encode()) for line in lines if line.strip())


def read_report(line: bytes) -> Report:
    """The report that a line holds; what is none of ours is a failed program."""
    try:
        report = msgspec.json.decode(line, type=Report)
    except (msgspec.MsgspecError, ValueError, RecursionError) as error:
        return Report(outcome="failed", code=SPOILT, message=f"a report cannot be read: {error}")
    too_deep = Report(outcome="failed", code=SPOILT, message="a report is too deep")
    return too_deep if _is_deep(msgspec.to_builtins(report.recorded)) else report


def _is_deep(value: object) -> bool:
    level: list[object] = [value]
    for _ in range(DEEPEST):
        parts = (list(one.values()) if isinstance(one, dict) else one for one in level)
        level = [part for several in parts if isinstance(several, (list, tuple)) for part in several]
    return bool(level)


def read_left(place: Path, name: str) -> str:
    """The text of a file that the programs could write; "" where there is no regular file."""
    try:
        with held_folder(place) as folder:
            return folder.read(safe_relative(name), MOST_BYTES).decode(errors="replace")
    except (FileNotFoundError, SandboxLostError):
        return ""
