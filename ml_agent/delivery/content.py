"""What a file holds, judged by its kind; `main` does it in a process of its own (see `ml_agent.delivery.content`)."""

import os
import resource
import struct
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryFile

import msgspec

from ml_agent.delivery.binary_kinds import BINARY_KINDS, TooLarge
from ml_agent.delivery.expectation import Expectation
from ml_agent.delivery.heads import head_of
from ml_agent.delivery.text_kinds import (
    MOST_PARSED,
    TEXT_KINDS,
    InvalidContent,
    NotAsWorded,
    error_in,
    judge_jsonl,
    text_of,
)
from ml_agent.tools.secret_names import without_secrets

ERROR_LENGTH = 4096
"""Bytes; a longer file of a kind we do not know is no error message."""
MOST_SAID = 300
"""Characters of what is said of a file, whatever it holds."""
MOST_REPORT = 16 * 1024
"""Bytes of the process's answer."""
MOST_MEMORY = 2 * 1024**3
MOST_SECONDS = 30
"""Of processor time."""
_BEGINNINGS = {"json": ("{", "[", '"'), "vtt": ("WEBVTT",), "svg": ("<",)}
"""What all large files of a kind begin with."""
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
    worded: bool = False
    """Whether only what words asked for is lacking."""
    judged: bool = True
    """Whether that could be seen at all."""
    head: tuple[str, ...] = ()
    doubts: tuple[str, ...] = ()


def judge_content(data: bytes, whole: bool, expected: Expectation) -> str:
    """What the content is, in a few words; raises InvalidContent where it is not what is expected."""
    try:
        if (by_text := TEXT_KINDS.get(expected.kind)) is not None:
            return by_text(text_of(data), expected) if whole else _judge_beginning(data[:MOST_PARSED], expected)
        if (by_bytes := BINARY_KINDS.get(expected.kind)) is not None:
            return by_bytes(data, whole)
    except _MALFORMED as error:
        raise InvalidContent(f"is not {expected.kind}, or is truncated") from error
    if len(data) < ERROR_LENGTH and (said := error_in(data.decode("utf-8", "replace"))) is not None:
        raise InvalidContent(f"holds an error message: {said}")
    return f"{len(data)} bytes"


def report_on(data: bytes, whole: bool, expected: Expectation) -> ContentReport:
    """What the content is, whether that is what was expected, its head, and what is doubtful in it."""
    head = head_of(data, whole, expected)
    lines, doubts = tuple(map(_in_one_line, head.lines)), tuple(map(_in_one_line, head.doubts))
    try:
        said, valid, worded = judge_content(data, whole, expected), True, False
    except InvalidContent as wrong:
        said, valid, worded = str(wrong), False, isinstance(wrong, NotAsWorded)
    except TooLarge as large:
        return ContentReport(said=_in_one_line(str(large)), valid=False, judged=False)
    if head.void and (valid or worded):
        said, valid, worded = head.void, False, False
    return ContentReport(said=_in_one_line(said), valid=valid, worded=worded, head=lines, doubts=doubts)


def _judge_beginning(data: bytes, expected: Expectation) -> str:
    """Of a text that is too large to be judged whole: text it must be, and begin as its kind does."""
    text = text_of(data, whole=False).lstrip()
    if not text.startswith(_BEGINNINGS.get(expected.kind, ("",))):
        raise InvalidContent(f"does not begin like a file of the kind {expected.kind}")
    line, ended, _ = text.partition("\n")
    if expected.kind == "jsonl" and ended:
        judge_jsonl(line, msgspec.structs.replace(expected, rows=None))
    return f"{expected.kind} by its first bytes; too large to be read as a whole"


def _in_one_line(said: str) -> str:
    """The first words, which a file may have made long; half characters are replaced."""
    line = " ".join(said[: 4 * MOST_SAID].split()).encode("utf-8", "replace").decode()
    return line if len(line) <= MOST_SAID else f"{line[: MOST_SAID - 1]}…"


def main() -> None:
    """Judge what comes on the standard input, within limits on memory and time; they end the process."""
    limits = (
        (resource.RLIMIT_AS, MOST_MEMORY),
        (resource.RLIMIT_CPU, MOST_SECONDS),
        (resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_FSIZE, MOST_REPORT),
    )
    for kind, most in limits:
        hard = resource.getrlimit(kind)[1]
        resource.setrlimit(kind, (most if hard == resource.RLIM_INFINITY else min(most, hard), hard))
    job = msgspec.json.decode(sys.stdin.buffer.readline(), type=ContentJob)
    report = report_on(sys.stdin.buffer.read(), job.whole, job.expected)
    print(msgspec.json.encode(report).decode(), flush=True)


# Judges a file's content in a process of its own, so that none can fill our memory or keep us busy.

_CHILD = "import sys; sys.path.insert(0, sys.argv[1]); from ml_agent.delivery.content import main; main()"


class ContentNotJudged(Exception):
    """It takes more memory or time than a judgement may; the message says so, in one line."""


def judge_apart(data: bytes, whole: bool, expected: Expectation) -> str:
    """What the content is, in a few words; raises InvalidContent where it is not what is expected, and ContentNotJudged."""
    report = report_apart(data, whole, expected)
    if not report.valid:
        raise InvalidContent(report.said)
    return report.said


def report_apart(data: bytes, whole: bool, expected: Expectation, seconds: float = 2 * MOST_SECONDS) -> ContentReport:
    """What the content is, with its head and its doubts, waited for so many seconds. Raises ContentNotJudged."""
    job = msgspec.json.encode(ContentJob(expected=expected, whole=whole)) + b"\n"
    home = str(Path(__file__).parents[2])
    try:
        with TemporaryFile() as answer:  # its size has a limit, a pipe's content has none
            subprocess.run(
                [sys.executable, "-I", "-c", _CHILD, home], input=job + data, stdout=answer,
                stderr=subprocess.DEVNULL, timeout=seconds, env=without_secrets(os.environ), check=True,
            )  # fmt: skip
            answer.seek(0)
            report = msgspec.json.decode(answer.read(MOST_REPORT), type=ContentReport)
    except (subprocess.SubprocessError, OSError, msgspec.DecodeError) as error:
        raise ContentNotJudged("takes too much memory or time to be judged") from error
    if not report.judged:
        raise ContentNotJudged(report.said)
    return report
