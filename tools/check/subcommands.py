"""Commands that name no subcommand, or one that there is not."""

import re
from collections.abc import Callable, Sequence

from tools.commandline.invocation import Invocation
from tools.findings import Finding
from tools.launchers import HELP
from tools.signatures.model import Signature
from tools.signatures.nearest import nearest


def check_subcommand(
    signatures: Sequence[Signature], invocation: Invocation, text: Callable[[str], str | None]
) -> list[Finding]:
    """What is wrong where the words choose none of the subcommands.

    Args:
        signatures: those of the entry point.
        invocation: how it is called.
        text: gives the text of a file of the repository.
    """
    if any(word in HELP for word in invocation.words):
        return []
    names = sorted({s.subcommand[0] for s in signatures if s.subcommand})
    given = next((word for word in invocation.words if not word.startswith("-")), "")
    sure = not any(s.accepts_unknown for s in signatures)
    if signatures[0].framework == "fire":  # without a member help is shown, and attributes are members, too
        mentioned = re.search(rf"\b{re.escape(given)}\b", text(signatures[0].path) or "")
        sure = not any(s.unseen for s in signatures) and bool(given) and not mentioned
    return [
        Finding(
            code="missing-required", message=f"{invocation.name} needs one of {', '.join(names[:12])}",
            severity="error" if sure else "warning", subject=given, suggestion=nearest(given, names) if given else "",
        )
    ]  # fmt: skip
