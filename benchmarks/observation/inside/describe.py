"""Writes down the parsers of a program instead of what they make of words: to be compared with what is read without running anything.

The terms are those of `ml_agent.tools.signatures.model.Option`.
"""

# Foreign code may raise anything.
# ruff: noqa: BLE001

import argparse
import ast
import inspect
import os
import shlex
import sys
import types
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from . import unknown
from .finder import statement_by_statement
from .record import SEEN, Parsed
from .unknown import is_unknown

PROBES = ("1", "0.5", "true", "abc", "a,b")
KINDS = {"IntegerParser": "int", "FloatParser": "float", "BooleanParser": "bool", "ConfigFileFlagParser": "path"}
"""Types of absl's flags by what reads them; all others are text."""
Described = dict[str, Any]


def install(*, functions: bool) -> None:
    """Put the methods into argparse that describe a parser where it would parse.

    Args:
        functions: the program's functions are called one by one: none of them ends it, and what a module asks when it is imported
            is its own.
    """
    parser = argparse.ArgumentParser
    unknown.Hooks.watched = (parser, argparse._ArgumentGroup)
    real_init, real_known = parser.__init__, parser.parse_known_args

    def init(self: Any, *args: Any, **settings: Any) -> None:
        real_init(self, *args, **settings)
        if not _importing():
            SEEN.made.append(self)

    def is_asked(args: Any) -> bool:
        """Whether it is the command line that a parser gets, and no words of the program's own."""
        return not _importing() if functions else args is None or list(args) == sys.argv[1:]

    def parse_known_args(self: Any, args: Any = None, namespace: Any = None) -> Any:
        if is_asked(args):
            SEEN.described.append(_describe(self))
        return _defaults_of(self, namespace, real_known), []

    def parse_args(self: Any, args: Any = None, namespace: Any = None) -> Any:
        found = parse_known_args(self, args, namespace)[0]
        if not functions and is_asked(args):
            raise Parsed
        return found

    for name, function in (("__init__", init), ("parse_known_args", parse_known_args), ("parse_args", parse_args)):
        setattr(parser, name, function)


def watch_absl(module: Any) -> None:
    """Absl's flags are described where they would be parsed."""

    def parse(self: Any, argv: Any, known_only: bool = False) -> Any:
        raise Parsed

    module.FlagValues.__call__ = parse


def _defaults_of(parser: Any, namespace: Any, parse: Callable[..., Any]) -> Any:
    """What parsing nothing gives, with nothing required."""
    relaxed = [part for part in (*parser._actions, *parser._mutually_exclusive_groups) if part.required]
    for part in relaxed:
        part.required = False
    try:
        return parse(parser, [], namespace)[0]
    except (Exception, SystemExit):  # an unknown default may break its own converter; the plain defaults will do
        return argparse.Namespace(**{a.dest: a.default for a in parser._actions if a.dest != argparse.SUPPRESS})
    finally:
        for part in relaxed:
            part.required = True


def _importing() -> bool:
    """Whether a module is being imported: what it makes then and nobody asks is its own, not of the program."""
    frame: types.FrameType | None = sys._getframe(1)
    while frame is not None and frame.f_code.co_name != "_find_and_load":
        frame = frame.f_back
    return frame is not None


def parsers(*, functions: bool) -> list[Described]:
    """The parsers that were asked and absl's flags; else, or where functions were called, also those that were only made."""
    found = [*SEEN.described, *_flags()]
    if not found or functions:
        actions = [action for parser in SEEN.made for action in parser._actions]
        several = [dict(a.choices or {}) for a in actions if isinstance(a, argparse._SubParsersAction)]
        subs = {id(parser) for choices in several for parser in choices.values()}
        found += [_describe(parser) for parser in SEEN.made if id(parser) not in subs]
    return found


def _describe(parser: Any, subcommand: tuple[str, ...] = ()) -> Described:
    """All options of a parser and of its subcommands."""
    handed = any(one is parser or getattr(one, "_container", None) is parser for one in unknown.HANDED)
    options, subparsers = [], []
    for action in list(parser._actions):
        if isinstance(action, argparse._SubParsersAction):
            own = {id(sub): (name, sub) for name, sub in reversed(action.choices.items())}
            subparsers += [_describe(sub, (*subcommand, name)) for name, sub in reversed(own.values())]
        elif not isinstance(action, argparse._HelpAction):
            options.append(_option(action))
    return {"subcommand": list(subcommand), "handed": handed, "options": options, "subparsers": subparsers}


def _option(action: Any) -> Described:
    """One action of argparse."""
    flags, negative = list(action.option_strings), []
    if type(action).__name__ == "BooleanOptionalAction":
        negative = [f for f in flags if f.startswith("--no-")]
        flags = [f for f in flags if not f.startswith("--no-")]
    nargs = "0" if action.nargs == 0 else None if action.nargs is None else str(action.nargs)
    default = None if action.default is argparse.SUPPRESS else action.default
    return {
        "dest": action.dest, "flags": flags, "negative_flags": negative, "nargs": nargs, "type": _type_of(action),
        "choices": None if action.choices is None else _choices(action.choices), "default": _typed(default),
        "required": bool(action.required), "action": type(action).__name__,
    }  # fmt: skip


