"""`ml-agent solve` and `ml-agent resume`."""

import json
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from ml_agent.cli import options as o
from ml_agent.cli.tables import grouped
from ml_agent.delivery.expected import check_stated
from ml_agent.endings import NOT_IN_IT, Ending
from ml_agent.errors import UsageError
from ml_agent.request import LONGEST, Job, check_instruction
from ml_agent.run_job import Correction, begin_job, continue_job, resume_job
from ml_agent.runs import known_run
from ml_agent.services import Observer
from ml_agent.settings import Settings, load_settings
from ml_agent.state import Plain
from ml_agent.summary import before_rows, is_answer, not_kept, not_used, summary, to_fill_in
from ml_agent.terminal import Terminal, write_error, write_out
from ml_agent.tools.candidates import state_of
from ml_agent.unsure import lines_of

# What `solve --ask` asks: which of several repositories, or of several answers, is meant.


def asker(console: Terminal) -> Callable[[Sequence[Plain]], int | None]:
    """What asks on this terminal. Raises UsageError where nobody can answer."""
    if not (sys.stdin.isatty() and console.is_terminal):
        raise UsageError("--ask needs a terminal; without it, an unsure run prints the possible answers")
    return lambda offered: question(console, offered)


def question(console: Terminal, offered: Sequence[Plain]) -> int | None:
    """Show the answers with what speaks against each and read a number; None for an empty line or the end of input."""

    def say(line: str) -> None:
        console.say(line)

    repositories = "name" in offered[0]
    say("These repositories may do it:" if repositories else "None of these is clearly what you asked for:")
    for number, one in enumerate(offered, 1):
        if repositories:
            say(f"  {number}  {one['name']} ({state_of(one)}): {one['why']}")
            continue
        head, *more = lines_of(one)
        say(f"  {number}  {head}")
        for line in more:
            say(f"     {line}")
        lost = [*one["unused"], *one["unplaced"]]
        against = f"; not used from your request: {', '.join(dict.fromkeys(lost))}" if lost else ""
        say(f"     folder {one['workdir']}{against}")
    while True:
        console.print(
            f"Which one? 1 to {len(offered)}, or Enter for {'the first' if repositories else 'none'}: ", end=""
        )
        typed = sys.stdin.readline()
        if not typed.strip():
            return None
        if typed.strip().isdigit() and 1 <= int(typed) <= len(offered):
            return int(typed) - 1


NO_MODEL = (
    "no model     answers without a model are often wrong; a capable model gets most requests right. Use --model NAME with OPENAI_API_KEY, "
    "or OPENAI_BASE_URL for your own server; --navigator offline hides this note"
)
"""What a model would add, and how to get one."""


@grouped
def solve(
    where: o.WhereToLook,
    execution: o.Execution,
    products: o.Products,
    printing: o.Printing,
    instruction: Annotated[
        str, typer.Argument(help="The task in one sentence with all its values; - reads it from standard input.")
    ] = "",
) -> int:
    """Find the repository, write the command, check it, run it, repair it.

    Examples:

        ml-agent solve "cluster 600 points into 4 groups" --catalog sample --run full

        ml-agent solve "fine-tune BERT on MRPC with batch size 16" --model gpt-4o --max-cost 0.50
    """
    if instruction == "-":
        instruction = sys.stdin.read(LONGEST + 1) if sys.stdin else ""  # None where it is closed
    _see_that_it_can_be(instruction, execution.sandbox, execution.run, products.expect or ())
    with o.named_as_flags(execution._asdict()):
        settings = load_settings(**execution._asdict())
    job = _job(instruction, where, products)
    result = begin_job(job, settings, products.out, _progress(printing, where.ask))
    return _finish(result, printing, _hint(settings))


def _job(instruction: str, where: o.WhereToLook, products: o.Products) -> Job:
    return Job(
        instruction=instruction, repository=where.repo, commit=where.commit or None, path=where.path, catalog=where.catalog,
        arguments=_pairs(where.arg), record=products.record, replay=products.replay, expect=tuple(products.expect or ()),
        keep_outputs=_whole(products.keep_outputs), force=products.force, show_inputs=True,
    )  # fmt: skip


