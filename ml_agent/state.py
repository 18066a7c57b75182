"""What is checkpointed: plain values only; long texts live in files of the run folder."""

from typing import Any, Literal, TypedDict

import msgspec

from ml_agent.delivery.expectation import Expectation

Evidence = Literal["none", "checked", "started", "completed", "delivered"]
EVIDENCE: tuple[Evidence, ...] = ("none", "checked", "started", "completed", "delivered")
"""How far an answer was seen to work, in rising order."""

Plain = dict[str, Any]
"""A value object as `msgspec.to_builtins` gives it."""


class State(TypedDict, total=False):
    """The run between two nodes."""

    instruction: str
    given: Plain
    request: Plain
    expected: list[Plain]
    """What should come out of the run, as the author of the answer in turn has it, too."""
    stated: list[Plain]
    """What should come out by the user's words alone."""
    turn: str
    """What the user says to what came of an earlier run; `draft` and `repairs` are then those of that run."""
    candidates: list[Plain]
    position: int
    """Which candidate is in turn; a later failure falls to the next one."""
    rejected: list[str]
    """Candidates that were judged unable; they stand at the end of the list once more."""
    left: list[Plain]
    """Candidates that were left, each with its name and why."""
    failure: Plain
    """Ending and message of the first candidate that failed for its own reasons."""
    repository: Plain
    """root, version and url of the checkout in turn."""
    workdir: str
    attempts: list[Plain]
    """What was tried on this candidate, with the reasons why it does not do."""
    draft: Plain
    best: Plain
    """The draft that was seen to get furthest so far, with its evidence, repository and workdir."""
    repairs: list[Plain]
    """Set-up actions taken beyond the plan, in order."""
    outcome: Plain
    """What the last execution did."""
    review: bool
    """Whether the author of the answer has still to be shown that."""
    rejection: str
    """Why the model found that a repository cannot do the task."""
    offered: list[Plain]
    """Different answers of which none is likely enough, best first, each with its repository."""
    budget: Plain
    ending: str
    message: str


def expected_of(state: State) -> tuple[Expectation, ...]:
    """What should come out of the run."""
    return tuple(msgspec.convert(state.get("expected", []), list[Expectation]))


def stated_of(state: State) -> tuple[Expectation, ...]:
    """What should come out by the user's words alone."""
    return tuple(msgspec.convert(state.get("stated", []), list[Expectation]))
