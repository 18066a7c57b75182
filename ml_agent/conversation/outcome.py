"""What the author of an answer is told of its run: one message with what was printed, what came out, and what is doubtful."""

import re
from collections.abc import Sequence
from typing import NamedTuple, Protocol, runtime_checkable

import msgspec

from ml_agent.delivery.doubts import error_lines
from ml_agent.delivery.expectation import Judgement
from ml_agent.delivery.heads import cut
from ml_agent.draft import Conclusion, Dispute, Doubt, Draft
from ml_agent.endings import level_seen
from ml_agent.execution import Outcome, summary_of
from ml_agent.model.thread import Picture
from ml_agent.navigator import Workspace
from ml_agent.prompts.untrusted import PromptText, neutral
from ml_agent.request import Request
from ml_agent.tools.tokens import count_tokens

MOST_TOKENS = 600
_NAMED = 8
"""Files of which only the names are told."""
_ROOM = ((12, 6), (8, 4), (5, 3), (3, 1), (2, 0))
"""Lines of output, and of each file, from the most that is told to the least."""
_DONE = "Is it what the sentence asks for? Then call done{}. Else fix it."
_EACH = ", with a sentence on each doubt in its `doubts`"
_WRONG = "What is proven must be mended; what only the wording says may be disputed, with a reason, before done."
_NUMBERED = re.compile(r"^(?:doubt\s*#?)?(\d{1,2})(?:\s*[:.)]\s+|\W*$)", re.IGNORECASE)
"""The number of a doubt, alone or before words."""
_FAILED = "Fix it: answer differently, install what is missing, or run something to look."


class Seen(NamedTuple):
    """What an author is shown of a run."""

    report: PromptText
    pictures: tuple[Picture, ...] = ()


class Review(msgspec.Struct, frozen=True, kw_only=True):
    """What an author has to speak to before he is done."""

    doubts: tuple[str, ...] = ()
    wrong: tuple[Judgement, ...] = ()
    """What should have come out and did not."""
    shortfall: str = ""
    """Why the run did nothing of the task."""

    def lacks(self, said: Conclusion, disputes: Sequence[Dispute]) -> str:
        """What is still to be said before it is done; "" where nothing is."""
        proven = [one.said for one in self.wrong if not one.worded] + ([self.shortfall] if self.shortfall else [])
        if proven:
            return f"Not delivered, that is proven: {'; '.join(proven)}. Answer again; or call done, if nothing can mend it."
        open_ = [one.said for one in self.wrong if dispute_of(one, self.wrong, disputes) is None]
        if open_:
            return f"Not delivered: {'; '.join(open_)}. Answer again, or dispute it with a reason and call done."
        silent = [one.doubt for one in said.doubts if not one.answer and one.doubt in self.doubts]
        return f"Say a sentence on each of these in done: {'; '.join(silent)}" if silent else ""


@runtime_checkable
class Reviewer(Protocol):
    """A navigator whose author of answers can be shown what came of them."""

    def review(self, request: Request, workspace: Workspace, draft: Draft, seen: Seen, review: Review) -> Draft | None:
        """The draft with a conclusion, another draft, or None where nobody can be asked. May raise Rejected."""


def concluded(outcome: Outcome, draft: Draft, disputes: Sequence[Dispute], note: str = "") -> Outcome:
    """The outcome with what the author says of it: disputes of what only words speak against, and a sentence on each doubt."""
    wrong = review_of(outcome).wrong
    judgements = tuple(
        msgspec.structs.replace(one, verdict="disputed", why=found.why)
        if one.verdict == "missing" and (found := dispute_of(one, wrong, disputes)) is not None
        else one
        for one in outcome.judgements
    )
    said = draft.conclusion or Conclusion(doubts=outcome.doubts)
    return msgspec.structs.replace(
        outcome,
        judgements=judgements,
        doubts=(*said.doubts, *([Doubt(doubt=note)] if note else [])),
        told=said.what,
        evidence=level_seen(outcome.response, judgements, outcome.shortfall),
        summary=summary_of(outcome.response, judgements, outcome.shortfall),
    )


def review_of(outcome: Outcome) -> Review:
    """What of an outcome its author has to speak to."""
    return Review(
        doubts=tuple(one.doubt for one in outcome.doubts),
        wrong=tuple(one for one in outcome.judgements if one.verdict == "missing"),
        shortfall=outcome.shortfall,
    )


def dispute_of(judgement: Judgement, wrong: Sequence[Judgement], disputes: Sequence[Dispute]) -> Dispute | None:
    """The dispute that is about a judgement: it names the file, or no file at all. What is proven has none."""
    if not judgement.worded:
        return None
    paths = {one.path for one in wrong} | {one.expectation.path for one in wrong}
    for dispute in reversed(disputes):
        text = f"{dispute.finding} {dispute.why}"
        named = {path for path in paths if path and path in text}
        if dispute.why.strip() and (not named or named & {judgement.path, judgement.expectation.path}):
            return dispute
    return None


