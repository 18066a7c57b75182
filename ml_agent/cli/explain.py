"""`ml-agent explain`: what the scripts of a repository take."""

import json
import posixpath
import re
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import takewhile
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple

import msgspec
import typer

from ml_agent.cli.tables import ReadingLine, Row, grouped, say_left_out, write_table
from ml_agent.errors import UsageError
from ml_agent.terminal import write_error, write_out
from ml_agent.tools.index import RepoIndex
from ml_agent.tools.remotes import absent_submodules, say_absent, split_place, submodule_of
from ml_agent.tools.signatures.model import EntryPoint, Option, Signature, Unseen
from ml_agent.workspaces import open_index

# The entry points of a repository in the order in which a person would look at them.

Role = Literal["run", "helper", "test", "set-up", "make"]
_TESTS = re.compile(
    r"(?:^|/)(?:tests?|testing|unittests?|benchmarks?/tests?)/|(?:^|/)(?:test_[^/]*|[^/]*_test|conftest)\.(?:py|sh)$"
)
_SET_UP = re.compile(
    r"(?:^|/)(?:setup|noxfile|tasks|fabfile|versioneer|hubconf)\.py$|(?:^|/)(?:docs?|docker|\.?ci|\.github|\.circleci)/"
    r"|(?:^|/)(?:install|build|lint|format|release)[^/]*\.(?:py|sh)$"
)
_ROLES: tuple[Role, ...] = ("run", "helper", "test", "set-up", "make")


class RankedEntry(NamedTuple):
    """An entry point and what is known of its use."""

    entry: EntryPoint
    role: Role
    """run: what people start. helper: takes nothing and no document shows it. test, set-up, make: what serves development."""
    examples: int
    """How many commands of the documents call it."""


def entry_points(index: RepoIndex) -> list[RankedEntry]:
    """All entry points, what people run first: documented ones, console scripts, `__main__`, then the others."""
    shown = Counter(example.entry for example in index.documented if example.entry)
    found = [RankedEntry(one, _role(one, shown[one.path]), shown[one.path]) for one in index.entries]
    return sorted(found, key=_entry_point_place)


def _role(entry: EntryPoint, examples: int) -> Role:
    if entry.kind == "make":
        return "make"
    if entry.kind == "console":
        return "run"
    if _TESTS.search(entry.path):
        return "test"
    if _SET_UP.search(entry.path):
        return "set-up"
    return "helper" if entry.framework in ("none", "shell") and not examples and not _is_main(entry.path) else "run"


def _is_main(path: str) -> bool:
    return posixpath.basename(path) == "__main__.py"


def _entry_point_place(ranked: RankedEntry) -> tuple[object, ...]:
    entry, role, examples = ranked
    first = 0 if examples else 1 if entry.kind == "console" or _is_main(entry.path) else 2
    return (_ROLES.index(role), first, -examples, entry.path.count("/"), entry.path, entry.title)


def matching(entries: Iterable[RankedEntry], word: str) -> Iterator[RankedEntry]:
    """Those that have a word in their name, their options or what they say of themselves; "" for any."""
    wanted = word.lower()
    for one in entries:
        texts = (one.entry.title, one.entry.path, one.entry.doc, *one.entry.words)
        if any(wanted in text.lower() for text in texts):
            yield one


_SEARCH_SECONDS = 10.0
"""Processor time for reading signatures in which a word is looked for."""


def _with_option(entries: Iterable[RankedEntry], word: str, index: RepoIndex) -> Iterator[RankedEntry]:
    """Those that have an option with a word in its name, as their signatures tell: not every program writes it as a text."""
    end = time.thread_time() + _SEARCH_SECONDS
    for one in takewhile(lambda _: time.thread_time() < end, entries):
        options = (option for signature in index.signatures[one.entry.path] for option in signature.options)
        if any(word.lower() in f"{option.dest} {' '.join(option.flags)}".lower() for option in options):
            yield one


class Selection(NamedTuple):
    """Which entry points are shown."""

    all_of_them: Annotated[
        bool,
        typer.Option(
            "--all",
            help="Also list tests, set-up scripts, make targets, and undocumented scripts that take no options.",
        ),
    ] = False
    word: Annotated[
        str,
        typer.Option(
            "--filter",
            metavar="WORD",
            help="List only entry points with this word in their name, options or description.",
        ),
    ] = ""


class Form(NamedTuple):
    """How they are printed."""

    as_json: Annotated[bool, typer.Option("--json", help="Print the scripts and their options as JSON.")] = False
    schema: Annotated[
        bool,
        typer.Option(
            "--schema",
            help="Print each script as a function definition with a JSON Schema, in the format of tools of language models.",
        ),
    ] = False


