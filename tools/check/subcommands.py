"""Commands that name no subcommand, or one that there is not."""

from collections.abc import Sequence

from ml_agent.tools.commandline.invocation import Invocation
from ml_agent.tools.commandline.reader import BARE_VARIABLE
from ml_agent.tools.findings import Finding
from ml_agent.tools.launchers import HELP
from ml_agent.tools.signatures.model import Signature
from ml_agent.tools.signatures.nearest import nearest


def check_subcommand(signatures: Sequence[Signature], invocation: Invocation) -> list[Finding]:
    """What is wrong where the words choose none of the subcommands.

    Args:
        signatures: those of the entry point.
        invocation: how it is called.
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
    # fire shows its help where no member is named, and attributes are members, too
    sure = signatures[0].framework != "fire" and not any(s.accepts_unknown for s in signatures)
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