def conclusion(review: Review, what: str, doubts: Sequence[object]) -> Conclusion:
    """What an author says in the end, each of our doubts with his sentence on it: by its number or words, else in the order given."""
    given = [
        (_plain(str(one.get("doubt", ""))), _plain(str(one.get("answer", ""))))
        for one in doubts
        if isinstance(one, dict)
    ]
    taken: list[Doubt] = []
    left = list(given)
    for number, doubt in enumerate(review.doubts, 1):
        own = next((one for one in left if _alike(one[0], doubt)), None)
        own = own or next((one for one in left if _is_numbered(one[0], number, review.doubts)), None)
        if own is None and len(left) == len(review.doubts) - len(taken):
            own = left[0] if left else None
        if own is not None:
            left.remove(own)
        taken.append(Doubt(doubt=doubt, answer=own[1] if own else ""))
    more = [Doubt(doubt=doubt, answer=answer) if doubt else Doubt(doubt=answer) for doubt, answer in left]
    return Conclusion(what=_plain(what), doubts=(*taken, *[one for one in more if one.doubt]))


def _plain(text: str) -> str:
    """One line without the full stop at its end."""
    return " ".join(text.split())[:300].removesuffix(".")


def _is_numbered(said: str, number: int, doubts: Sequence[str]) -> bool:
    """Whether a text names a doubt by its number, in whatever words, but none of the others by theirs."""
    found = _NUMBERED.match(said)
    return found is not None and int(found[1]) == number and not any(_alike(said, doubt) for doubt in doubts)


def _alike(said: str, doubt: str) -> bool:
    plain = _NUMBERED.sub("", said, count=1).strip().lower()
    return len(plain) > 8 and (plain[:40] in doubt.lower() or doubt.lower()[:40] in plain)


def report_of(outcome: Outcome, advice: Sequence[str] = (), environment: Sequence[str] = ()) -> PromptText:
    """What came of a run, in at most MOST_TOKENS.

    Args:
        outcome: of the run.
        advice: what our code makes of a failure.
        environment: how it was made, a few lines.
    """
    texts = (neutral(_report(outcome, advice, environment, _Room(*room))) for room in _ROOM)
    last = neutral("")
    for text in texts:
        last = text
        if count_tokens(text).n <= MOST_TOKENS:
            return text
    return neutral(last[: 3 * MOST_TOKENS])


class _Room(NamedTuple):
    printed: int
    head: int


def _report(outcome: Outcome, advice: Sequence[str], environment: Sequence[str], room: _Room) -> str:
    response = outcome.response
    ended = f"exit {response.exit_code}" if response.ended == "exited" else response.ended
    kept = f", {response.kept}" if response.kept else ""
    lines = [f"It was run: {ended} after {response.seconds:.1f} s{kept}."]
    lines += [f"Failed: {cut(one, 200)}" for one in response.failed[:2]]
    lines += [f"What we make of it: {cut(one, 300)}" for one in advice]
    lines += [f"Environment: {cut(one, 200)}" for one in environment]
    lines += _printed(outcome, room.printed)
    lines += _files(outcome, room.head)
    wrong = [one for one in outcome.judgements if one.verdict == "missing"]
    said = [(outcome.shortfall, "proven")] if outcome.shortfall else []
    said += [(one.said, "by the wording" if one.worded else "proven") for one in wrong]
    lines += [f"Wrong ({how}): {cut(text, 300)}" for text, how in said]
    lines += [f"Doubt {number}: {cut(one.doubt, 300)}" for number, one in enumerate(outcome.doubts, 1)]
    done = _DONE.format(_EACH if outcome.doubts else "")
    return "\n".join([*lines, _FAILED if not response.ok else _WRONG if said else done])


def _printed(outcome: Outcome, most: int) -> list[str]:
    """The last meaningful lines, those that speak of errors first."""
    response = outcome.response
    said = [line for text in (response.stdout, response.stderr) for line in _meaningful(text)]
    wrong = _meaningful("\n".join(response.error_lines)) if not response.ok else error_lines("\n".join(said))
    first = [cut(line.strip(), 200) for line in dict.fromkeys(wrong)][-max(1, most // 2 if response.ok else most) :]
    rest = [line for line in dict.fromkeys(map(cut, _meaningful(response.stdout) or said)) if line not in first]
    shown = [*first, *rest[-max(1, most - len(first)) :]]
    return ["It said:", *(f"  {line}" for line in shown)] if shown else ["It said nothing."]


def _meaningful(text: str) -> list[str]:
    """Lines with something in them; of a line that was written over, what it came to."""
    last = (line.rstrip("\r").rpartition("\r")[2].strip() for line in text.split("\n"))
    return [line for line in last if any(char.isalnum() for char in line)]


def _files(outcome: Outcome, most: int) -> list[str]:
    seen = [one for one in (*outcome.judgements, *outcome.looks) if one.path]
    sizes = {one.path: one.size for one in outcome.made}
    lines: list[str] = []
    for one in seen:
        size = f" ({sizes[one.path]} bytes)" if one.path in sizes else ""
        said, head = one.said.removeprefix(one.path).lstrip(": "), one.head[: 1 + most]
        if head and said.partition(",")[0] == head[0].partition(",")[0]:
            said, head = head[0], head[1:]  # the same rows and columns, with more about them
        lines += [f"{one.path}{size}: {cut(said, 200)}", *(f"  {line}" for line in head)]
    others = [one.path for one in outcome.made if one.path not in {look.path for look in seen}]
    if others:
        more = f" and {len(others) - _NAMED} more" if len(others) > _NAMED else ""
        lines.append(f"Also: {', '.join(cut(path, 80) for path in others[:_NAMED])}{more}")
    return ["Came out:", *lines] if lines else ["No file came out."]
