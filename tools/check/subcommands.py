"""Commands that name no subcommand, or one that there is not."""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence

from tools.commandline.invocation import Invocation
from tools.commandline.reader import BARE_VARIABLE
from tools.findings import Finding
from tools.launchers import HELP
from tools.signatures.model import Signature
from tools.signatures.nearest import is_slip, nearest


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
        *(flag for s in signatures for o in (*s.endings, *s.options) if o.ends and not o.level for flag in o.flags),
    }
    if any(word in ends or BARE_VARIABLE.match(word) for word in invocation.words):
        return []  # a variable may hold the subcommand
    names = sorted({s.subcommand[0] for s in signatures if s.subcommand})
    known = [*names, *(name for s in signatures if s.subcommand for name in s.spellings[0])]
    given = next((word for word in invocation.words if not word.startswith("-")), "")
    sure = not any(s.accepts_unknown for s in signatures)
    if signatures[0].framework == "fire":  # without a member help is shown, and attributes are members, too
        mentioned = re.search(rf"\b{re.escape(given)}\b", text(signatures[0].path) or "")
        sure = not any(s.unseen for s in signatures) and bool(given) and not mentioned
    return [
        Finding(
            code="missing-required", message=f"{invocation.name} needs one of {', '.join(names[:12])}",
            severity="error" if sure else "warning", subject=given, suggestion=nearest(given, known) if given else "",
        )
    ]  # fmt: skip


def name_slips(findings: Iterable[Finding], called: Signature, signatures: Sequence[Signature]) -> Iterator[Finding]:
    """What was found of a call; a word that nobody can tell about is named where it is a slip of a known subcommand.

    Args:
        findings: of the call.
        called: which of the signatures its words choose.
        signatures: those of the entry point.
    """
    path, level = called.subcommand, len(called.subcommand)
    names = sorted(
        {s.subcommand[level] for s in signatures if len(s.subcommand) > level and s.subcommand[:level] == path}
    )
    for finding in findings:
        near = nearest(finding.subject, names) if finding.code == "cannot-tell" and names else ""
        if near and is_slip(finding.subject, near):
            message = f"{called.path} has no subcommand {finding.subject} of its own; did you mean {near}?"
            yield Finding(
                code="bad-choice", message=message, severity="warning", subject=finding.subject, suggestion=near
            )
        else:
            yield finding
