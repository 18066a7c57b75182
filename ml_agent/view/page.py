"""What a run's page shows, read from its result and its events; plain values only, nothing is formatted here."""

import difflib
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import islice
from typing import Any
from urllib.parse import quote

import msgspec

from ml_agent.outputs import MOST_LINES

Plain = dict[str, Any]

_PARTS = frozenset({"text", "image_url"})
"""Kinds of content that a message has beside plain text."""
_COMMIT = re.compile(r"[0-9a-f]{40}")
_HOSTED = re.compile(r"https://[A-Za-z0-9.-]+/[\w.-]+/[\w.-]+?(\.git)?/?")
_CITED = re.compile(
    r"(?<![\w./:-])(?P<path>(?!(?:[\w.-]+/)*\.\./)(?:[\w.-]+/)*[\w-][\w.-]*\.[A-Za-z]\w{0,7}):(?P<line>[1-9]\d{0,5})(?![\w.:]\w)"
)
"""A file with its line, as texts of ours cite them."""


class PhaseLine(msgspec.Struct, frozen=True, kw_only=True):
    """One step of the way through the graph."""

    name: str
    seconds: float
    note: str
    goes_to: str


class DraftView(msgspec.Struct, frozen=True, kw_only=True):
    """One draft: its text, what changed since the one before, and what was found wrong."""

    number: int
    kind: str
    text: str
    workdir: str
    because: str
    source: str
    changes: tuple[tuple[str, str], ...]
    """(mark, line) with the marks " ", "+" and "-"; empty for the first draft, and where the text is shown instead."""
    findings: tuple[Plain, ...]
    problem: str
    """What the check or the run said of it."""


class CallView(msgspec.Struct, frozen=True, kw_only=True):
    """One request to the model and its reply."""

    phase: str
    seconds: float
    prompt_tokens: int
    completion_tokens: int
    messages: tuple[tuple[str, str], ...]
    """Role and text of what was said since the request before, the reply last."""


class Cost(msgspec.Struct, frozen=True, kw_only=True):
    """What one phase took."""

    phase: str
    seconds: float
    calls: int
    tokens: int
    share: float
    """Of the run's time, 0 to 1."""


class Page(msgspec.Struct, frozen=True, kw_only=True):
    """All that is shown of a run."""

    result: Plain
    phases: tuple[PhaseLine, ...]
    drafts: tuple[DraftView, ...]
    calls: tuple[CallView, ...]
    costs: tuple[Cost, ...]
    setup: tuple[str, ...]
    diagnoses: tuple[Plain, ...]
    notices: tuple[str, ...]
    """Stand-ins for a model that failed, errors."""
    source: str
    """Address of the repository's files at the commit; empty where it has none."""

    def link(self, path: str, line: int = 0) -> str:
        """The address of a place in the repository; empty where it has none."""
        if not self.source or not path or ".." in path.split("/"):
            return ""
        return f"{self.source}/{quote(path)}" + (f"#L{line}" if line else "")

    def cited(self, text: str) -> tuple[tuple[str, int], ...]:
        """A text in parts: as it is, with 0, or a file of the repository and its line."""
        parts: list[tuple[str, int]] = []
        end = 0
        for found in _CITED.finditer(text or ""):
            parts += [(text[end : found.start()], 0), (found["path"], int(found["line"]))]
            end = found.end()
        return tuple(part for part in [*parts, ((text or "")[end:], 0)] if part[0])

    def place_of(self, said: str) -> str:
        """Where the option that a line begins with is declared, as FILE:LINE; empty where it is not known."""
        flag = str(said or "").partition(" ")[0].partition("=")[0]
        return str(((self.result.get("answer") or {}).get("declared") or {}).get(flag, ""))


def page_of(result: Plain, events: Iterable[Plain]) -> Page:
    """Read the page out of run.json's content and the trajectory's events."""
    events = list(events)
    calls = _calls([event for event in events if event.get("event") == "model-call"])
    phases = tuple(_phase(event) for event in events if event.get("event") == "phase")
    setup = tuple(str(event.get("line", "")) for event in events if event.get("event") == "setup")
    return Page(
        result=result,
        phases=phases,
        drafts=_drafts(events),
        calls=calls,
        costs=_costs(phases, calls),
        setup=setup,
        diagnoses=tuple(event for event in events if event.get("event") == "diagnosis"),
        notices=tuple(_notice(event) for event in events if event.get("event") in ("stand-in", "error")),
        source=_source(result.get("repository")),
    )


def _phase(event: Plain) -> PhaseLine:
    return PhaseLine(
        name=str(event.get("phase", "")),
        seconds=float(event.get("seconds", 0)),
        note=str(event.get("note", "")),
        goes_to=str(event.get("goto", "")).strip("_"),
    )