def _flags() -> Iterator[Described]:
    """Absl's flags that the repository defines, as one parser."""
    module = sys.modules.get("absl.flags")
    by_module = module.FLAGS.flags_by_module_dict() if module is not None else {}
    flags = [flag for name, several in by_module.items() if not name.startswith("absl") for flag in several]
    if flags:
        yield {"subcommand": [], "handed": False, "options": list(map(_flag, flags)), "subparsers": []}


def _flag(flag: Any) -> Described:
    """One flag of absl."""
    default, several = flag.default, isinstance(flag.default, (list, tuple))
    is_list = several and type(flag.parser).__name__ in ("ListParser", "WhitespaceSeparatedListParser")
    choices = getattr(flag.parser, "enum_values", None) or getattr(flag.parser, "enum_class", None)
    required = any("must have a value other than None" in str(one.message) for one in flag.validators)
    return {
        "dest": flag.name, "flags": ([f"-{flag.short_name}"] if flag.short_name else []) + [f"--{flag.name}"],
        "negative_flags": [f"--no{flag.name}"] if flag.boolean else [], "nargs": "?bool" if flag.boolean else None,
        "type": KINDS.get(type(flag.parser).__name__, "str"), "required": required, "action": "DEFINE",
        "choices": [str(getattr(one, "name", one)) for one in choices] if choices is not None else None,
        "default": ",".join(map(str, default)) if is_list else _typed(getattr(default, "name", default)),
    }  # fmt: skip


def _typed(value: Any) -> str | None:
    """A default as it would be typed; None where there is none, or it is not known."""
    if value is None or is_unknown(value) or hasattr(type(value), "_unknown_name"):
        return None
    if isinstance(value, (list, tuple)):
        return " ".join(shlex.quote(str(one)) for one in value)
    return str(value)


def _choices(values: Any) -> list[str | None] | None:
    """The choices as typed; None inside stands for an unknown one."""
    try:
        return [_typed(value) for value in values]
    except Exception:  # a foreign container may do anything when iterated
        return None


def _type_of(action: Any) -> str:
    """What the converter makes of a few words, as the name of an option type."""
    convert = action.type
    if action.nargs == 0:
        return "int" if isinstance(action, argparse._CountAction) else "bool"
    if convert is None:
        return "str"
    if any(convert is kind for kind in (int, float, str, bool)):
        return str(convert.__name__)
    if isinstance(convert, argparse.FileType):
        return "path"
    results = [made for word in PROBES if (made := _probe(convert, word)) is not None]
    if is_unknown(convert) or not results or any(map(is_unknown, results)):
        return "unknown"
    kinds = (("bool", bool), ("int", int), ("float", (int, float)), ("str", str), ("path", os.PathLike))
    return next((name for name, kind in kinds if all(isinstance(one, kind) for one in results)), "json")


def _probe(convert: Any, word: str) -> Any:
    """What a converter makes of a word; None where it refuses."""
    try:
        return convert(word)
    except (Exception, SystemExit):  # a refusal may come as any exception
        return None


def call_makers(path: str) -> None:
    """Load a file as a module of its package, then call every function, and every method, in whose source a parser is built."""
    folder, names = Path(path).parent, [Path(path).stem]
    while (folder / "__init__.py").exists():
        names.insert(0, folder.name)
        folder = folder.parent
    module = types.ModuleType(".".join([*names[:-1], "described"]))
    vars(module).update(__file__=path, __builtins__=__builtins__, __package__=".".join(names[:-1]))
    sys.path.insert(0, str(folder))
    sys.modules[module.__name__] = module
    tree = ast.parse(Path(path).read_bytes())
    statement_by_statement(tree, path, vars(module), lambda error: True)
    for node in tree.body:
        if not isinstance(node, (ast.FunctionDef, ast.ClassDef)) or "ArgumentParser" not in ast.dump(node):
            continue
        made = _call(vars(module).get(node.name)) if isinstance(node, ast.ClassDef) else module
        for function in (node,) if isinstance(node, ast.FunctionDef) else node.body:
            if isinstance(function, ast.FunctionDef) and function.name != "__init__" and not function.decorator_list:
                _call(getattr(made, function.name, None))


def _call(function: Any) -> Any:
    """Call with an unknown value for every argument that has no default; None where it raises."""
    try:
        given = inspect.signature(function).parameters.values()
        wanted = [
            unknown.Unknown(p.name)
            for p in given
            if p.default is p.empty and p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)
        ]
        return function(*wanted)
    except (Exception, SystemExit, Parsed):
        return None
