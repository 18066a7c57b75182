"""The types that the Python API returns: frozen, typed, and displayed as HTML in notebooks."""

from pathlib import Path
from typing import Any, Literal

import msgspec
from markupsafe import Markup

from ml_agent.draft import Doubt
from ml_agent.tools.findings import Finding


class Event(msgspec.Struct, frozen=True, kw_only=True):
    """Something that just happened in a run."""

    kind: Literal["phase", "done", "output"]
    """A phase began, a phase ended, or the program in the sandbox printed something."""
    phase: str
    """Name of the phase: understand, search, rank, plan, generate, check, execute, diagnose."""
    text: str = ""
    """What the phase found (for "done"), or what was printed (for "output")."""


class Answer(msgspec.Struct, frozen=True, kw_only=True):
    """A command or Python code, and the folder in which it runs."""

    kind: Literal["bash", "python"]
    text: str
    workdir: str
    """Folder relative to the repository's root."""
    repository: str
    """OWNER/NAME, or the name of a local folder."""
    commit: str


class StandIn(msgspec.Struct, frozen=True, kw_only=True):
    """A decision that the model should have made and that was made without it."""

    phase: str
    reason: str


class Result(msgspec.Struct, frozen=True, kw_only=True):
    """How a run ended."""

    ending: str
    """Name of the ending; docs/reference.md lists them."""
    exit_code: int
    """The exit code of the command line; 0 if the requested level was reached and `keep_outputs` copied everything."""
    message: str
    evidence: str
    """How far the answer got: none, checked, started, completed or delivered."""
    answer: Answer | None
    folder: Path
    """The run's folder with the answer, report.html, logs and outputs."""
    details: dict[str, Any]
    """The content of run.json."""
    stand_ins: tuple[StandIn, ...] = ()
    """Decisions that were made without the model because it failed, with the reason."""
    doubts: tuple[Doubt, ...] = ()
    """What looks wrong about the result, with the model's comment."""

    @property
    def ok(self) -> bool:
        """Whether the requested level of evidence was reached and `keep_outputs` copied everything."""
        return self.exit_code == 0

    def _repr_html_(self) -> Markup:
        """HTML for notebooks; all text is escaped."""
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
    """The findings of a check."""

    findings: tuple[Finding, ...]

    @property
    def ok(self) -> bool:
        """Whether there is no error among the findings."""
        return not any(finding.severity == "error" for finding in self.findings)

    def _repr_html_(self) -> Markup:
        """HTML for notebooks; all text is escaped."""
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