@grouped
def explain(
    target: Annotated[
        str,
        typer.Argument(
            help="A repository, as a folder or OWNER/NAME; DIR:SCRIPT or a script's path shows the options of one script."
        ),
    ],
    selection: Selection,
    form: Form,
) -> int:
    """Show the command-line options of a repository's scripts, without running anything.

    For a folder it lists the scripts and console commands: first those that the documentation calls, the most frequent on top, then
    console commands, then other scripts, those nearest to the root first. `examples` is the number of commands in the documentation
    that call it. Name a script to see its options. If the output is not a terminal, columns are separated by tabs.

    `kind` is the library that reads the options, or `sysargv` if the script reads them itself. It is empty if it is known only after the
    script is read. A `switch` takes no value, a `bool` takes true or false. `×?` means at most one value, `×2` two values, `×*` any number, `×+` at least one.
    The default of a switch that sets another value is what it changes: `--no-split` changes `split=True`.
    If a function makes the value (`type=FUNCTION`), the type is its name; `unknown` means that the script defines the type itself. `(partly read)` means that the script computes the default or the choices
    of the option only when it runs, or that they depend on the file that `--config` names. An empty default means that there is none (`None`). `(or by place)` means that the value can also
    be given without the option's name.

    Examples:

        ml-agent explain path/to/repository --filter train

        ml-agent explain path/to/repository:train.py --schema
    """
    folder, script = _within_its_repository(target) or split_place(target)
    index = open_index(folder, ReadingLine(), first=script)
    if script:
        _explain_script(index, folder, script, form)
        return 0
    found = entry_points(index)
    say_left_out(index)
    if absent := absent_submodules(index):
        write_error(say_absent(absent))
    fitting = list(matching(found, selection.word)) or list(_with_option(found, selection.word, index))
    if selection.word and not fitting:
        raise UsageError(
            f"--filter: no entry point of {target} has {selection.word!r} in its name, options or description"
        )
    shown = fitting if selection.all_of_them else [one for one in fitting if one.role == "run"]
    if form.as_json or form.schema:
        signatures = (one for entry in shown for one in _signatures_of(entry.entry, index))
        _print_json([_with_what_is_open(one, index) for one in signatures], schema=form.schema)
    elif shown:
        _write_entries(shown)
    if not shown:
        write_error(_used_otherwise(folder, index))
    if hidden := len(fitting) - len(shown):
        write_error(
            f"{hidden} more with --all: tests, set-up, make targets, and scripts that take no options and are not in the documentation"
        )
    return 0


def _used_otherwise(folder: str, index: RepoIndex) -> str:
    """That no script takes options, and how the repository is used instead: its documents' Python, its importable names."""
    examples = [f"{one.path}:{one.line}" for one in index.examples if one.kind == "python" and one.imports_own]
    packages = Counter(one.name.partition(".")[0] for one in index.api.objects)
    found = [f"{len(examples)} Python examples in the documents, the first at {one}" for one in examples[:1]]
    found += [f"{count} classes and functions to import from {package}" for package, count in packages.most_common(1)]
    said = "; ".join(found) or "nor is there a Python module; makefiles, Python and shell scripts were looked for"
    return f"no script of {folder} takes options; {said}"


def _explain_script(index: RepoIndex, folder: str, script: str, form: Form) -> None:
    """Print what one script takes."""
    found = _signatures_by_name(index, script)
    if not found:
        within = submodule_of([posixpath.normpath(script)], absent_submodules(index))
        why = f" ({say_absent([within])})" if within else ""
        near = "" if within else _meant(index, script)
        hint = f"; did you mean {near}?" if near else ""
        raise UsageError(
            f"{folder} has no entry point {script}{why}{hint}; `ml-agent explain {folder} --all` lists them"
        )
    found = [_with_what_is_open(one, index) for one in found]
    if form.as_json or form.schema:
        _print_json(found, schema=form.schema)
        return
    tables: dict[tuple[Row, ...], list[str]] = {}
    for one in found:
        tables.setdefault(tuple(_rows(one)), []).append(one.title)
    for rows, (name, *others) in tables.items():
        _write_options(rows, name, others)


