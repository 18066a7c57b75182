"""Runs an answer in its repository, apart from everything, with libraries unknown."""

import functools
import os
import re
import shlex
import stat
import subprocess
import sys
from pathlib import Path
from typing import Any

import msgspec

from ml_agent.benchmarks.strict import code_cache
from ml_agent.benchmarks.strict.bash_text import assignments
from ml_agent.benchmarks.strict.collector import NAME, Collector
from ml_agent.benchmarks.strict.given import parsers
from ml_agent.benchmarks.strict.installed import Installed, installed_programs
from ml_agent.benchmarks.strict.libraries import Libraries
from ml_agent.benchmarks.strict.prepared import ACTIVATES, at_home, cloning
from ml_agent.benchmarks.strict.reports import FILE_BLOCKS, Program, read_programs, read_trace
from ml_agent.benchmarks.strict.text import Kind
from ml_agent.benchmarks.strict.tracing import SHELLS, SYSTEM_PATH, TRACE, started_shells, system, traced_on, tracing
from ml_agent.benchmarks.strict.walls import bubblewrap
from ml_agent.benchmarks.strict.writable import (
    MAKES,
    executable_copies,
    executables,
    missing_folders,
    missing_inputs,
    mounts,
    written_folders,
)
from ml_agent.sandbox.temporary import for_this_process, lent
from ml_agent.tools.launchers import Launcher, launchers

HERE = Path(__file__).parent
CPU_SECONDS = 3.0
ANSWER = "answer.sh"
STILL_RUNNING = "still running"
"""What is said of an answer that was cut at its limit."""
BACKGROUND_SECONDS = 30
"""What programs in the background may take once the answer's shell has ended."""
ALIVE_FD = 197
"""A pipe that every process of an answer holds: it ends with the last of them."""
WALL_SECONDS = 240.0
"""Only for programs that wait for something: what counts is processor time, so that a busy machine judges the same."""
PYTHONS = (
    "python",
    "python3",
    "python2",
    "python2.7",
    "python3.6",
    "python3.7",
    "python3.8",
    "python3.9",
    "python3.10",
    "python3.11",
)
LAUNCHERS = ("torchrun", "accelerate", "deepspeed", "horovodrun", "mpirun", "mpiexec", "srun")
TRANSPARENT = ("nohup", "time", "sudo", "stdbuf")
DONE_ELSEWHERE = [
    "pip",
    "pip3",
    "conda",
    "mamba",
    "apt",
    "apt-get",
    "yum",
    "wget",
    "curl",
    "git",
    "unzip",
    "tar",
    "gunzip",
    "gzip",
    "nvidia-smi",
    "rm",
    "mv",
    "cp",
    "ln",
    "touch",
    "chmod",
    "sleep",
    "aws",
    "gsutil",
    "gdown",
    "kaggle",
    "huggingface-cli",
    "brew",
    "make",
    "cmake",
    "gcc",
    "source-highlight",
    "tensorboard",
    "jupyter",
    "virtualenv",
]
_REFUSED = re.compile(r": ([^:\n]+): Read-only file system$", re.M)
WALLED = "STRICT_WALLED"
"""The variable that says to the programs on the PATH that nothing of this machine can be written."""


class Execution(msgspec.Struct, frozen=True, kw_only=True):
    """What became of the whole answer."""

    ok: bool
    code: str = ""
    message: str = ""
    place: str = ""
    programs: tuple[Program, ...] = ()
    trace: str = ""
    """The simple commands that bash carried out, where they were recorded."""
    refused_writes: tuple[str, ...] = ()
    """Files that a shell was not let write, as it names them."""


class Job(msgspec.Struct, frozen=True, kw_only=True):
    """One answer to run."""

    root: Path
    """The repository's folder."""
    path: str
    """Folder relative to it from which the answer runs."""
    text: str
    kind: Kind
    prefix_code: str = ""
    record: bool = False
    """Record what programs were asked for, and end each as soon as its parser has read its words."""


def run(job: Job, libraries: Libraries) -> Execution:
    """Run one answer; whatever it does is in the result."""
    workdir = job.root / (job.path or ".")
    if not workdir.is_dir():
        return Execution(ok=False, code="no-such-folder", message=f"{job.path} is not in the repository")
    with lent("answer") as place:
        layout = Layout(
            place=place,
            root=job.root.resolve(),
            workdir=workdir.resolve(),
            bin=shims(installed_programs(libraries.console, job.root.resolve()), job.record),
            parsers=parsers(),
            text=job.text if job.kind == "bash" else "",
        )
        _write_answer(job, layout)
        reports = Collector(place, _instructions(job, layout, libraries), judge_words())
        with reports.listening():
            done = _start(layout)
        execution = msgspec.structs.replace(
            _judge(done, layout, job.kind, read_programs(reports.lines)),
            trace=read_trace(place, TRACE),
            refused_writes=tuple(dict.fromkeys(_REFUSED.findall(done.stderr))),
        )
    code_cache.keep((path for program in execution.programs for path in program.compiled), layout.root)
    return execution


