"""`ml-agent explain`: what the scripts of a repository take."""

import json
import posixpath
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, NamedTuple

import msgspec
import typer

from ml_agent.cli.groups import grouped
from ml_agent.cli.reading import ReadingLine, say_left_out
from ml_agent.cli.tables import Layout, write_table
from ml_agent.errors import UsageError
from ml_agent.repositories import open_index
from ml_agent.terminal import write_error, write_out
from ml_agent.tools.check.repository import checked_repository
from ml_agent.tools.entry_points import EntryPoint, entry_points, matching
from ml_agent.tools.index import RepoIndex
from ml_agent.tools.remotes import split_place
from ml_agent.tools.schema import function_schema
from ml_agent.tools.signatures.model import Option, Signature, Unseen
from ml_agent.tools.submodules import absent_submodules, say_absent, submodule_of


class Selection(NamedTuple):
    """Which entry points are shown."""

    all_of_them: Annotated[
        bool, typer.Option("--all", help="Also tests, set-up, make targets, and scripts that take nothing.")
    ] = False
    word: Annotated[
        str, typer.Option("--filter", metavar="WORD", help="Only those with this word in name, options or description.")
    ] = ""
    framework: Annotated[str, typer.Option("--framework", help="Only those of argparse, click, hydra, …")] = ""


class Form(NamedTuple):
    """How they are printed."""

    as_json: Annotated[bool, typer.Option("--json", help="Print the signatures as JSON.")] = False
    schema: Annotated[bool, typer.Option("--schema", help="Print JSON Schema functions.")] = False
    markdown: Annotated[bool, typer.Option("--markdown", help="Print Markdown.")] = False


@grouped
def explain(
    target: Annotated[str, typer.Argument(help="DIR or DIR:SCRIPT; also OWNER/NAME.")],
    selection: Selection,
    form: Form,
) -> int:
    """Show what the scripts of a repository take, read without running anything.

    What people run comes first: what the documents show, console scripts, modules. To a pipe goes one row a line, with tabs.

    Examples:

        ml-agent explain path/to/repository --filter train

        ml-agent explain path/to/repository:train.py --schema
    """
    folder, script = split_place(target)
    _see_that_it_is_a_folder(folder)
    index = open_index(folder, ReadingLine(), first=script)
    found = entry_points(index)
    say_left_out(index)
    named = _entries_of(found, script) if script else found
    absent = () if named else absent_submodules(index)
    if script and not named:
        within = submodule_of([posixpath.normpath(script)], absent)
        why = f" ({say_absent([within])})" if within else ""
        raise UsageError(
            f"{script}: no such entry point in {folder}{why}; `ml-agent explain {folder} --all` lists them"
        )
    if absent:
        write_error(say_absent(absent))
    _see_that_it_is_used(selection.framework, found)
    fitting = list(matching(named, selection.word, selection.framework))
    if selection.word and not fitting:
        raise UsageError(f"nothing in {target} has {selection.word!r} in its name, options or description")
    shown = fitting if selection.all_of_them or script else [entry for entry in fitting if entry.role == "run"]
    _print([_with_what_is_open(entry, index) for entry in shown] if script else shown, form, one=bool(script))
    _say_unshown(folder, found, len(fitting) - len(shown))
    return 0


def _say_unshown(folder: str, found: Sequence[EntryPoint], hidden: int) -> None:
    """That there is nothing to show, or more than is shown."""
    if not found:
        write_error(f"nothing in {folder} is a program that is read: Python, shell scripts, makefiles, console scripts")
    if hidden:
        write_error(f"{hidden} more with --all: tests, set-up, make targets, scripts that take nothing")


def _with_what_is_open(entry: EntryPoint, index: RepoIndex) -> EntryPoint:
    """An entry point without a parser that was read, with the reason why it may take words all the same."""
    signature = entry.signature
    if signature.framework != "none" or signature.options or signature.unseen:
        return entry
    reason = checked_repository(index).reader.may_read_arguments(signature.path)
    unseen = (Unseen(origin="computed", name=reason, path=signature.path, line=1),) if reason else ()
    return msgspec.structs.replace(entry, signature=msgspec.structs.replace(signature, unseen=unseen))


