"""What to do about a failure, by rules: one repair at a time, never the same one twice."""

import hashlib
import re
from collections.abc import Sequence
from typing import Literal

import msgspec

from ml_agent.sandbox.diagnosis import Diagnosis

RepairKind = Literal["afresh", "install", "system", "environment", "path", "made"]

MAX_REPAIRS = 12
MAX_PER_FAILURE = 4
"""After as many repairs that did not change the failure, it is not for rules."""


class Repair(msgspec.Struct, frozen=True, kw_only=True):
    """One change to the environment or to how the command is run."""

    kind: RepairKind
    """afresh: the environment once more, not from an earlier run; install: requirements in one resolution with all others, and
    `--python 3.9` or `--exclude-newer 2020-06-15` for the whole; system: Debian packages; environment: NAME=VALUE; path: folders
    of the repository for Python's path; made: folders
    that it writes into."""
    arguments: tuple[str, ...]
    module: str = ""
    """What an installation must bring."""
    why: str = ""
    """One line for a person."""
    failure: str = ""
    """Signature of the failure that it answers."""


def signature(command: str, diagnosis: Diagnosis) -> str:
    """The same for the same failure of the same command, whatever numbers, addresses and times its lines carry."""
    last = diagnosis.evidence[-1] if diagnosis.evidence else diagnosis.message
    plain = re.sub(r"0x[0-9a-f]+|\d+", "#", last.lower())
    return hashlib.sha256("\0".join([command, diagnosis.code, diagnosis.subject, plain]).encode()).hexdigest()[:16]


def pick(candidates: Sequence[Repair], history: Sequence[Repair], failure: str) -> Repair | None:
    """The first candidate that was not tried, unless this failure, or all of them, had their share."""
    if len(history) >= MAX_REPAIRS or sum(repair.failure == failure for repair in history) >= MAX_PER_FAILURE:
        return None
    tried = {(repair.kind, repair.arguments) for repair in history}
    for candidate in candidates:
        if (candidate.kind, candidate.arguments) not in tried:
            return msgspec.structs.replace(candidate, failure=failure)
    return None
