"""Judges a file's content in a process of its own, so that none can fill our memory or keep us busy."""

import os
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryFile

import msgspec

from ml_agent.delivery.content import MOST_REPORT, MOST_SECONDS, ContentJob, ContentReport
from ml_agent.delivery.expectation import Expectation
from ml_agent.delivery.text_kinds import InvalidContent
from ml_agent.tools.secret_names import without_secrets

WAIT_SECONDS = 2 * MOST_SECONDS
"""Of the clock: on a busy machine the processor's time takes longer."""
_CHILD = "import sys; sys.path.insert(0, sys.argv[1]); from ml_agent.delivery.content import main; main()"


class ContentNotJudged(Exception):
    """It takes more memory or time than a judgement may; the message says so, in one line."""


def judge_apart(data: bytes, whole: bool, expected: Expectation) -> str:
    """What the content is, in a few words; raises InvalidContent where it is not what is expected, and ContentNotJudged."""
    report = report_apart(data, whole, expected)
    if not report.valid:
        raise InvalidContent(report.said)
    return report.said


def report_apart(data: bytes, whole: bool, expected: Expectation) -> ContentReport:
    """What the content is, with its head and its doubts. Raises ContentNotJudged."""
    job = msgspec.json.encode(ContentJob(expected=expected, whole=whole)) + b"\n"
    home = str(Path(__file__).parents[2])
    try:
        with TemporaryFile() as answer:  # its size has a limit, a pipe's content has none
            subprocess.run(
                [sys.executable, "-I", "-c", _CHILD, home], input=job + data, stdout=answer,
                stderr=subprocess.DEVNULL, timeout=WAIT_SECONDS, env=without_secrets(os.environ), check=True,
            )  # fmt: skip
            answer.seek(0)
            return msgspec.json.decode(answer.read(MOST_REPORT), type=ContentReport)
    except (subprocess.SubprocessError, OSError, msgspec.DecodeError) as error:
        raise ContentNotJudged("takes too much memory or time to be judged") from error
