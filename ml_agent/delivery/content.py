"""What a file holds, judged by its kind; `main` does it in a process of its own (see `ml_agent.delivery.content_process`)."""

import resource
import struct
import sys

import msgspec

from ml_agent.delivery.binary_kinds import BINARY_KINDS
from ml_agent.delivery.expectation import Expectation
from ml_agent.delivery.text_kinds import TEXT_KINDS, InvalidContent, error_in, text_of

ERROR_LENGTH = 4096
"""Bytes; a longer file of a kind we do not know is no error message."""
MOST_MEMORY = 2 * 1024**3
MOST_SECONDS = 30
"""Of processor time."""
_MALFORMED = (
    struct.error, ArithmeticError, AssertionError, AttributeError, LookupError, RecursionError, TypeError, ValueError,
)  # fmt: skip
"""What readers raise where the content breaks their rules, libraries' readers too."""


class ContentJob(msgspec.Struct, frozen=True, kw_only=True):
    """What the process is asked for; the content follows in the next line."""

    expected: Expectation
    whole: bool
    """Whether all of the content is there."""


class ContentReport(msgspec.Struct, frozen=True, kw_only=True):
    """What it answers."""

    said: str
    valid: bool


def judge_content(data: bytes, whole: bool, expected: Expectation) -> str:
    """What the content is, in a few words; raises InvalidContent where it is not what is expected."""
    try:
        if (by_text := TEXT_KINDS.get(expected.kind)) is not None:
            return by_text(text_of(data), expected) if whole else f"{expected.kind}, too large to be judged whole"
        if (by_bytes := BINARY_KINDS.get(expected.kind)) is not None:
            return by_bytes(data, whole)
    except _MALFORMED as error:
        raise InvalidContent(f"is no {expected.kind}, or breaks off") from error
    if len(data) < ERROR_LENGTH and (said := error_in(data.decode("utf-8", "replace"))) is not None:
        raise InvalidContent(f"holds an error message: {said}")
    return f"{len(data)} bytes"


def main() -> None:
    """Judge what comes on the standard input, within limits on memory and time; they end the process."""
    limits = (
        (resource.RLIMIT_AS, MOST_MEMORY),
        (resource.RLIMIT_CPU, MOST_SECONDS),
        (resource.RLIMIT_CORE, 0),
    )
    for kind, most in limits:
        hard = resource.getrlimit(kind)[1]
        resource.setrlimit(kind, (most if hard == resource.RLIM_INFINITY else min(most, hard), hard))
    job = msgspec.json.decode(sys.stdin.buffer.readline(), type=ContentJob)
    try:
        report = ContentReport(
            said=judge_content(sys.stdin.buffer.read(), job.whole, job.expected),
            valid=True,
        )
    except InvalidContent as wrong:
        report = ContentReport(said=str(wrong), valid=False)
    print(msgspec.json.encode(report).decode(), flush=True)
