"""What the Python API returns: frozen and typed, with a rich display in notebooks."""

from pathlib import Path
from typing import Any, Literal

import msgspec
from markupsafe import Markup

from ml_agent.tools.findings import Finding


class Event(msgspec.Struct, frozen=True, kw_only=True):
    """Something that happened in a run, as it happens."""

    kind: Literal["phase", "done", "output"]
    """A phase begins, a phase is done, or the sandbox printed something."""
    phase: str
    """Name of the phase: understand, search, rank, plan, generate, check, execute, diagnose."""
    text: str = ""
    """For "done" what the phase found, for "output" what was printed."""


class Answer(msgspec.Struct, frozen=True, kw_only=True):
    """A command or code, and where it runs."""

    kind: Literal["bash", "python"]
    text: str
    workdir: str
    """Folder relative to the repository's root."""
    repository: str
    """OWNER/NAME, or the name of a local folder."""
    commit: str


class Doubt(msgspec.Struct, frozen=True, kw_only=True):
    """What of a result is worth a question."""

    doubt: str
    answer: str = ""
    """What the author of the answer says of it."""


class StandIn(msgspec.Struct, frozen=True, kw_only=True):
    """A decision that was asked of a model and made without it."""

    phase: str
    reason: str


class Result(msgspec.Struct, frozen=True, kw_only=True):
    """How a run ended."""

    ending: str
    """Name of the ending, as in run.json."""
    exit_code: int
    """What the command line would have ended with; 0 where the level that was asked for was reached and `keep_outputs` kept all."""
    message: str
    evidence: str
    """How far the answer was seen to work: none, checked, started, completed, delivered."""
    answer: Answer | None
    folder: Path
    """The run's folder: answer, report.html, logs, outputs."""
    details: dict[str, Any]
    """All of run.json."""
    stand_ins: tuple[StandIn, ...] = ()
    """What was decided without the model that was asked, and why."""
    doubts: tuple[Doubt, ...] = ()
    """What of the result is worth a question, with what the author of the answer says of it."""

    @property
    def ok(self) -> bool:
        """Whether the level of evidence that was asked for was reached, and `keep_outputs` kept all."""
        return self.exit_code == 0

    def _repr_html_(self) -> Markup:
        """The display in a notebook; everything is escaped."""
        colour = "#116329" if self.ok else "#9a3412"
        head = Markup('<p><b style="color:{}">{}</b> ({}): {}</p>').format(
            colour, self.ending, self.evidence, self.message
        )
        if self.answer is None:
            return head
        place = f"{self.answer.repository} at {self.answer.commit[:12]}, folder {self.answer.workdir}"
        doubts = Markup("").join(Markup("<p>doubt: {} {}</p>").format(one.doubt, one.answer) for one in self.doubts)
        return head + Markup("<p>{}</p><pre>{}</pre>").format(place, self.answer.text) + doubts


class Checked(msgspec.Struct, frozen=True, kw_only=True):
    """What a check found."""

    findings: tuple[Finding, ...]

    @property
    def ok(self) -> bool:
        """Whether nothing speaks against running it."""
        return not any(finding.severity == "error" for finding in self.findings)

    def _repr_html_(self) -> Markup:
        """The display in a notebook; everything is escaped."""
        if not self.findings:
            return Markup("<p><b>ok</b></p>")
        return Markup("<ul>{}</ul>").format(Markup("").join(map(_finding, self.findings)))


def _finding(one: Finding) -> Markup:
    nearest = Markup("; did you mean <code>{}</code>?").format(one.suggestion) if one.suggestion else ""
    place = f" ({one.path}:{one.line})" if one.path else ""
    return Markup("<li><b>{}</b>: {}{}{}</li>").format(one.severity, one.message, nearest, place)


def result_of(content: dict[str, Any]) -> Result:
    """The typed result of what run.json holds."""
    answer, repository = content.get("answer"), content.get("repository")
    return Result(
        ending=content["ending"],
        exit_code=content["exit_code"],
        message=content["message"],
        evidence=content["evidence"],
        answer=None
        if not answer or not repository
        else Answer(
            kind=answer["kind"],
            text=answer["text"],
            workdir=answer["workdir"],
            repository=repository["name"],
            commit=repository["version"],
        ),
        folder=Path(content["folder"]),
        details=content,
        stand_ins=tuple(StandIn(**one) for one in content["stand_ins"]),
        doubts=tuple(Doubt(**one) for one in content.get("doubts", ())),
    )
