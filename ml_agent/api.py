"""The functions that `ml_agent` exports."""

import asyncio
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from ml_agent.api_types import Checked, Event, Result, result_of
from ml_agent.background import EventStream, Run
from ml_agent.errors import UsageError, as_agent_errors
from ml_agent.request import check_instruction, check_text
from ml_agent.settings import Settings, load_settings
from ml_agent.tools.candidates import Candidate
from ml_agent.tools.signatures.model import Signature

STOP_SECONDS = 10.0
"""How long a cancelled caller waits for the program to end and its sandbox to be removed."""


def solve(
    instruction: str,
    *,
    repo: str | Path = "",
    arguments: Mapping[str, str | float] | None = None,
    on_event: Callable[[Event], None] | None = None,
    **options: Any,
) -> Result:
    """Find the repository, write the command or code, check it, run it, repair it.

    Args:
        instruction: the task in one sentence, with every value that matters.
        repo: OWNER/NAME, URL or folder; if empty, a repository is searched for.
        arguments: values (strings or numbers) by the name of the option that should get them.
        on_event: called with each event, in the caller's thread.
        options: `commit`, `path`, `catalog`, `expect`, `keep_outputs` and `out` as on the command line; `show_inputs=False` hides files
            that the instruction names by absolute path from the program. All others are settings (`model`, `sandbox`, `run`, `max_cost`, …).

    Raises:
        AgentError: a wrong argument or setting, a failing provider, or a reached limit. The message is one line.
    """
    return _solve(EventStream(on_event or _ignore), instruction, repo, arguments, options)


def start(
    instruction: str, *, repo: str | Path = "", arguments: Mapping[str, str | float] | None = None, **options: Any
) -> Run:
    """Start `solve` in a thread. Iterate over the returned run for its events; call its `result()` or `cancel()`."""
    return Run(lambda stream: _solve(stream, instruction, repo, arguments, options))


async def asolve(
    instruction: str, *, repo: str | Path = "", arguments: Mapping[str, str | float] | None = None, **options: Any
) -> Result:
    """Like `solve`, for asyncio: the event loop is not blocked, and cancelling the task cancels the run."""
    run = start(instruction, repo=repo, arguments=arguments, **options)
    try:
        async for _ in run:
            pass
    except asyncio.CancelledError:
        run.cancel()
        await asyncio.to_thread(run.wait, STOP_SECONDS)
        raise
    return run.result()


@as_agent_errors()
def continue_run(
    run: str | Path,
    words: str,
    *,
    out: str | Path | None = None,
    on_event: Callable[[Event], None] | None = None,
    **limits: Any,
) -> Result:
    """Continue a finished run with a correction or a next step, in the same conversation and environment.

    Args:
        run: its folder, its id, or the beginning of its id.
        words: the correction, such as "no, with 5 epochs, and save the curve".
        out: folder of the new run; by default one is created.
        on_event: called with each event, in the caller's thread.
        limits: settings that replace those of the finished run.

    Raises:
        AgentError: there is no such run, or it has no answer.
    """
    return _continue(EventStream(on_event or _ignore), run, words, Path(out) if out else None, limits)


def start_continued(run: str | Path, words: str, **limits: Any) -> Run:
    """Start `continue_run` in a thread; see `start`."""
    return Run(lambda stream: _continue(stream, run, words, None, limits))


@as_agent_errors()
def _continue(stream: EventStream, run: str | Path, words: str, out: Path | None, limits: dict[str, Any]) -> Result:
    from ml_agent.run_job import Correction, continue_job
    from ml_agent.runs import known_run

    return result_of(continue_job(known_run(load_settings(), str(run)), Correction(words, out), limits, stream))


@as_agent_errors()
def check(command: str, repo: str | Path, *, path: str | Path = "", python: bool = False) -> Checked:
    """Check a command (or Python code) against a repository without running it.

    Args:
        command: a bash command, or code with `python=True`.
        repo: folder, OWNER/NAME or URL.
        path: folder inside the repository in which the command will run.

    Raises:
        AgentError: the repository cannot be found or read.
    """
    from ml_agent.tools.check.command import check_command
    from ml_agent.tools.check.python import check_python
    from ml_agent.workspaces import normal_folder, open_index

    check_text(command, "the command")
    index = open_index(str(repo), first=str(path or ""))
    find_problems = check_python if python else check_command
    return Checked(findings=tuple(find_problems(command, index, normal_folder(index.root, str(path or "")))))


