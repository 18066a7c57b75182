"""Runs one Python program of an answer inside the sandbox, without libraries, up to the end of its command line.

Nothing but the standard library (and, where the host gives them, absl and configargparse) is real; every other library is
unknown. The program is started by `main(words)`; the environment variable BENCH_OBSERVER names the folder with the job, in which
the report is left.
"""

import fcntl
import functools
import json
import os
import re
import signal
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from . import describe, finder, guards, parsers, record, scope, target, unknown, verdict
from .record import SEEN

PASSED = ("finished", "outside", "timeout", "none")
FUNCTIONS = "--functions"
"""No interpreter knows such a word."""
AGAIN = 0.2
"""Seconds after which a program is told once more that its time is over: it may have swallowed the first error."""
READS = re.compile(rb"(?:environ|getenv)\b(?:\.(?:get|setdefault|pop))?\s*[\[(]\s*['\"](\w+)")


def main(words: Sequence[str]) -> int:
    """Run `words` (an interpreter's command line without the interpreter); returns the exit status."""
    place = os.environ["BENCH_OBSERVER"]
    report = run(json.loads(Path(place, "job.json").read_bytes()), words)
    leave(report, f"{place}/reports.jsonl")
    return 0 if report["outcome"] in PASSED else 1


def leave(report: dict[str, Any], path: str) -> None:
    """Add a report to the file of all, whole; `open` is replaced by now."""
    file = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
    fcntl.flock(file, fcntl.LOCK_EX)
    text = json.dumps(report).encode() + b"\n"
    while text:
        text = text[os.write(file, text) :]
    os.close(file)


def run(job: dict[str, Any], words: Sequence[str]) -> dict[str, Any]:
    """Execute, judge and say what was seen.

    Args:
        job: `describe` says that the parsers are to be described; see `describe`.
        words: an interpreter's command line without the interpreter; where they begin with FUNCTIONS, the functions of a file are called instead.
    """
    functions = list(words[:1]) == [FUNCTIONS]
    try:
        program = target.read(words[functions:], job["launchers"])
    except target.NoSuchScript as error:
        return verdict.Judgement("failed", "no-such-file", str(error))._asdict()
    if program is None:
        return verdict.Judgement("none")._asdict()
    given, parents = dict(os.environ), record.parents()
    here = SEEN.scope = scope.Scope(job["root"], program.path if program.own else "")

    def harmless(error: BaseException) -> bool:
        return isinstance(error, Exception) and verdict.judge(error, here).outcome == "outside"

    prepare(job, program, here, harmless)
    if job["describe"]:
        describe.install(functions=functions)
    execute = functools.partial(target.execute, program, harmless)
    action = functools.partial(describe.call_makers, program.path) if functions else execute
    judgement, place = attempt(action, here, job["seconds"])
    if job["describe"]:
        found = describe.parsers(functions=functions)
        return {**judgement._asdict(), "place": place, "described": found, "asked": bool(SEEN.described)}
    if SEEN.rejection and judgement.outcome == "finished":
        judgement = verdict.judge(SEEN.rejection, here)
    if judgement.outcome in ("finished", "outside") and not SEEN.reached and "--help" in program.words:
        judgement = verdict.Judgement("rejected", "only-shows", "the program shows its help, and ends")
    seen = {"own": program.own, "parents": parents, "calls": SEEN.calls, "program": _program(program, here, given)}
    return {**judgement._asdict(), "place": place, "recorded": seen}


def _program(program: target.Target, here: scope.Scope, given: Mapping[str, str]) -> dict[str, Any]:
    """What was seen of a program; `given` is the environment that it began with."""
    path, parsed = "" if program.own else target.origin(program), SEEN.parsed
    read = any(parsed[name] for name in ("values", "given", "rest"))  # a parser that is not installed says nothing
    return {
        "file": here.name(path) if path and here.has(path) else "",
        "name": program.module,
        "words": program.words,
        "folder": os.path.relpath(Path.cwd(), here.root),
        "environment": _variables_read(given, path, here),
        "parsed": bool(read or (SEEN.parses and not program.words)),
        **parsed,
    }


def _variables_read(given: Mapping[str, str], path: str, here: scope.Scope) -> dict[str, str]:
    """The variables that are set for a program and that it or a module of the repository that it loaded reads, or that choose devices."""
    loaded = {path, *(str(getattr(m, "__file__", None) or "") for m in list(sys.modules.values()))}
    texts = [scope.source(one) for one in loaded if one.endswith(".py") and here.has(one)]
    reads = {name.decode(errors="replace") for text in texts for name in READS.findall(text)}
    return {n: v for n, v in given.items() if n in reads or n.endswith("VISIBLE_DEVICES")}


def prepare(
    job: dict[str, Any], program: target.Target, here: scope.Scope, harmless: Callable[[BaseException], bool]
) -> None:
    """Put everything in place: what is watched, what is made up, what is not carried out."""
    unknown.Hooks.harmless = staticmethod(harmless)
    bare = list(sys.path)
    sys.path += job["libraries"]
    if flags := parsers.absl_flags():  # before the program's folder is on the path, which may have modules of any name
        (describe if job["describe"] else parsers).watch_absl(flags)
    if not job["describe"]:
        parsers.install()
    _lay_out(job, program, bare)
    made = {name: functools.partial(parsers.tensorflow, name) for name in ("tensorflow", "tensorflow.compat.v1")}
    sys.meta_path.insert(0, finder.FirstFinder(made, here, harmless))
    sys.meta_path.append(finder.LastFinder(frozenset(job["foreign"])))
    guards.complete()
    guards.install(here.answer)
    # a repository may have modules of the same names as ours
    for name in [n for n in sys.modules if n.partition(".")[0] == __name__.partition(".")[0]]:
        sys.modules["_bench." + name] = sys.modules.pop(name)


def _lay_out(job: dict[str, Any], program: target.Target, bare: Sequence[str]) -> None:
    """sys.path and sys.argv as the interpreter would have them with the repository installed."""
    sys.argv = [program.path, *program.words]
    installed = [p for p in job["installed"] if Path(p).is_dir()]
    extra = [p for p in os.environ.get("PYTHONPATH", "").split(os.pathsep) if p]
    sys.path[:] = [program.first, *extra, *bare, *installed, *job["libraries"]]
    sys.dont_write_bytecode = True


def attempt(action: Callable[[], None], here: scope.Scope, seconds: float) -> tuple[verdict.Judgement, str]:
    """Run the action for so many seconds of processor time; returns the judgement and the place of the error."""

    def over(_signum: int, _frame: Any) -> None:
        raise verdict.TimeUp

    signal.signal(signal.SIGVTALRM, over)
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds, AGAIN)
    try:
        action()
    except BaseException as error:  # noqa: BLE001 - the program is foreign: whatever it raises is the result
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        frames = here.frames(error)
        place = f"{here.name(frames[-1][0].f_code.co_filename)}:{frames[-1][1]}" if frames else ""
        return verdict.judge(error, here), place
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
    return verdict.Judgement("finished"), ""
