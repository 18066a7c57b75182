"""Commands that name no subcommand, or one that there is not."""

import ast
import re
from collections.abc import Callable, Sequence

from ml_agent.tools.commandline.invocation import Invocation
from ml_agent.tools.commandline.reader import BARE_VARIABLE
from ml_agent.tools.findings import Finding
from ml_agent.tools.launchers import HELP
from ml_agent.tools.python_source import parse_python
from ml_agent.tools.signatures.model import Signature
from ml_agent.tools.signatures.nearest import nearest


def check_subcommand(
    signatures: Sequence[Signature], invocation: Invocation, text: Callable[[str], str | None]
) -> list[Finding]:
    """What is wrong where the words choose none of the subcommands.

    Args:
        signatures: those of the entry point.
        invocation: how it is called.
        text: gives the text of a file of the repository.
    """
    ends = {
        *HELP,
        *(flag for s in signatures for o in s.options if o.ends and not o.level for flag in o.flags),
    }
    if any(word in ends or BARE_VARIABLE.match(word) for word in invocation.words):
        return []  # a variable may hold the subcommand
    chosen, given = _choose(signatures, invocation.words)
    level = len(chosen)
    below = [s for s in signatures if s.subcommand[:level] == chosen and len(s.subcommand) > level]
    names = sorted({s.subcommand[level] for s in below})
    sure = not any(s.accepts_unknown for s in signatures)
    if signatures[0].framework == "fire":  # without a member help is shown, and attributes are members, too
        first = invocation.words.index(given) if given else 0
        behind_option = any(word.startswith("-") for word in invocation.words[:first])
        may_be = behind_option or given in dir(dict) or _names(given.replace("-", "_"), text(signatures[0].path) or "")
        sure = not any(s.unseen for s in signatures) and bool(given) and not may_be
    called = " ".join((invocation.name, *chosen))
    near = nearest(given, names) if given else ""
    needed = f"{called} needs one of {', '.join(names[:12])}"
    return [
        Finding(
            code="missing-required", message=f"{called} has no subcommand {given}; did you mean {near}?" if near else needed,
            severity="error" if sure else "warning", subject=given, suggestion=near,
        )
    ]  # fmt: skip


def _choose(signatures: Sequence[Signature], words: Sequence[str]) -> tuple[tuple[str, ...], str]:
    """The subcommands that plain words choose one below the other, and the first word that chooses none; "" for no such word."""
    chosen: tuple[str, ...] = ()
    for word in words:
        if not word.startswith("-"):
            level = len(chosen)
            below = (s for s in signatures if s.subcommand[:level] == chosen and len(s.subcommand) > level)
            found = next((s for s in below if word == s.subcommand[level]), None)
            if found is None:
                return chosen, word
            chosen = found.subcommand[: level + 1]
    return chosen, ""


def _names(word: str, code: str) -> bool:
    """Whether code has something of that name: a variable, an attribute, a function, a key; else its text says it."""
    tree = parse_python(code.encode())
    if tree is None:
        return re.search(rf"\b{re.escape(word)}\b", code) is not None
    spelled = (
        getattr(node, field, None)
        for node in ast.walk(tree)
        for field in ("id", "attr", "arg", "name", "asname", "value")
    )
    return word in {text.replace("-", "_") for text in spelled if isinstance(text, str)}
