"""The published scorer's rules 1 and 2 (gersteinlab/ML-Bench, utils/exec.py), traps included.

Its rule 3 runs answers in conda environments of its own on the machine itself; that is not done here, so no Pass@k of ours is
called official.
"""

import re
from collections.abc import Mapping
from typing import Any

from ml_agent.benchmarks.data import Kind

MARKS = (".sh ", ".py ")
_ENDS_WITH_SCRIPT = re.compile(r"(\.(?:py|sh))$", re.MULTILINE)


def validate_arguments(output: str, arguments: Mapping[str, Any]) -> bool:
    """Rule 1: every value, as text, occurs in the output, in whatever case."""
    return all(str(value).lower() in output.lower() for value in arguments.values())


def validate_type(output: str, kind: Kind) -> bool:
    """Rule 2: the output is of the kind that is asked for."""
    return looks_like_bash(output) == (kind == "bash")


def looks_like_bash(output: str) -> bool:
    """`.sh ` or `.py `, with the blank, makes an output bash; anything else is Python."""
    return any(mark in output for mark in MARKS)


def as_published(command: str) -> str:
    """A command in the form that is taken for bash: where no blank follows `.py` or `.sh`, one is added at the end of a line."""
    return command if looks_like_bash(command) else _ENDS_WITH_SCRIPT.sub(r"\1 ", command, count=1)
