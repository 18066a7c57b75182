"""How far an answer was seen to work, and how far it was asked to."""

from collections.abc import Sequence

from ml_agent.delivery.expectation import Expectation, Judgement
from ml_agent.sandbox.contract import Response
from ml_agent.settings import RunMode
from ml_agent.state import EVIDENCE, Evidence

DELIVERED = ("delivered", "disputed")
"""Judgements that something came out; of a disputed one the result says so."""


def level_asked(run: RunMode, expected: Sequence[Expectation]) -> Evidence:
    """The evidence that a run mode asks for; a full run that is to leave something behind must have left it."""
    if run == "full":
        return "delivered" if expected else "completed"
    return "checked" if run == "none" else "started"


def level_seen(response: Response, judgements: Sequence[Judgement], shortfall: str = "") -> Evidence:
    """How far a run was seen to get: never more than what was seen. One with a `shortfall` did nothing of the task."""
    if response.ok and shortfall:
        return "checked"
    if response.ok:
        delivered = bool(judgements) and all(one.verdict in DELIVERED for one in judgements)
        return "delivered" if delivered else "completed"
    return "started" if response.started and response.ended == "probe" else "checked"


def is_reached(asked: Evidence, seen: Evidence, judgements: Sequence[Judgement]) -> bool:
    """Whether what was asked for was seen, and nothing that should have come out by then is missing."""
    if seen == "completed" and any(one.verdict == "missing" for one in judgements):
        return False
    return EVIDENCE.index(seen) >= EVIDENCE.index(asked)