class Layout(msgspec.Struct, frozen=True, kw_only=True):
    """Where things are for the program that runs."""

    place: Path
    root: Path
    workdir: Path
    bin: Path
    parsers: Path
    """The same folder in the job and in the sandbox: two threads that ask first each make one."""
    text: str = ""
    """What the shell carries out, where that is the answer."""


class ShellResult(msgspec.Struct, frozen=True, kw_only=True):
    """How the shell ended."""

    status: int | None
    stderr: str


def _instructions(job: Job, layout: Layout, libraries: Libraries) -> dict[str, Any]:
    """What each program's judge is sent."""
    announced = libraries.announced(job.prefix_code + "\n" + (job.text if job.kind == "bash" else ""))
    return {
        "root": str(layout.root), "seconds": CPU_SECONDS, "cache": str(code_cache.folder()),
        "installed": [str(layout.root / p) for p in libraries.installed], "libraries": [str(layout.parsers)],
        "foreign": sorted(libraries.foreign | announced), "record": job.record,
    }  # fmt: skip


def _write_answer(job: Job, layout: Layout) -> None:
    place = layout.place
    if job.kind == "python":
        (place / "answer.py").write_text(job.text)
        before, script = "", f'python "{place}/answer.py"'
    else:
        home, script = at_home(ACTIVATES.sub(":", job.text), layout.workdir)
        before = cloning(job.text, layout.root, place) + home + _user_files(layout, record=job.record)
        if job.record:
            before, script = before + tracing(place), traced_on(script)
            (place / SHELLS).write_text(started_shells(place, layout.root))
    (place / ANSWER).write_text(f"{assignments(job.prefix_code)}\n{before}{script}\n")


def _user_files(layout: Layout, *, record: bool) -> str:
    """What makes files that the answer reads from standard input, and that are its user's, stand there empty, in words of a shell.

    Where calls are recorded, the folders of the files that it writes are there as well.
    """
    files = missing_inputs(layout.text, layout.workdir)
    folders = {one.parent for one in files} | set(missing_folders(layout.text, layout.workdir) if record else ())
    made = [f"{system(MAKES)} -p {shlex.quote(str(one))}; " for one in sorted(folders)]
    made += [f": > {shlex.quote(str(one))}; " for one in files]
    return f'[ -z "${WALLED}" ] || {{ {"".join(made)}}} 2>/dev/null; ' if made else ""


@functools.cache
def shims(console: tuple[Installed, ...], record: bool = False) -> Path:
    """A folder of programs that stand before the real ones on the PATH.

    Args:
        console: each console script of the repository, and what it starts, in words of a shell.
        record: scripts that shells start count as successful, so that what follows them is seen as well.
    """
    folder = for_this_process("bin")
    python = f"exec {shlex.join(judge_words())}"
    scripts = {name: f'{python if judged else "exec"} {started} "$@"' for name, started, judged in console}
    scripts |= dict.fromkeys(PYTHONS, f'{python} "$@"')
    scripts |= {name: f'{python} {name} "$@"' for name in LAUNCHERS}
    scripts |= dict.fromkeys(TRANSPARENT, 'while [ "${1#-}" != "$1" ]; do shift; done; exec "$@"')
    scripts |= dict.fromkeys(DONE_ELSEWHERE, "exit 0")
    scripts[MAKES] = _within_walls(MAKES)
    scripts |= {one.name: _runner(one) for one in launchers().values() if one.word and one.starts == "program"}
    scripts["chmod"] = _within_walls("chmod")
    if record:
        scripts["bash"] = f'{system("bash")} "$@"; exit 0'
        scripts["sh"] = f'STRICT_SH=1 {system("bash")} "$@"; exit 0'
    for name, body in scripts.items():
        file = folder / name
        reader = f"{system('bash')} -p" if name in ("bash", "sh") else "/bin/sh"  # only bash hands functions on
        file.write_text(f"#!{reader}\n{body}\n")
        file.chmod(file.stat().st_mode | stat.S_IXUSR | stat.S_IXGRP | stat.S_IXOTH)
    return folder


def _within_walls(name: str) -> str:
    """A shell script for a program that does its work only where nothing of this machine can be changed, and always says that it did."""
    return f'[ -z "${WALLED}" ] || {system(name)} "$@" 2>/dev/null; exit 0'


def judge_words() -> list[str]:
    """How a program is started that runs a script of the answer and judges it: what follows are the script's words."""
    start = f"import sys; sys.path.insert(0, {str(HERE)!r}); import inside; del sys.path[0]; sys.exit(inside.main(sys.argv[1:]))"
    return [bare_python(), "-I", "-S", "-B", "-c", start]