def _meant(index: RepoIndex, script: str) -> str:
    """The file that was probably meant: that of a module's dotted name, or as `check` finds it; "" where none is near."""
    from ml_agent.tools.check.repository import CheckedRepository

    module = "/" + script.replace(".", "/")
    files = (one.path for one in index.entries if f"/{one.path}".endswith((f"{module}.py", f"{module}/__main__.py")))
    if found := min(files, key=len, default=""):
        return found
    path = posixpath.normpath(script)
    if not posixpath.splitext(path)[1] or path in index.files:
        return ""
    repository = CheckedRepository(index)
    return repository.tree.suggest(path, "", repository.entry_points(path))


def _signatures_by_name(index: RepoIndex, script: str) -> list[Signature]:
    """What is meant by a path, by a name under which something is installed, or by one of them with a subcommand."""
    path = posixpath.normpath(script)
    named = [entry for entry in index.entries if script in (entry.path, entry.name) or path == entry.path]
    found = [one for entry in named for one in _signatures_of(entry, index)]
    if not found and path in index.files:  # a module that only defines, but may make a parser
        found = list(index.reader.read(path))
    name, _, subcommand = script.rpartition(" ")
    if not found and name:
        found = [one for one in _signatures_by_name(index, name) if subcommand in one.subcommand]
    return found


def _signatures_of(entry: EntryPoint, index: RepoIndex) -> list[Signature]:
    """Those of an entry point of all that its file has; a file that is asked for by path has those of its commands, too."""
    known = index.signatures[entry.path]
    return [one for one in known if (one.kind == "console") == (entry.kind == "console") and one.name == entry.name]


def _with_what_is_open(signature: Signature, index: RepoIndex) -> Signature:
    """A signature without a parser that was read, with the reason why it may take words all the same."""
    if signature.framework != "none" or signature.options or signature.unseen:
        return signature
    reason = index.reader.may_read_arguments(signature.path)
    unseen = (Unseen(origin="computed", name=reason, path=signature.path, line=1),) if reason else ()
    return msgspec.structs.replace(signature, unseen=unseen)


def _within_its_repository(target: str) -> tuple[str, str] | None:
    """The nearest folder above a file that git knows, else the file's own folder, and the file in it; None where it is no file."""
    path = Path(target)
    if not path.is_file():
        return None
    absolute = path.resolve()
    root = next((one for one in absolute.parents if (one / ".git").exists()), absolute.parent)
    return str(root), absolute.relative_to(root).as_posix()


def _print_json(signatures: Sequence[Signature], *, schema: bool) -> None:
    made = [function_schema(one) if schema else msgspec.to_builtins(one) for one in signatures]
    write_out(json.dumps(made, indent=2, ensure_ascii=False) + "\n")


def _write_entries(entries: Sequence[RankedEntry]) -> None:
    rows = [
        (one.entry.title, one.entry.framework.replace("none", ""), str(one.examples or ""), _entry_doc(one.entry))
        for one in entries
    ]
    write_table(("entry point", "kind", "examples", "description"), rows)


def _entry_doc(entry: EntryPoint) -> str:
    """What it says of itself; before it the file that an installed command runs."""
    return f"runs {entry.path}" + (f": {entry.doc}" if entry.doc else "") if entry.kind == "console" else entry.doc


def _rows(signature: Signature) -> Iterator[Row]:
    for option in signature.options:
        several = f" ×{option.nargs}" if option.nargs and option.nargs != "?bool" else ""
        kind = "switch" if option.switch else _type(option) + several
        spelling = _spelling(option, signature) + (" (required)" if option.required else "")
        where = _place(option) + ("" if option.sure else " (partly read)")
        said = " ".join(filter(None, (option.help, _excluded(option, signature))))
        yield (spelling, kind, _default(option), " ".join(map(_visible, option.choices)), said, where)
    for unseen in signature.unseen:
        more = f"more options, not listed here: {unseen.name}"
        yield ("…", "", "", "", more, _place(unseen))


def _write_options(rows: Sequence[Row], name: str, others: Sequence[str]) -> None:
    """One table, and in its title which others are the same."""
    if rows:
        title = f"{name} (the same: {', '.join(others)})" if others else name
        write_table(("option", "type", "default", "choices", "help", "where"), rows, title=title)
        return
    for one in (name, *others):
        write_error(f"{one} takes no options")


def _type(option: Option) -> str:
    """Its type; of a value that is none of Python's simple ones the function that makes it, where that has a name."""
    if option.type not in ("json", "unknown") or option.converter in ("", "literal", "yaml"):
        return option.type
    return option.converter if option.converter.replace(".", "_").isidentifier() else "unknown"


