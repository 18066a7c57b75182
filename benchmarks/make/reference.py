"""The reference of a row: a command that the repository's own parser reads as it was meant."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ml_agent.benchmarks.make.vary import RequestedOption
from ml_agent.benchmarks.observation import observe
from ml_agent.benchmarks.observation.model import Program
from ml_agent.benchmarks.same_call.options import options_of
from ml_agent.benchmarks.same_call.values import same
from ml_agent.tools.commandline.render import render_command
from ml_agent.tools.commandline.words import parse_call
from ml_agent.tools.errors import RenderError
from ml_agent.tools.signatures.model import Signature


class RefusedCommand(Exception):
    """The repository does not take the command, or takes it for something else."""


def reference(signature: Signature, wishes: Sequence[RequestedOption], workdir: str, root: Path) -> str:
    """The command that grants all wishes, as it is typed in `workdir`.

    Raises:
        RefusedCommand: with the reason.
    """
    call = {w.option.dest: w.value for w in wishes}
    try:
        text = render_command(signature, call, workdir)
    except RenderError as error:
        raise RefusedCommand(f"cannot be written: {error}") from error
    seen = observe(text, root, workdir)
    if seen.failure:
        raise RefusedCommand(f"{seen.failure}: {seen.message}")
    program = next((p for p in seen.programs if _is(p, signature)), None)
    if program is None:
        raise RefusedCommand("another program runs")
    if program.parsed:
        _see_that_it_was_meant(program, call, root)
    else:
        _see_that_it_fits(signature, program)
    return text


def _is(program: Program, signature: Signature) -> bool:
    return program.file == signature.path or any(file == signature.path for file, _ in program.chain)


def _see_that_it_was_meant(program: Program, call: Mapping[str, Any], root: Path) -> None:
    """The parser gives every option the value that was wished for, and no other is set."""
    options = options_of(program, root)
    for name, value in call.items():
        if name not in options.values and name.replace("-", "_") in options.values:
            name = name.replace("-", "_")
        if name not in options.values or not same(options.values[name], value):
            raise RefusedCommand(f"the parser takes {name} for {options.values.get(name)!r}")
    extra = options.given - {n.replace("-", "_") for n in call} - set(call)
    if extra:
        raise RefusedCommand(f"the parser sets {', '.join(sorted(extra))}, too")


def _see_that_it_fits(signature: Signature, program: Program) -> None:
    """Where no parser was reached: the signature knows every word."""
    parsed = parse_call(signature, program.words)
    if parsed.unknown or parsed.findings:
        problem = parsed.findings[0].message if parsed.findings else parsed.unknown[0]
        raise RefusedCommand(f"the signature: {problem}")
