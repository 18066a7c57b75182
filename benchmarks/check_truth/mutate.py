"""Texts with one thing wrong."""

import ast
import re
from collections.abc import Callable, Iterator

import msgspec

from ml_agent.tools.commandline.edit import set_option
from ml_agent.tools.commandline.model import Argument, Call, Word
from ml_agent.tools.commandline.parse import Lookup, parse
from ml_agent.tools.errors import RenderError
from ml_agent.tools.index import RepoIndex
from ml_agent.tools.python_api.model import ApiObject
from ml_agent.tools.signatures.model import Option

_SUFFIX = re.compile(r"\.(?:py|sh|bash)$")


def mutants(text: str, kind: str, lookup: Lookup, index: RepoIndex) -> Iterator[tuple[str, str]]:
    """(kind of fault, text) for each that applies."""
    if kind == "python":
        changed = wrong_keyword(text, index)
        if changed is not None:
            yield "wrong-keyword", changed
        return
    script = parse(text, lookup)
    call = next((call for call in script.calls if call.signature is not None), None)
    if call is None:
        return
    made = {
        "unknown-option": unknown_option(call), "wrong-choice": wrong_choice(call), "wrong-type": wrong_type(call),
        "missing-required": missing_required(call), **misspelt(call),
    }  # fmt: skip
    for mutation, changed_call in made.items():
        if changed_call is not None:
            yield mutation, script.with_call(call, changed_call).text()


def misspelling(word: str) -> str:
    """A word with two letters in the wrong order; where that changes nothing, with one letter too many."""
    for at in range(len(word) // 2, 0, -1):
        if word[at - 1 : at + 1].isalpha() and word[at - 1] != word[at]:
            return word[: at - 1] + word[at] + word[at - 1] + word[at + 1 :]
    return word + "x"


def unknown_option(call: Call) -> Call | None:
    """The last long option, or setting, misspelt; without one, an option that nobody has."""
    for at in range(len(call.arguments) - 1, -1, -1):
        part = call.arguments[at]
        if (part.kind == "option" and part.flag.startswith("--") and len(part.flag) > 4) or part.kind == "override":
            return _with(call, at, msgspec.structs.replace(part, flag=misspelling(part.flag)))
    if call.signature is None or call.signature.syntax not in ("argparse", "absl", "click"):
        return None
    end = next((n for n, part in enumerate(call.arguments) if part.kind == "redirect"), len(call.arguments))
    fresh = Argument(flag="--frobnicate", values=("3",))
    return msgspec.structs.replace(call, arguments=(*call.arguments[:end], fresh, *call.arguments[end:]))


def _with(call: Call, at: int, part: Argument) -> Call:
    return msgspec.structs.replace(call, arguments=(*call.arguments[:at], part, *call.arguments[at + 1 :]))


def wrong_choice(call: Call) -> Call | None:
    """An option that has choices, with none of them."""
    return _spoilt(call, lambda option: bool(option.choices), "no_such_choice")


def wrong_type(call: Call) -> Call | None:
    """A number option with a word."""
    return _spoilt(
        call,
        lambda option: option.type in ("int", "float") and option.nargs != "0" and not option.choices,
        "many",
    )


def _spoilt(call: Call, fits: Callable[[Option], bool], value: str) -> Call | None:
    """The call with a bad value in the first given option that fits, else in the first that could be given."""
    options = [option for option in (call.signature.options if call.signature else ()) if fits(option)]
    given = {part.dest for part in call.arguments}
    for option in sorted(options, key=lambda option: option.dest not in given):
        several = option.nargs in ("*", "+", "...") or (option.nargs or "").isdigit()
        count = int(option.nargs) if option.nargs and option.nargs.isdigit() else 1
        try:
            return set_option(call, option.dest, [value] * count if several or option.repeatable else value)
        except RenderError:
            continue
    return None


def missing_required(call: Call) -> Call | None:
    """The call without the first required option that is given."""
    required = [option.dest for option in (call.signature.options if call.signature else ()) if option.required]
    for option in required:
        kept = tuple(part for part in call.arguments if part.dest != option)
        if len(kept) < len(call.arguments):
            return msgspec.structs.replace(call, arguments=kept)
    return None


def misspelt(call: Call) -> dict[str, Call]:
    """The call of a script, a module or a console script whose name is misspelt."""
    target, raw = call.invocation.target, call.entry.raw
    if target in ("script", "shell", "module"):
        suffix = _SUFFIX.search(raw)
        stem = raw[: suffix.start()] if suffix else raw
        head, sign, name = re.split(r"([/.])(?=[^/.]*$)", stem) if re.search(r"[/.]", stem) else ("", "", stem)
        if len(name) < 3 or not re.fullmatch(r"[\w-]+", name):
            return {}
        changed = f"{head}{sign}{misspelling(name)}{suffix[0] if suffix else ''}"
        return {"misspelt-script": msgspec.structs.replace(call, entry=Word(changed, call.entry.gap))}
    if target == "console" and call.signature is not None and call.signature.kind == "console":
        changed = misspelling(raw)
        return {"misspelt-console": msgspec.structs.replace(call, entry=Word(changed, call.entry.gap))}
    return {}


def wrong_keyword(text: str, index: RepoIndex) -> str | None:
    """Python in which the last call of the repository's own API has a misspelt keyword."""
    try:
        tree = ast.parse(text)
    except SyntaxError:
        return None
    own = _own_names(tree, index)
    for node in reversed([n for n in ast.walk(tree) if isinstance(n, ast.Call)]):
        if not isinstance(node.func, ast.Name) or node.func.id not in own:
            continue
        for keyword in reversed(node.keywords):
            if keyword.arg is not None and len(keyword.arg) > 2:
                keyword.arg = misspelling(keyword.arg)
                return ast.unparse(tree)
    return None


def _own_names(tree: ast.Module, index: RepoIndex) -> set[str]:
    """Names that the code imports from the repository and that it does not bind again."""
    found: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module and not node.level:
            for alias in node.names:
                if isinstance(index.api.resolve(f"{node.module}.{alias.name}", "."), ApiObject):
                    found.add(alias.asname or alias.name)
    return found