@as_agent_errors()
def explain(repo: str | Path, script: str = "") -> tuple[Signature, ...]:
    """Return the options of a repository's entry points, read without running anything.

    Args:
        repo: folder, OWNER/NAME or URL.
        script: return only the signatures of this script, a path relative to the repository.

    Raises:
        AgentError: the repository cannot be found or read, or has no such script.
    """
    from ml_agent.workspaces import open_index

    signatures = open_index(str(repo), first=script).signatures
    if script and script not in signatures:
        raise UsageError(f"{repo} has no entry point {script}; explain({str(repo)!r}) lists them")
    return tuple(one for path, found in signatures.items() if script in ("", path) for one in found)


@as_agent_errors()
def find(instruction: str, *, catalog: str = "", **settings: Any) -> tuple[Candidate, ...]:
    """Search for repositories that may do a task, best first.

    Args:
        instruction: the task in one sentence.
        catalog: JSON Lines catalogue to search instead of GitHub; `sample` is included.
        settings: settings by name, such as `github_token`.

    Raises:
        AgentError: GitHub or the catalogue cannot be read.
    """
    from ml_agent.finder import CANDIDATES, collect, source_for
    from ml_agent.understanding import rank

    check_instruction(instruction)
    return tuple(rank(instruction, collect(instruction, source_for(load_settings(**settings), catalog)))[:CANDIDATES])


@as_agent_errors()
def _solve(
    stream: EventStream,
    instruction: str,
    repo: str | Path,
    arguments: Mapping[str, str | float] | None,
    options: dict[str, Any],
) -> Result:
    from ml_agent.delivery.expected import check_stated
    from ml_agent.request import Job
    from ml_agent.run_job import begin_job

    check_instruction(instruction)
    values = _read_values(arguments)
    place: dict[str, Any] = {
        name: str(options.pop(name, None) or "")
        for name in ("commit", "path", "catalog", "record", "replay", "keep_outputs")
    }
    out, force = options.pop("out", None), bool(options.pop("force", False))
    shows = bool(options.pop("show_inputs", True))
    expect = _read_expected(options.pop("expect", None) or ())
    check_stated(expect)
    settings = _settings(options)
    job = Job(
        instruction=instruction,
        repository=str(repo or ""),
        commit=place.pop("commit") or None,
        arguments=values,
        expect=expect,
        force=force,
        show_inputs=shows,
        **place,
    )
    return result_of(begin_job(job, settings, Path(out) if out else None, stream))


def _read_values(arguments: Mapping[str, str | float] | None) -> tuple[tuple[str, str], ...]:
    """Return the values as text, by name. Raises UsageError for anything but strings and numbers."""
    if not isinstance(arguments or {}, Mapping):
        raise UsageError(f"arguments must be a mapping of names to values, not {type(arguments).__name__}")
    for name, value in (arguments or {}).items():
        if not isinstance(name, str) or not isinstance(value, str | int | float):
            raise UsageError(f"the value of the argument {name!a} must be a text or a number, not {value!a}")
        check_text(f"{name}={value}", f"the argument {name!a}")
    return tuple((name, str(value)) for name, value in (arguments or {}).items())


def _read_expected(named: object) -> tuple[str, ...]:
    """Return the expected results. Raises UsageError for anything but a string or several."""
    if isinstance(named, str):
        return (named,)
    if not isinstance(named, Iterable):
        raise UsageError(f"expect must be a string or a list of strings, not {type(named).__name__}")
    texts = tuple(named)
    for text in texts:
        check_text(text, "what is expected")
    return texts


def _settings(options: dict[str, Any]) -> Settings:
    unknown = sorted(set(options) - set(Settings.model_fields))
    if unknown:
        raise UsageError(f"there is no setting {unknown[0]!r}: ml_agent.settings.Settings lists all of them")
    return load_settings(**options)


def _ignore(_event: Event) -> None:
    """Drop events when the caller wants none."""