def _see_that_it_is_a_folder(place: str) -> None:
    """UsageError where a script is given without the repository that it is of."""
    path = Path(place)
    if path.is_file():
        folder = "." if path.parent == Path() else path.parent
        raise UsageError(
            f"{place} is a file: write DIR:SCRIPT, the repository's folder first, such as {folder}:{path.name}"
        )


def _entries_of(entries: Sequence[EntryPoint], script: str) -> list[EntryPoint]:
    """Those of a script: by its path, by the name under which it is installed, or as the list shows them."""
    ways = (script, posixpath.normpath(script))
    of_script = [entry for entry in entries if entry.signature.path in ways or entry.signature.name in ways]
    return of_script or [entry for entry in entries if entry.name == script]


def _see_that_it_is_used(framework: str, entries: Sequence[EntryPoint]) -> None:
    """UsageError where no entry point has options of that framework."""
    used = sorted({entry.signature.framework for entry in entries})
    if framework and framework not in used:
        raise UsageError(f"nothing here uses {framework}; --framework takes one of {', '.join(used) or 'none'}")


def _print(entries: Sequence[EntryPoint], form: Form, *, one: bool) -> None:
    layout: Layout = "markdown" if form.markdown else ""
    if form.schema or form.as_json:
        _print_json(entries, schema=form.schema)
    elif one:
        for entry in entries:
            _write_options(entry.signature, entry.name, layout)
    else:
        _write_entries(entries, layout)


def _print_json(entries: Sequence[EntryPoint], *, schema: bool) -> None:
    made = [function_schema(e.signature) if schema else msgspec.to_builtins(e.signature) for e in entries]
    write_out(json.dumps(made, indent=2, ensure_ascii=False) + "\n")


def _write_entries(entries: Sequence[EntryPoint], layout: Layout) -> None:
    rows = []
    for entry in entries:
        signature = entry.signature
        required = " ".join(_spelling(option, signature) for option in signature.options if option.required)
        count = f"{len(signature.options)}{'' if signature.whole else '+'}"
        doc = signature.doc.splitlines()[0] if signature.doc else ""
        rows.append((entry.name, signature.framework, str(entry.examples or ""), count, required, doc))
    write_table(("entry point", "kind", "shown", "options", "required", "what it says of itself"), rows, layout=layout)


def _write_options(signature: Signature, name: str, layout: Layout) -> None:
    rows = []
    for option in signature.options:
        several = f" ×{option.nargs}" if option.nargs and option.nargs != "?bool" else ""
        kind = "switch" if option.switch else option.type + several
        spelling = _spelling(option, signature) + (" (required)" if option.required else "")
        where = _place(option) + ("" if option.sure else " (partly read)")
        rows.append((spelling, kind, option.default or "", " ".join(option.choices), option.help, where))
    if signature.depends_on:
        others = f"these are the options by default; others with other values of {', '.join(signature.depends_on)}"
        rows.append(("…", "", "", "", others, ""))
    for unseen in signature.unseen:
        more = f"more, not listed here: {unseen.name} ({unseen.origin})"
        rows.append(("…", "", "", "", more, _place(unseen)))
    write_table(("option", "type", "default", "choices", "help", "where"), rows, title=name, layout=layout)


def _place(declared: Option | Unseen) -> str:
    """Where it is declared; "" where that is in a library, a file alone where it is all of it."""
    return f"{declared.path}:{declared.line}" if declared.path and declared.line else declared.path


def _spelling(option: Option, signature: Signature) -> str:
    """An option as it is typed; a positional one by its name."""
    if signature.syntax == "overrides" and not option.flags:
        return f"{option.dest}="
    return " ".join(option.flags) or option.dest
