"""A draft of the answer, with the account of what became of each of the user's values."""

from typing import Literal

import msgspec

from ml_agent.model.thread import Thread
from ml_agent.sandbox.repair import Repair
from ml_agent.tools.findings import Finding

LedgerStatus = Literal["honoured", "default", "not found"]


CHOSEN = "user"


class LedgerEntry(msgspec.Struct, frozen=True, kw_only=True):
    """What became of one value of the user's."""

    value: str
    text: str
    status: LedgerStatus
    where: str = ""
    """For example `--num-stacks 5`, or `IFStageII(guidance_scale=7.0)`."""
    required: bool = True
    named: bool = False
    """Whether the user gave it by the name of an option: `--lr 0.1`, `lr=0.1`, `--arg lr=0.1`."""
    exact: bool = False
    """Whether it can hardly be a description: given by name, quoted, or a path."""


class Provenance(msgspec.Struct, frozen=True, kw_only=True):
    """What a draft was made from: a place in the repository, or a model's own words."""

    kind: Literal["example", "signature", "model"]
    path: str = ""
    """Relative to the repository; "" for a model's own."""
    line: int = 0


class Placement(msgspec.Struct, frozen=True, kw_only=True):
    """An option that was set because of what the request says."""

    where: str
    """As it stands in the command: `--lr 0.1`, `lr=0.1`, a word without an option."""
    starts: tuple[int, ...] = ()
    """Where its values begin in the request, in characters; none where the words of it were heard as a whole."""


class Dispute(msgspec.Struct, frozen=True, kw_only=True):
    """A finding that the author of an answer does not accept, and why."""

    finding: str
    why: str


class Output(msgspec.Struct, frozen=True, kw_only=True):
    """A file or folder that the author of an answer says it makes."""

    path: str
    """From where the answer runs; may hold * and ?."""
    kind: str = ""
    """As in `--expect`; "" is told by the name."""
    columns: tuple[str, ...] = ()
    rows: int | None = None
    must: bool = True
    """Whether the task is not done without it."""


class Doubt(msgspec.Struct, frozen=True, kw_only=True):
    """Something about a result that looks wrong and cannot be proven wrong."""

    doubt: str
    answer: str = ""
    """What the author of the answer says about it."""


class Conclusion(msgspec.Struct, frozen=True, kw_only=True):
    """What the author of an answer says once it was run and its result was shown."""

    what: str = ""
    """What came out, in a sentence."""
    doubts: tuple[Doubt, ...] = ()
    """What is doubtful, each with a sentence on it."""


class Draft(msgspec.Struct, frozen=True, kw_only=True):
    """One answer: a bash command or Python code, to be run from `workdir`."""

    kind: Literal["bash", "python"]
    text: str
    workdir: str = "."
    """Folder relative to the repository's root."""
    entry: str = ""
    """Path of the entry point, relative to the repository."""
    ledger: tuple[LedgerEntry, ...] = ()
    findings: tuple[Finding, ...] = ()
    source: str = "offline"
    """Which navigator wrote it, or stood in; CHOSEN where the user took it out of several."""
    because: str = ""
    """One line: what it was made from (an example, a signature), for the trajectory."""
    provenance: Provenance | None = None
    placements: tuple[Placement, ...] = ()
    """What the request's words set, where its author knows it of each option."""
    confidence: float = 0.0
    """0 to 1: how likely it is what was asked, as rules judge their own answers; 0 where nobody judged it."""
    level: Literal["sure", "likely", "guess", "unsure", ""] = ""
    """The confidence as a word; "" where nobody judged it."""
    unplaced: tuple[str, ...] = ()
    """Words of the request that neither it nor what it was made from speaks of."""
    invented: tuple[str, ...] = ()
    """What is required, as it stands in the command with a placeholder, because nobody gives it a value."""
    thread: Thread | None = None
    """The conversation in which a model wrote it, to be gone on with; None where none did."""
    disputes: tuple[Dispute, ...] = ()
    """What its author says against findings of the check."""
    outputs: tuple[Output, ...] = ()
    """Files and folders that its author says it makes."""
    set_up: tuple[Repair, ...] = ()
    """What its author had installed for it."""
    conclusion: Conclusion | None = None
    """What its author says of its result; None until he has seen it."""

    @property
    def sound(self) -> bool:
        """Whether no check found an error."""
        return not any(f.severity == "error" for f in self.findings)

    @property
    def unused(self) -> tuple[str, ...]:
        """Required values that the user spelled out and that it does not use as they stand."""
        return tuple(one.value for one in self.ledger if one.status == "not found" and one.required and one.exact)


class Rejected(Exception):
    """Who thinks finds that a repository cannot do the task, for the reason that the message says."""


class Attempt(msgspec.Struct, frozen=True, kw_only=True):
    """An answer that was tried, and why it does not do."""

    draft: Draft
    problem: str = ""
    """What the check found, or the diagnosis of the run, one line each; empty where another answer is wanted (Pass@k)."""
    error_lines: tuple[str, ...] = ()
    """Of the run's output; empty where it was not run."""
    report: str = ""
    """What a model is told of the run, as a whole; empty where it was not run."""
