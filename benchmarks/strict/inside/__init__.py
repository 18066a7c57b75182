"""Runs one Python program of an answer inside the sandbox: its imports, its command line, and what follows, without libraries.

Nothing but the standard library (and, where the host gives them, absl, click, docopt and fire) is real; every other library is
unknown. The program is started by `main(words)`; the environment variable STRICT_SCORER names the scorer's socket. The report is one JSON
object: `{"outcome", "code", "message", "place", "parsed", "target", "compiled"}`.
"""

import os
import signal
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from time import process_time
from typing import Any

from . import (
    bases,
    calls,
    execute,
    finder,
    flags,
    guards,
    others,
    parsers,
    scope,
    seen,
    syntax,
    target,
    unknown,
    variables,
    verdict,
)
from .scorer import Scorer

PASSED = ("finished", "outside", "timeout", "none")
LIBRARIES = ("absl", "tensorflow", "click", "docopt", "fire", "termcolor")
READS = ("argv", "argparse", "flags", "click", "fire", "docopt", "hydra", "Parser", "typer", "cli", "getopt")


def main(words: Sequence[str]) -> int:
    """Run `words` (an interpreter's command line without the interpreter); returns the exit status."""
    scorer = Scorer(os.environ["STRICT_SCORER"])
    report = run(scorer.job(), words)
    scorer.tell(report)
    return 0 if report["outcome"] in PASSED else 1


def run(job: dict[str, Any], words: Sequence[str]) -> dict[str, Any]:
    """Execute and judge."""
    try:
        program = target.read(words)
    except target.NoSuchScript as error:
        return _picture(verdict.Judgement("failed", "no-such-file", str(error)), "")
    if program is None:
        return _picture(verdict.Judgement("none"), " ".join(words))
    given = dict(os.environ)
    streams = seen.streams()
    parents = seen.parents() if job.get("record") else []
    log = parsers.Log()
    here = scope.Scope(job["root"], program.path if program.own else "", program.words)
    prepare(job, program, log, here)
    seen.SEEN.on, seen.SEEN.scope = bool(job.get("record")), here
    judgement, place = attempt(lambda: execute.execute(program, bases.Setting.harmless), here, job["seconds"])
    if here.answer and not seen.SEEN.on and judgement.outcome in ("finished", "outside"):
        more, where = attempt(lambda: execute.remaining(here.answer), here, job["seconds"])
        if more.outcome == "failed":
            judgement, place = more, where
    if log.rejection and judgement.outcome == "finished":
        judgement = verdict.judge(log.rejection, here)
    if judgement.outcome in ("finished", "outside") and not log.reached and "--help" in program.words:
        judgement = verdict.Judgement("rejected", parsers.ONLY_SHOWS, f"the program shows {parsers.HELP}")
    if not seen.SEEN.on and judgement.outcome in ("finished", "outside") and ignored(program, log, here):
        judgement = verdict.Judgement("failed", "options-ignored", "the program reads no command line")
    report = {**_picture(judgement, program.label), "place": place, "parsed": log.reached, "compiled": calls.MADE}
    if not seen.SEEN.on:
        return report
    return {**report, "recorded": {"parents": parents, "streams": streams, **_record_of(program, here, given)}}


def _record_of(program: target.Target, here: scope.Scope, given: Mapping[str, str]) -> dict[str, Any]:
    """What was seen of a program; `given` is the environment that it began with."""
    entry = {"module": program.module, "file": _file(program, here), "own": program.own, "words": program.words}
    entry["folder"] = os.path.relpath(Path.cwd(), here.root)
    return {
        "entry": entry,
        "options": seen.SEEN.options,
        "calls": seen.SEEN.calls,
        "destroyed": seen.SEEN.destroyed,
        "settings": {} if seen.SEEN.options or program.own else seen.settings(),
        "environment": variables.read_variables(os.environ if program.own else given, sources(program, here)),
    }


def _file(program: target.Target, here: scope.Scope) -> str:
    """The file of a program relative to the repository; "" where it is none of it."""
    path = program.path
    if program.module:
        try:
            path = execute.origin(program.module, program.function)
        except (ImportError, ValueError, AttributeError):
            path = ""
    return here.name(path) if path and not program.own and here.has(path) else ""


def _picture(judgement: verdict.Judgement, label: str) -> dict[str, Any]:
    return {**judgement._asdict(), "place": "", "parsed": False, "target": label}


def prepare(job: dict[str, Any], program: target.Target, log: parsers.Log, here: scope.Scope) -> None:
    """Put everything in place: what is watched, what is made up, what is forbidden."""

    def harmless(error: BaseException) -> bool:
        return isinstance(error, Exception) and verdict.judge(error, here).outcome == "outside"

    unknown.Hooks.safe = staticmethod(syntax.safe)
    bases.Setting.harmless = staticmethod(harmless)
    bases.Setting.answer = here.answer
    calls.Cache.folder = job["cache"]
    parsers.install(log)
    lay_out(job, program)
    made = {name: flags.tensorflow(log, name) for name in ("tensorflow", "tensorflow.compat.v1")}
    sys.meta_path.insert(0, finder.FirstFinder(made, here, harmless, bool(here.answer)))
    sys.meta_path.append(finder.LastFinder(frozenset(job["foreign"])))
    others.watch(log, here)
    flags.watch_absl(log)
    guards.complete()
    guards.install(here.answer)
    hide()


def lay_out(job: dict[str, Any], program: target.Target) -> None:
    """sys.path and sys.argv as the interpreter would have them with the repository installed."""
    for name in [n for n in sys.modules if n.partition(".")[0] in LIBRARIES]:
        del sys.modules[name]
    sys.argv = [program.path, *program.words]
    installed = [p for p in job["installed"] if Path(p).is_dir()]
    extra = [p for p in os.environ.get("PYTHONPATH", "").split(os.pathsep) if p]
    sys.path[:] = [program.first, *extra, *sys.path, *installed, *job["libraries"]]
    sys.dont_write_bytecode = True


def hide() -> None:
    """Take our own modules out of sight: a repository may have modules of the same names."""
    for name in [n for n in sys.modules if n.partition(".")[0] == __name__.partition(".")[0]]:
        sys.modules["_strict." + name] = sys.modules.pop(name)


def attempt(action: Callable[[], None], here: scope.Scope, seconds: float) -> tuple[verdict.Judgement, str]:
    """Run the action for so many seconds of processor time; returns the judgement and the place of the error."""

    def over(_signum: int, _frame: Any) -> None:
        raise verdict.TimeUp

    signal.signal(signal.SIGVTALRM, over)
    seen.Brief.deadline, seen.Brief.granted = process_time() + seconds, 0
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds, seen.AGAIN)
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


def ignored(program: target.Target, log: parsers.Log, here: scope.Scope) -> bool:
    """Whether options are given to a program in which nothing reads a command line: they do nothing."""
    if log.reached or not any(w.startswith("--") for w in program.words):
        return False
    return not any(word.encode() in text for text in sources(program, here) for word in READS)


def sources(program: target.Target, here: scope.Scope) -> Iterator[bytes]:
    """The program's file and the modules of the repository that it loaded."""
    loaded = {str(getattr(m, "__file__", None) or "") for m in list(sys.modules.values())}
    loaded.add(str(Path(here.root, _file(program, here))))  # runpy takes the module that it ran out of sight
    yield from (syntax.source(path) for path in loaded if path.endswith(".py") and here.has(path))
