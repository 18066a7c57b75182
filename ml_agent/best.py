"""Which draft was seen to get furthest."""

from typing import Any

import msgspec

from ml_agent.draft import Draft
from ml_agent.execution import Outcome
from ml_agent.state import EVIDENCE, Plain, State


def better(state: State, draft: Draft, evidence: str, outcome: Outcome | None = None) -> Plain | None:
    """The further proven of the best draft so far and this one.

    Where they are equal that of the likelier repository; of one repository the later one, which knows what was wrong; but the earlier one where it only lacked data, where a model made it
    and the tables the later one, or where the tables made both and neither is sound: their first one is their best.
    """
    best = state.get("best")
    if best is not None:
        ahead = _height(best["evidence"], best.get("outcome")) - _height(evidence, msgspec.to_builtins(outcome))
        made_by = best["draft"]["source"]
        first = draft.source == "offline" and (made_by != "offline" or evidence == "none")
        elsewhere = best["candidate"]["full_name"] != state["candidates"][state["position"]]["full_name"]
        if ahead > 0 or (ahead == 0 and (first or elsewhere or best.get("lacks_data"))):
            return best
    candidate = state["candidates"][state["position"]]
    return {
        "draft": msgspec.to_builtins(msgspec.structs.replace(draft, thread=None)),
        "evidence": evidence,
        "outcome": msgspec.to_builtins(outcome) if outcome else None,
        "candidate": candidate,
        "repository": state["repository"],
        "workdir": draft.workdir,
        "repairs": state.get("repairs", []),
    }


def _height(evidence: Any, outcome: Plain | None) -> float:
    """How far a draft got: by its evidence, then by how much of what should come out did."""
    judgements: list[Plain] = (outcome or {}).get("judgements") or []
    delivered = len([one for one in judgements if one["verdict"] == "delivered"])
    return EVIDENCE.index(evidence) + delivered / (len(judgements) + 1)