def _drafts(events: Sequence[Plain]) -> tuple[DraftView, ...]:
    found: list[DraftView] = []
    for place, event in enumerate(events):
        draft = event.get("draft")
        if event.get("event") != "draft" or not isinstance(draft, dict):
            continue
        before = found[-1].text if found else ""
        found.append(
            DraftView(
                number=len(found) + 1,
                kind=draft.get("kind", ""),
                text=draft.get("text", ""),
                workdir=draft.get("workdir", "."),
                because=draft.get("because", ""),
                source=draft.get("source", ""),
                changes=changes(before, draft.get("text", "")) if found else (),
                findings=tuple(draft.get("findings") or ()),
                problem=_problem(events[place + 1 :]),
            )
        )
    return tuple(found)


def _problem(later: Sequence[Plain]) -> str:
    """What was said of a draft before the next one was written."""
    said = []
    for event in later:
        if event.get("event") == "draft":
            break
        if event.get("event") == "phase" and event.get("phase") in ("check", "execute", "diagnose"):
            said.append(str(event.get("note", "")))
    return "\n".join(line for line in said if line)


def changes(before: str, after: str) -> tuple[tuple[str, str], ...]:
    """The lines of two texts with a mark each: " " in both, "-" only before, "+" only after. Long commands differ by word.

    None where they are the same, or have too many lines to be compared.
    """
    old, new = before.splitlines(), after.splitlines()
    if len(old) == len(new) == 1:
        old, new = before.split(), after.split()
    if max(len(old), len(new)) > MOST_LINES:
        return ()
    lines = difflib.unified_diff(old, new, n=MOST_LINES, lineterm="")
    return tuple((line[0], line[1:]) for line in islice(lines, 3, None))


def _calls(events: Sequence[Plain]) -> tuple[CallView, ...]:
    found = []
    before: list[Any] = []
    for event in events:
        sent = _sent_messages(event.get("request"))
        said = sent[len(before) :] if sent[: len(before)] == before else sent
        usage = event.get("usage") or {}
        found.append(
            CallView(
                phase=str(event.get("phase", "")),
                seconds=float(event.get("seconds") or 0),
                prompt_tokens=_tokens(usage, "prompt_tokens"),
                completion_tokens=_tokens(usage, "completion_tokens"),
                messages=(*(_message(one) for one in said), ("reply", _text(event.get("reply")))),
            )
        )
        before = sent
    return tuple(found)


def _tokens(usage: Any, name: str) -> int:
    """What an endpoint said it used, in a run of an older version perhaps in words."""
    said = usage.get(name) if isinstance(usage, dict) else None
    return said if isinstance(said, int) else 0


def _sent_messages(request: Any) -> list[Any]:
    messages = request.get("messages") if isinstance(request, dict) else None
    return messages if isinstance(messages, list) else [request]


def _message(message: Any) -> tuple[str, str]:
    if not isinstance(message, dict) or "role" not in message:
        return "request", _text(message)
    parts = [_text(message[name]) for name in ("content", "tool_calls") if message.get(name)]
    return str(message["role"]), "\n".join(parts)


def _text(value: Any) -> str:
    if isinstance(value, list) and all(isinstance(part, dict) and part.get("type") in _PARTS for part in value):
        return "\n".join(str(part.get("text", "(a picture)")) for part in value)
    return value if isinstance(value, str) else json.dumps(value, indent=1, ensure_ascii=False)


def _costs(phases: Sequence[PhaseLine], calls: Sequence[CallView]) -> tuple[Cost, ...]:
    total = sum(phase.seconds for phase in phases) or 1.0
    names = dict.fromkeys([*(phase.name for phase in phases), *(call.phase for call in calls)])
    return tuple(_cost(name, phases, calls, total) for name in names)


def _cost(name: str, phases: Sequence[PhaseLine], calls: Sequence[CallView], total: float) -> Cost:
    seconds = sum(phase.seconds for phase in phases if phase.name == name)
    asked = [call for call in calls if call.phase == name]
    tokens = sum(call.prompt_tokens + call.completion_tokens for call in asked)
    return Cost(phase=name, seconds=round(seconds, 3), calls=len(asked), tokens=tokens, share=seconds / total)


def _notice(event: Plain) -> str:
    what = event.get("reason") or event.get("message") or ""
    return f"{event.get('event')} in {event.get('phase', 'the run')}: {what}"


def _source(repository: Mapping[str, Any] | None) -> str:
    """Where a hosted repository shows its files at the commit."""
    url, commit = str((repository or {}).get("url", "")), str((repository or {}).get("version", ""))
    if not _HOSTED.fullmatch(url) or not _COMMIT.fullmatch(commit):
        return ""
    return f"{url.rstrip('/').removesuffix('.git')}/blob/{commit}"