def _runner(launcher: Launcher) -> str:
    """A shell script for a launcher such as `uv run`: it starts what stands behind its own options, and does nothing else."""
    valued = f"{'|'.join(sorted(launcher.valued))}) shift 2;; " if launcher.valued else ""
    skip = f'while :; do case "$1" in {valued}--) shift; break;; -*) shift;; *) break;; esac; done'
    return f'[ "$1" = {launcher.word} ] || exit 0; shift; {skip}; [ $# = 0 ] || exec "$@"'


def bare_python() -> str:
    """The interpreter under ours, without any virtual environment."""
    own = Path(sys.base_prefix, "bin", f"python{sys.version_info.major}.{sys.version_info.minor}")
    return str(own if own.exists() else Path(sys.executable).resolve())


def _shell(layout: Layout) -> str:
    """Runs the answer within limits, and waits for what it left in the background."""
    limits = f"ulimit -c 0; ulimit -f {FILE_BLOCKS}; ulimit -t {int(CPU_SECONDS * 3)}; ulimit -v 4000000"
    answer = f"{system('bash')} --noprofile --norc {shlex.quote(str(layout.place))}/{ANSWER}"
    held = f"exec 9< <(exec {answer} {ALIVE_FD}>&1 >/dev/null); wait $!; status=$?"
    return f"{limits}; {held}; read -r -t {BACKGROUND_SECONDS} -u 9; exit $status"


def _start(layout: Layout) -> ShellResult:
    walls = _walls(layout)
    command = [*walls, system("bash"), "--noprofile", "--norc", "-c", _shell(layout)]
    environment = {"STRICT_SCORER": str(layout.place / NAME), "PATH": f"{layout.bin}:{SYSTEM_PATH}", "LANG": "C.UTF-8", "HOME": "/tmp", "PYTHONDONTWRITEBYTECODE": "1",
                   "STRICT_ANSWER": str(layout.place / "answer.py"), **({WALLED: "1"} if walls else {})}  # fmt: skip
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
    return ShellResult(status=status, stderr=stderr.decode(errors="replace")[-20000:])


def _walls(layout: Layout) -> list[str]:
    """The words that shut the program in: its repository and a system to read, one folder to write, no network."""
    path = bubblewrap()
    if path is None:
        return []
    words = [
        path,
        "--unshare-all",
        "--die-with-parent",
        "--new-session",
        "--cap-drop",
        "ALL",
        "--proc",
        "/proc",
        "--dev",
        "/dev",
        "--tmpfs",
        "/tmp",
    ]
    for name in ("/usr", "/bin", "/lib", "/lib64", "/lib32", "/sbin", "/etc/alternatives"):
        if Path(name).is_symlink():
            words += ["--symlink", str(Path(name).readlink()), name]
        elif Path(name).exists():
            words += ["--ro-bind", name, name]
    for shown in {
        str(HERE / "inside"),
        sys.base_prefix,
        str(code_cache.folder()),
        str(layout.bin),
        str(layout.parsers),
    } - {"/usr"}:
        words += ["--ro-bind", shown, shown]
    words += mounts(layout.root, written_folders(layout.text, layout.workdir, layout.root))
    words += executable_copies(executables(layout.text, layout.workdir, layout.root), layout.place)
    return [*words, "--bind", str(layout.place), str(layout.place), "--chdir", str(layout.workdir)]


def _judge(done: ShellResult, layout: Layout, kind: Kind, programs: tuple[Program, ...]) -> Execution:
    """All programs must have passed, at least one must have run, and the shell must have understood everything."""
    for program in programs:
        if program.outcome in ("failed", "rejected"):
            return Execution(
                ok=False, code=program.code, message=program.message, place=program.place, programs=programs
            )
    for words, code in (
        ("syntax error", "syntax"),
        ("unexpected EOF", "syntax"),
        ("command not found", "no-such-command"),
    ):
        line = next((x for x in done.stderr.splitlines() if words in x), "")
        if line:
            return Execution(ok=False, code=code, message=_tidy(line, layout), programs=programs)
    if all(p.outcome == "none" for p in programs):
        died = done.status is None or done.status > 128
        lost = _tidy(done.stderr.strip().splitlines()[-1] if done.stderr.strip() else "", layout)
        if kind == "python" and died:
            return Execution(ok=True, message=STILL_RUNNING, programs=programs)
        return Execution(
            ok=False, code="nothing-runs", message=lost or "no program of the repository is started", programs=programs
        )
    return Execution(ok=True, programs=programs)


def _tidy(line: str, layout: Layout) -> str:
    return line.replace(f"{layout.place}/", "").replace(f"{layout.root}/", "")[:400]
