"""Prompts that stand before a command as it was copied: bash takes them for a program or for a redirection."""

import re
from collections.abc import Iterator, Sequence

import msgspec

from ml_agent.tools.commandline.invocation import Invocation
from ml_agent.tools.findings import Finding

_PROMPT = re.compile(r"\s*([$%]|>>?(?=\s+(?:python|bash|sh|torchrun|accelerate|pip)[\d.]*\s))\s+(\S.*)")
"""A file that is named like an interpreter is no place for output."""


def check_prompts(text: str, invocations: Sequence[Invocation]) -> Iterator[Finding]:
    """The lines with commands that begin with a prompt."""
    lines = text.split("\n")
    for number in sorted({one.line for one in invocations if 0 < one.line <= len(lines)}):
        match = _PROMPT.match(lines[number - 1])
        if match is not None:
            message = f"{match[1]} is a prompt and no part of the command"
            finding = Finding(code="syntax", message=message, subject=match[1], suggestion=match[2])
            yield msgspec.structs.replace(finding, at=number)