def _hint(settings: Settings) -> str:
    return NO_MODEL if settings.navigator == "auto" and not settings.thinks_with_model else ""


def _pairs(texts: Sequence[str] | None) -> tuple[tuple[str, str], ...]:
    return tuple(map(_pair, texts or ()))


def _whole(folder: Path | None) -> str:
    return str(folder.absolute()) if folder else ""


def _see_that_it_can_be(instruction: str, sandbox: str | None, run: str | None, expect: Sequence[str]) -> None:
    """UsageError where nothing is asked, or what is asked excludes itself."""
    check_instruction(instruction)
    if sandbox == "none" and run not in (None, "none"):
        raise UsageError(f"--run {run} needs a sandbox, and --sandbox none has none: leave out one of the two")
    check_stated(expect)


@grouped
def resume(
    limits: o.Limits,
    printing: o.Printing,
    run: Annotated[str, typer.Argument(help="The run: its folder, its id, or the beginning of its id.")],
) -> int:
    """Continue a run that was interrupted or reached a limit; a finished run is printed again.

    Examples:

        ml-agent resume 20260101-120000-1a2b3c

        ml-agent resume 20260101-120000-1a2b3c --max-seconds 600
    """
    folder = known_run(load_settings(), run)
    with o.named_as_flags(limits._asdict()):
        result = resume_job(folder, limits._asdict(), _progress(printing))
    return _finish(result, printing)


@grouped
def continue_(
    limits: o.Limits,
    printing: o.Printing,
    run: Annotated[str, typer.Argument(help="The finished run: its folder, its id, or the beginning of its id.")],
    words: Annotated[str, typer.Argument(help="What to change in the result, or what to do next, in a sentence.")],
    kept: o.Kept,
) -> int:
    """Continue a finished run with a correction: same conversation and environment, a new run folder.

    Examples:

        ml-agent continue 20260101-120000-1a2b3c "no, with 5 epochs, and save the curve as curve.png"
    """
    parent = known_run(load_settings(), run)
    with o.named_as_flags(limits._asdict()):
        expect = tuple(kept.expect or ())
        check_stated(expect)
        correction = Correction(words, kept.out, _whole(kept.keep_outputs), kept.force, expect)
        result = continue_job(parent, correction, limits._asdict(), _progress(printing))
    return _finish(result, printing)


def _pair(text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not equals or not name.strip():
        raise UsageError(f"--arg takes NAME=VALUE, not {text!r}")
    return name.strip().lstrip("-"), value


def _progress(printing: o.Printing, ask: bool = False) -> Observer | None:
    if printing.quiet and (printing.verbose or ask):
        raise UsageError(f"--quiet and {'--verbose' if printing.verbose else '--ask'} cannot be combined")
    if printing.quiet:
        return None
    from ml_agent.progress import Progress

    if not ask:
        return Progress(Terminal(stderr=True), verbose=printing.verbose)
    return Progress(Terminal(stderr=True), verbose=printing.verbose, ask=asker(Terminal(stderr=True)))


def _finish(result: dict[str, Any], printing: o.Printing, hint: str = "") -> int:
    code: int = result["exit_code"]
    if printing.as_json:
        write_out(json.dumps(result, indent=2 if sys.stdout.isatty() else None, ensure_ascii=False) + "\n")
    elif is_answer(result) and not result["answer"].get("sandbox_only"):
        write_out(result["answer"]["text"].rstrip("\n") + "\n")
    if not printing.quiet:
        for line in (*summary(result), *([hint] if hint else [])):
            write_error(line)
    else:
        _write_warnings(result)
    return code


def _write_warnings(result: dict[str, Any]) -> None:
    """What is said also where nothing else is: what was done beside the answer, why it is none, and what is lost."""
    if is_answer(result):
        for name, text in before_rows(result):
            write_error(f"{name}: {text}".lstrip(": "))
        for line in result["answer"].get("sandbox_only", ())[:3]:
            write_error(line)
    if Ending.named(result["ending"]).exit_code or NOT_IN_IT in result["message"]:
        write_error(f"{result['ending']}: {result['message']} (run folder {result['folder']})")
    for lost in filter(None, (to_fill_in(result), not_used(result), not_kept(result))):
        write_error(lost)
