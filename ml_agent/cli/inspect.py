"""`ml-agent explain`, `check`, `doctor` and `clean`: the tools by themselves."""

import json
import sys
from collections.abc import Iterable
from typing import Annotated, Any

import msgspec
import typer
from rich.console import Console
from rich.table import Table

from ml_agent.cli.reading import ReadingLine
from ml_agent.errors import UsageError
from ml_agent.repositories import open_index
from ml_agent.workspaces import normal_folder
from tools.check.command import check_command
from tools.check.python import check_python
from tools.findings import Finding
from tools.schema import function_schema
from tools.signatures.model import Option, Signature


def explain(
    target: Annotated[str, typer.Argument(help="DIR or DIR:SCRIPT.")],
    as_json: Annotated[bool, typer.Option("--json", help="Print the signatures as JSON.")] = False,
    schema: Annotated[bool, typer.Option("--schema", help="Print JSON Schema functions.")] = False,
) -> int:
    """Show what the scripts of a repository take, read without running anything.

    Examples:

        ml-agent explain path/to/repository

        ml-agent explain path/to/repository:train.py --schema
    """
    folder, _, script = target.partition(":")
    index = open_index(folder, ReadingLine())
    chosen = [s for path, found in index.signatures.items() if script in ("", path) for s in found]
    if script and not chosen:
        raise UsageError(f"{script}: no such entry point in {folder}; `ml-agent explain {folder}` lists them")
    if schema:
        _print_json([function_schema(signature) for signature in chosen])
    elif as_json:
        _print_json(msgspec.to_builtins(chosen))
    elif script:
        for signature in chosen:
            Console().print(_options_table(signature))
    else:
        Console().print(_entries_table(chosen))
    return 0


def check(
    command: Annotated[str, typer.Argument(help="A bash command, or Python code with --python.")],
    repo: Annotated[str, typer.Option(help="Folder of the repository, OWNER/NAME or URL.")],
    path: Annotated[str, typer.Option(help="Folder from which it is to run.")] = "",
    python: Annotated[bool, typer.Option("--python", help="The text is Python code.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the findings as JSON.")] = False,
) -> int:
    """Check a command against a repository without running it; exit 1 when it cannot run.

    Example:

        ml-agent check 'python train.py --lrr 1' --repo path/to/repository --path examples
    """
    if not command.strip():
        raise UsageError("the command is empty")
    index = open_index(repo, ReadingLine())
    workdir = normal_folder(index.root, path)
    findings = (check_python if python else check_command)(command, index, workdir)
    if as_json:
        _print_json(msgspec.to_builtins(findings))
    else:
        for finding in findings:
            sys.stdout.write(_finding_line(finding) + "\n")
    return int(any(finding.severity == "error" for finding in findings))


def clean(
    images: Annotated[bool, typer.Option("--images", help="Also remove the images of set-up results.")] = False,
) -> int:
    """Remove the containers, networks, volumes and workspaces that dead runs left; never anything of others."""
    from sandbox.cleanup import clean as clean_sandboxes

    removed = clean_sandboxes(images=images)
    Console(stderr=True).print(f"removed: {removed}", highlight=False, markup=False)
    return 0


def _print_json(content: Any) -> None:
    sys.stdout.write(json.dumps(content, indent=2, ensure_ascii=False) + "\n")


def _finding_line(finding: Finding) -> str:
    place = f"{finding.path}:{finding.line}: " if finding.path else ""
    advice = f" (did you mean {finding.suggestion}?)" if finding.suggestion else ""
    return f"{finding.severity}: {place}{finding.message}{advice} [{finding.code}]"


def _entries_table(signatures: Iterable[Signature]) -> Table:
    table = Table("entry point", "kind", "options", "required", "what it says of itself")
    for signature in signatures:
        called = " ".join([signature.name or signature.path, *signature.subcommand])
        required = " ".join(_spelling(option) for option in signature.options if option.required)
        doc = signature.doc.splitlines()[0][:60] if signature.doc else ""
        table.add_row(called, signature.framework, str(len(signature.options)), required, doc)
    return table


def _options_table(signature: Signature) -> Table:
    title = " ".join([signature.name or signature.path, *signature.subcommand])
    table = Table("option", "type", "default", "choices", "help", "where", title=title)
    for option in signature.options:
        kind = "switch" if option.switch else option.type + (f" ×{option.nargs}" if option.nargs else "")
        name = _spelling(option) + (" (required)" if option.required else "")
        where = f"{option.path}:{option.line}" + ("" if option.sure else " (partly read)")
        table.add_row(name, kind, option.default or "", " ".join(option.choices), option.help, where)
    return table


def _spelling(option: Option) -> str:
    return " ".join(option.flags) or option.dest.upper()
