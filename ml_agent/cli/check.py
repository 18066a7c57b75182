"""`ml-agent check`: a command or code against a repository."""

import json
import re
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from posixpath import normpath
from typing import Annotated

import msgspec
import typer

from ml_agent.cli.tables import ReadingLine, say_left_out
from ml_agent.errors import ConfigurationError, UsageError
from ml_agent.terminal import terminal_text, write_out
from ml_agent.tools.check.command import PLUGIN_FAILED, check_command
from ml_agent.tools.check.places import is_literal
from ml_agent.tools.check.python import check_python
from ml_agent.tools.check.syntax import is_python
from ml_agent.tools.findings import Finding
from ml_agent.tools.remotes import local_folder
from ml_agent.wording import counted
from ml_agent.workspaces import normal_folder, open_index

MAX_BYTES = 1_000_000
SUFFIXES = (".py", ".sh", ".bash", ".txt")
_LINE = re.compile(r"line \d+: ")
_WORDS = {"error": "error", "warning": "warning", "unsure": "cannot tell"}


def check(
    command: Annotated[
        str,
        typer.Argument(
            help="What to check: a bash command, a file of commands or Python code, or - for standard input."
        ),
    ],
    repo: Annotated[
        str, typer.Option(help="The repository: a folder, OWNER/NAME or a URL. Default: the working folder.")
    ] = ".",
    path: Annotated[str, typer.Option(help="Folder of the repository in which the command will run.")] = "",
    python: Annotated[
        bool,
        typer.Option(
            "--python",
            help="Treat the text as Python code; files NAME.py and obvious Python code are recognised without it.",
        ),
    ] = False,
    strict: Annotated[
        bool,
        typer.Option(
            "--strict",
            help="Exit with 1 also if there are no errors, only warnings or points that the check cannot decide.",
        ),
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the findings as JSON.")] = False,
) -> int:
    """Check a command against a repository without running it; exit code 1 if it cannot work.

    An *error* means that the command cannot work; a *warning*, that it may not. *Cannot tell* means that the repository
    alone does not show it.

    Examples:

        ml-agent check 'python train.py --lrr 1' --repo path/to/repository --path examples

        ml-agent check run_all.sh --repo path/to/repository --strict
    """
    text, is_code = _read(command)
    if not text.strip():
        raise UsageError("there is nothing to check: give a command, a file, or - for standard input")
    index = open_index(repo, ReadingLine(), first=path)
    folder = normal_folder(index.root, path)
    if text == command and not (python or is_code):
        _see_that_it_is_there(text.strip(), index.root / folder, index.files)
    if python or is_code or is_python(text):
        findings = check_python(text, index, folder)
    else:
        findings = check_command(text, index, folder, here=local_folder(repo))
    say_left_out(index)
    fatal = frozenset(_WORDS) if strict else frozenset({"error"})
    failed = any(finding.severity in fatal for finding in findings)
    broken = any(finding.code == PLUGIN_FAILED for finding in findings)
    if as_json:
        write_out(json.dumps(msgspec.to_builtins(findings), indent=2, ensure_ascii=False) + "\n")
    else:
        several = len(text.strip().splitlines()) > 1
        lines = [_finding_line(finding, with_line=several) for finding in findings]
        verdict = [] if broken and not failed else _verdict(findings, failed=failed)
        write_out("\n".join([*lines, *verdict]) + "\n")
    return ConfigurationError.exit_code if broken and not failed else int(failed)


def _read(given: str) -> tuple[str, bool]:
    """The text to check, and whether it is a file of Python: of standard input, of a file that is named, or as given."""
    if given == "-":
        return sys.stdin.read(MAX_BYTES), False
    file = Path(given)
    if "\n" in given or file.suffix not in SUFFIXES or not file.is_file():
        return given, False
    if file.stat().st_size > MAX_BYTES:
        raise UsageError(f"the file {given} has more than {MAX_BYTES} bytes: check a smaller one")
    return file.read_text(encoding="utf-8", errors="replace"), file.suffix == ".py"


def _see_that_it_is_there(name: str, folder: Path, files: Sequence[str]) -> None:
    """UsageError where the text is nothing but the name of a file that is nowhere: a mistyped file must not pass."""
    if not name.endswith(SUFFIXES) or len(name.split()) > 1 or not is_literal(name):
        return
    known = any(f"/{file}".endswith(f"/{normpath(name)}") for file in files)
    if not (known or Path(name).exists() or (folder / name).exists()):
        raise UsageError(f"there is no file {name}, neither here nor in the repository")


def _verdict(findings: Sequence[Finding], *, failed: bool) -> list[str]:
    """The last line: that nothing keeps it from running, or that --strict alone does; none where an error says so."""
    counts = Counter(_WORDS[finding.severity] for finding in findings)
    if counts["error"]:
        return []
    said = " and ".join(
        f"{count} × {word}" if word == "cannot tell" else counted(count, word) for word, count in counts.items()
    )
    if failed:
        return [f"no error, but --strict does not accept {said}"]
    return [f"ok, with {said}" if said else "ok"]


def _finding_line(finding: Finding, *, with_line: bool) -> str:
    begin = _LINE.match(finding.message)
    at = (f"your {begin[0]}" if begin else f"your line {finding.at}: " if finding.at else "") if with_line else ""
    message = finding.message[begin.end() :] if begin else finding.message
    file = "" if finding.path in message else f"{finding.path}: "
    place = f"{finding.path}:{finding.line}: " if finding.line else file
    said = "did you mean" in message or finding.suggestion in message
    advice = "" if said else f" (did you mean {finding.suggestion}?)"
    line = f"{at}{_WORDS[finding.severity]}: {place}{message}{advice} [{finding.code}]"
    return " ".join(terminal_text(line).split())
