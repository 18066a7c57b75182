"""A request that is itself a command of the repository, as a user types it: it is answered by that command."""

import re
from pathlib import Path

from ml_agent.account import called
from ml_agent.draft import Draft
from ml_agent.inputs import against
from ml_agent.navigator import Workspace
from ml_agent.request import Request
from ml_agent.tools.check.command import check_command
from ml_agent.tools.commandline.shell import parse_command

_LEAD = re.compile(r"\s*(?:please\s+)?(?:(?:run|execute|call|start)\b:?\s*)?(?:the command\b:?\s*)?", re.IGNORECASE)
_TYPED = re.compile(r"(?:^|\s)(?:--?[A-Za-z]|(?:\./)?[\w./-]+\.(?:py|sh)\b|\./)")
"""An option, a script or a path of a program: prose has no such word at its place."""
_QUOTED = re.compile(r"'[^']*'|\"[^\"]*\"")
_PROSE = re.compile(r"(?<!\S)(?:a|an|the|my|of|to|at|in|on|by|for|from|into|with|and|or|but|then|is|are|it)(?![^\s,.])")
"""Words of a sentence: a program that takes any words would take them as its own."""
_LONGEST = 4_000


def typed_command(request: Request, workspace: Workspace) -> Draft | None:
    """The command that a request is, where it calls a program of the repository and no check speaks against it; else None."""
    text = request.instruction[:_LONGEST]
    text = text[len(match[0]) :] if (match := _LEAD.match(text)) else text
    text = text.strip().removesuffix(".").strip("`\n ")
    if not _TYPED.search(text) or "`" in text or len(request.instruction) > _LONGEST:
        return None
    if _PROSE.search(_QUOTED.sub("", text)):
        return None
    index, folder = workspace.index, workspace.path or "."
    calls = parse_command(text).invocations
    if calls and calls[0].program == "make":
        calls = calls[1:]
    signature = called(calls[0], folder, index) if calls else None
    if signature is None and not (calls and calls[0].program.startswith("./")):
        return None
    entry = signature.path if signature is not None else ""
    draft = Draft(
        kind="bash",
        text=text,
        workdir=folder,
        entry=entry,
        because="the request is a command",
        confidence=1.0,
        level="sure",
    )
    found = against(check_command(text, index, folder), draft, request, index, Path.cwd())
    return None if any(finding.severity == "error" for finding in found) else draft