def _default(option: Option) -> str:
    """As it would be typed; "" where there is none. For a switch that sets another value, what it changes."""
    if option.switch and option.switch_value not in (None, "True") and option.default:
        return f"{option.dest}={option.default}"
    if option.default == "" and option.nargs in ("*", "+"):
        return "[]"
    return "" if option.default is None else _visible(option.default)


def _visible(word: str) -> str:
    """A word, in quotes where it has nothing that is seen."""
    return word if word.strip() else json.dumps(word)


def _excluded(option: Option, signature: Signature) -> str:
    """Which options may not be given beside it; "" where all may."""
    others = {dest for group in signature.exclusive if option.dest in group for dest in group} - {option.dest}
    spelled = [max(one.flags, key=len, default=one.dest) for one in signature.options if one.dest in others]
    return f"(not with {', '.join(spelled)})" if spelled else ""


def _place(declared: Option | Unseen) -> str:
    """Where it is declared; "" where that is in a library, a file alone where it is all of it."""
    return f"{declared.path}:{declared.line}" if declared.path and declared.line else declared.path


def _spelling(option: Option, signature: Signature) -> str:
    """An option as it is typed; a positional one by its name."""
    if signature.syntax == "overrides" and not option.flags:
        return f"{option.dest}="
    spelled = " ".join(f"{flag}=" if option.joined else flag for flag in option.flags) or option.dest
    return f"{spelled} (or by place)" if option.by_place else spelled


# A signature as a function that a model can call: JSON Schema in OpenAI's strict form.

MAX_CHOICES = 60
JSON_TYPES = {"int": "integer", "float": "number", "bool": "boolean"}
SHORT_HELP = 90


def function_schema(signature: Signature) -> dict[str, Any]:
    """The tool definition of a signature."""
    properties = {option.dest: _property(signature, option) for option in _by_dest(signature.options).values()}
    called = signature.name or signature.path
    purpose = f"{called}: {signature.doc}" if signature.doc else f"Run {called}"
    return {
        "type": "function",
        "function": {
            "name": function_name(signature),
            "description": purpose[:300],
            "strict": True,
            "parameters": {
                "type": "object",
                "properties": properties,
                "required": list(properties),
                "additionalProperties": False,
            },
        },
    }


def function_name(signature: Signature) -> str:
    """A name that every API takes: letters, digits and underscores, at most 64."""
    words = signature.name or signature.path.rpartition(".")[0] or signature.path
    name = "_".join([words, *signature.subcommand])
    return re.sub(r"\W+", "_", name, flags=re.ASCII).strip("_")[-64:].lstrip("_") or "run"


def _by_dest(options: Iterable[Option]) -> dict[str, Option]:
    """One option a dest; of several the one that takes a value."""
    found: dict[str, Option] = {}
    for option in options:
        if option.dest not in found or (found[option.dest].switch and not option.switch):
            found[option.dest] = option
    return found


def _property(signature: Signature, option: Option) -> dict[str, Any]:
    listed = option.nargs in ("*", "+", "...") or (option.nargs or "").isdigit()
    several = option.repeatable or (listed and not option.switch)
    counted = option.switch and option.repeatable
    value = _value_schema(signature, option)
    if several and not counted:
        value = {"type": "array", "items": value}
    if not option.required:
        value = _or_null(value)
    return {**value, "description": _description(option)}


def _value_schema(signature: Signature, option: Option) -> dict[str, Any]:
    if option.switch:
        constants = [o.switch_value for o in signature.options if o.dest == option.dest and o.switch_value]
        if all(c in ("True", "False") for c in constants):
            return {"type": "integer" if option.type == "int" else "boolean"}
        return {"type": "string", "enum": list(dict.fromkeys(constants))}
    choices = option.choices or option.accepted
    kind = JSON_TYPES.get(option.type, "string")
    if choices and len(choices) <= MAX_CHOICES:
        return {"type": kind, "enum": [_convert(kind, c) for c in choices]}
    return {"type": kind}


def _convert(kind: str, choice: str) -> Any:
    try:
        if kind == "integer":
            return int(choice)
        if kind == "number":
            return float(choice)
    except ValueError:
        return choice
    return choice == "True" if kind == "boolean" else choice


def _or_null(value: dict[str, Any]) -> dict[str, Any]:
    made = {**value, "type": [value["type"], "null"]}
    if "enum" in made:
        made["enum"] = [*made["enum"], None]
    return made


def _description(option: Option) -> str:
    name = option.flags[-1] if option.flags else "positional"
    text = option.help[:SHORT_HELP].strip()
    default = f" Default {option.default[:40]}." if option.default else ""
    return f"{name} {text}".strip() + default
