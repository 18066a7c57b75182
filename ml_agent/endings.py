"""Every way a run can end, with its name and exit code. A good ending is named after what was seen, never after more."""

from collections.abc import Sequence
from enum import Enum

from ml_agent.delivery.expectation import Expectation, Judgement
from ml_agent.draft import CHOSEN, Draft
from ml_agent.errors import BudgetExceededError, ModelError
from ml_agent.sandbox.contract import Response
from ml_agent.settings import RunMode
from ml_agent.state import EVIDENCE, Evidence


class Ending(Enum):
    """Name of the ending as it stands in run.json, and the exit code."""

    CHECKED = ("checked", 0)
    """Asked for: checked, not run."""
    STARTED = ("started", 0)
    """Asked for: the program's own code was reached and went on without error."""
    COMPLETED = ("completed", 0)
    """Asked for: it ran to its end. Neither the request nor the answer names a file that should come out."""
    DELIVERED = ("delivered", 0)
    """It ran to its end, and everything that should come out is there and is what it should be."""
    NOT_DELIVERED = ("not-delivered", 1)
    """It ran to its end, but not everything that should come out did, or not with the values that were named."""
    NOT_REACHED = ("not-reached", 1)
    """There is an answer, but it did not get as far as was asked."""
    NO_REPOSITORY = ("no-repository", 1)
    """No candidate can do the task."""
    NO_ANSWER = ("no-answer", 1)
    """Repositories were read, but no valid answer was found."""
    UNSURE = ("unsure", 1)
    """No answer is likely enough to be the one that was asked for; several are offered."""
    BUDGET = ("budget", BudgetExceededError.exit_code)
    """A limit was reached first."""
    MODEL_GONE = ("model-gone", ModelError.exit_code)
    """The model did not answer, or with nothing of use; `ml-agent resume` goes on where it was."""

    @property
    def label(self) -> str:
        """The name as it is recorded."""
        return self.value[0]

    @property
    def exit_code(self) -> int:
        """The exit code of the command line."""
        return self.value[1]

    @classmethod
    def named(cls, label: str) -> "Ending":
        """The ending of that name; KeyError for an unknown one."""
        return {ending.label: ending for ending in cls}[label]


RESUMABLE = frozenset({Ending.BUDGET.label, Ending.MODEL_GONE.label})
"""Endings from which a run goes on before the node that ended it."""
NOT_IN_IT = "not in it:"
"""Stands before the values of the sentence that an answer lacks."""


def bounded(ending: Ending, message: str, draft: Draft) -> tuple[Ending, str]:
    """An ending that claims no more than the account of the user's values does.

    A value that was given by the name of an option and is not in the answer was not delivered; unless the author says why it does not
    belong into it, or the user chose this answer. Any other may describe what is there ("my 100 sentences", "under Python 3.11"): it is
    only said, and so it is where nothing ran to its end.
    """
    lost = [one for one in draft.ledger if one.required and one.status == "not found"]
    if not lost:
        return ending, message
    texts = list(dict.fromkeys(one.text for one in lost))
    count = "1 value of your request is" if len(texts) == 1 else f"{len(texts)} values of your request are"
    full_message = f"{message}; {count} {NOT_IN_IT} {', '.join(texts)}"
    disputed = " ".join(dispute.finding for dispute in draft.disputes)
    failed = draft.source != CHOSEN and any(one.named and one.text not in disputed for one in lost)
    done = ending in (Ending.COMPLETED, Ending.DELIVERED)
    return (Ending.NOT_DELIVERED if done and failed else ending), full_message


# How far an answer was seen to work, and how far it was asked to.

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
