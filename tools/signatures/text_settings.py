"""Settings that the text of one option holds: `--hparams "lr=1e-4,batch_size=8"` (HParams), `--hparams '{"lr": 1e-4}'` (JSON)."""

import ast
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import msgspec

from ml_agent.tools.signatures.argparse_option import typed
from ml_agent.tools.signatures.fields import VALUE_TYPES
from ml_agent.tools.signatures.interpreter import Interpreter
from ml_agent.tools.signatures.model import Option, Signature
from ml_agent.tools.signatures.sources import called_name
from ml_agent.tools.signatures.values import UNKNOWN

MOST_MODULES, MOST_SETTINGS, MOST_HOLDERS = 60, 400, 8
_HOLDS = re.compile(r"param|config|setting|option|override|kwargs")
"""What the name of an option says whose text may hold others."""

_Module = tuple[str, ast.Module]


def with_text_settings(run: Interpreter, signature: Signature) -> Signature:
    """A signature with the settings that the text of an option changes.

    Source: the format of HParams is that of `tf.contrib.training.HParams.parse`.
    """
    known = {option.dest for option in signature.options}
    holders = [
        one for one in signature.options if not one.switch and not one.within and _HOLDS.search(one.dest.lower())
    ]
    holders = holders[:MOST_HOLDERS]
    paths = (
        [run.script, *(path for path in sorted(run.modules) if path != run.script)][:MOST_MODULES] if holders else []
    )
    found: list[Option] = []
    for holder in holders:
        for held, made in (("commas", _hparams(run, paths, holder)), ("json", _attributes(run, paths, holder))):
            found += [_setting(run, holder, held, one) for one in made[:MOST_SETTINGS] if one[0] not in known]
            known |= {name for name, _, _ in made}
    return msgspec.structs.replace(signature, options=(*signature.options, *found)) if found else signature


_Made = list[tuple[str, Any, tuple[str, int]]]
"""Name, value and place of each setting."""


def _setting(run: Interpreter, holder: Option, held: Any, made: tuple[str, Any, tuple[str, int]]) -> Option:
    name, value, place = made
    default, known = typed(value, run)
    kind = VALUE_TYPES.get(type(value), "json" if isinstance(value, (list, tuple, dict)) else "unknown")
    return Option(
        dest=name, within=holder.dest, held=held, type=kind, default=default, path=place[0], line=place[1],
        sure=known and value is not UNKNOWN, converter="literal",
    )  # fmt: skip


def _modules(run: Interpreter, paths: Sequence[str], *words: str) -> Iterator[_Module]:
    """Those that have a word in their text."""
    for path in paths:
        tree = run.sources.tree(path) if run.sources.words(path).intersection(words) else None
        if tree is not None:
            yield path, tree


def _hparams(run: Interpreter, paths: Sequence[str], holder: Option) -> _Made:
    """The settings of the HParams that parse the text of an option."""
    made = list(_modules(run, paths, "HParams"))
    handing = _modules(run, paths, "parse") if made else ()
    if not any(_hands(call, holder) for path, _ in handing for call in run.sources.calls(path, "parse")):
        return []
    for path, _ in made:
        for call in run.sources.calls(path, "HParams"):
            named = [one for one in call.keywords if one.arg]
            if named:
                return [(str(one.arg), _literal(one.value), (path, one.value.lineno)) for one in named]
    return []


def _attributes(run: Interpreter, paths: Sequence[str], holder: Option) -> _Made:
    """The attributes of the class that is made with what the JSON text of an option says."""
    for path, tree in _modules(run, paths, "loads"):
        if not any(_hands(call, holder) for call in run.sources.calls(path, "loads")):
            continue
        for name in _read_as_json(tree, holder):
            for call in (one for one in ast.walk(tree) if isinstance(one, ast.Call)):
                if any(one.arg is None and getattr(one.value, "id", "") == name for one in call.keywords):
                    return _of_class(_modules(run, paths, called_name(call)), called_name(call))
    return []


def _read_as_json(tree: ast.Module, holder: Option) -> Iterator[str]:
    """The variables that hold the JSON text of an option, read."""
    for node in ast.walk(tree):
        if not isinstance(node, ast.Assign) or not isinstance(node.value, ast.Call):
            continue
        target = node.targets[0]
        if isinstance(target, ast.Name) and called_name(node.value) == "loads" and _hands(node.value, holder):
            yield target.id


def _of_class(modules: Iterable[_Module], name: str) -> _Made:
    """What the __init__ of a class sets before it takes more by keyword."""
    for path, tree in modules:
        for cls in (one for one in tree.body if isinstance(one, ast.ClassDef) and one.name == name):
            makers = [one for one in cls.body if isinstance(one, ast.FunctionDef) and one.name == "__init__"]
            if makers and makers[0].args.kwarg is not None:
                return list(_set_in(makers[0], path))
    return []


def _set_in(maker: ast.FunctionDef, path: str) -> Iterator[tuple[str, Any, tuple[str, int]]]:
    """`self.name = value`, but for what the parameters say."""
    taken = {one.arg for one in maker.args.args}
    seen: set[str] = set()
    for node in maker.body:
        target = node.targets[0] if isinstance(node, ast.Assign) else None
        if not isinstance(node, ast.Assign) or not isinstance(target, ast.Attribute) or target.attr in taken | seen:
            continue
        if isinstance(target.value, ast.Name) and target.value.id == "self":
            seen.add(target.attr)
            yield target.attr, _literal(node.value), (path, node.lineno)


def _hands(call: ast.Call, holder: Option) -> bool:
    """Whether a call is given the text of an option and nothing else: `args.hparams`, `args["--hparams"]`, `hparams_string`."""
    if len(call.args) != 1 or call.keywords:
        return False
    given = call.args[0]
    if isinstance(given, ast.Attribute):
        return given.attr == holder.dest
    if isinstance(given, ast.Subscript) and isinstance(given.slice, ast.Constant):
        return given.slice.value in {holder.dest, *holder.flags}
    return isinstance(given, ast.Name) and given.id in {holder.dest, f"{holder.dest}_string", f"{holder.dest}_str"}


def _literal(node: ast.expr) -> Any:
    try:
        return ast.literal_eval(node)
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        return UNKNOWN
