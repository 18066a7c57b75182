"""Texts with one thing wrong."""

import ast
import re
from collections.abc import Callable, Iterator

import msgspec

from ml_agent.tools.commandline.edit import Call, Lookup, find_calls, set_option, without
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
    call = next((call for call in find_calls(text, lookup) if call.signature is not None), None)
    if call is None:
        return
    made = {
        "unknown-option": unknown_option(call), "wrong-choice": wrong_choice(call), "wrong-type": wrong_type(call),
        "missing-required": missing_required(call), **misspelt(call),
    }  # fmt: skip
    for mutation, changed_text in made.items():
        if changed_text is not None:
            yield mutation, changed_text


def misspelling(word: str) -> str:
    """A word with two letters in the wrong order; where that changes nothing, with one letter too many."""
    for at in range(len(word) // 2, 0, -1):
        if word[at - 1 : at + 1].isalpha() and word[at - 1] != word[at]:
            return word[: at - 1] + word[at] + word[at - 1] + word[at + 1 :]
    return word + "x"


def unknown_option(call: Call) -> str | None:
    """The last long option, or setting, misspelt; without one, an option that nobody has."""
    for at in range(len(call.arguments) - 1, -1, -1):
        part = call.arguments[at]
        if (part.kind == "option" and part.flag.startswith("--") and len(part.flag) > 4) or part.kind == "override":
            misspelt = msgspec.structs.replace(part, flag=misspelling(part.flag))
            return call.with_words(part.start, part.stop, misspelt.words())
    if call.signature is None or call.signature.syntax not in ("argparse", "absl", "click"):
        return None
    end = len(call.spans) - 1
    return call.with_words(end, end, ("--frobnicate", "3"))


def wrong_choice(call: Call) -> str | None:
    """An option that has choices, with none of them."""
    return _spoilt(call, lambda option: bool(option.choices), "no_such_choice")


def wrong_type(call: Call) -> str | None:
    """A number option with a word."""
    return _spoilt(
        call,
        lambda option: option.type in ("int", "float") and option.nargs != "0" and not option.choices,
        "many",
    )


def _spoilt(call: Call, fits: Callable[[Option], bool], value: str) -> str | None:
    """The call with a bad value in the first given option that fits, else in the first that could be given."""
    options = [option for option in (call.signature.options if call.signature else ()) if fits(option)]
    given = {part.dest for part in call.arguments}
    for option in sorted(options, key=lambda option: option.dest not in given):
        several = option.nargs in ("*", "+", "...") or (option.nargs or "").isdigit()
        count = int(option.nargs) if option.nargs and option.nargs.isdigit() else 1
        try:
            return set_option(call, option.dest, [value] * count if several or option.repeatable else value).text()
        except RenderError:
            continue
    return None


def missing_required(call: Call) -> str | None:
    """The call without the first required option that is given."""
    required = [option.dest for option in (call.signature.options if call.signature else ()) if option.required]
    for option in required:
        given = [part for part in call.arguments if part.dest == option]
        if given:
            return without(call, given).text()
    return None


def misspelt(call: Call) -> dict[str, str]:
    """The call of a script, a module or a console script whose name is misspelt."""
    target, raw = call.invocation.target, call.entry
    if target in ("script", "shell", "module"):
        suffix = _SUFFIX.search(raw)
        stem = raw[: suffix.start()] if suffix else raw
        head, sign, name = re.split(r"([/.])(?=[^/.]*$)", stem) if re.search(r"[/.]", stem) else ("", "", stem)
        if len(name) < 3 or not re.fullmatch(r"[\w-]+", name):
            return {}
        changed = f"{head}{sign}{misspelling(name)}{suffix[0] if suffix else ''}"
        return {"misspelt-script": call.with_entry(changed)}
    if target == "console" and call.signature is not None and call.signature.kind == "console":
        return {"misspelt-console": call.with_entry(misspelling(raw))}
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
