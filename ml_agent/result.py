"""What a run leaves behind: the answer, how far it was seen to work, and what it cost."""

import platform
import re
import shlex
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path
from posixpath import normpath
from typing import Any

import msgspec

from ml_agent.account import declared
from ml_agent.answer_gate import NOT_FOR_HOST, added_risks, harmless_variables, is_refused, scope_of
from ml_agent.as_run import Before, before_of
from ml_agent.delivery.expectation import Expectation
from ml_agent.delivery.keep import keep_outputs
from ml_agent.draft import Draft
from ml_agent.endings import Ending, level_asked
from ml_agent.execution import source_of, task_of
from ml_agent.files import write_atomically
from ml_agent.outputs import patch_of
from ml_agent.request import Job
from ml_agent.runs import PATCH, RunFolder
from ml_agent.sandbox.artifacts import artifacts
from ml_agent.sandbox.repair import Repair
from ml_agent.sandbox.script_lines import comment
from ml_agent.sandbox.session import SessionRecord
from ml_agent.services import Services
from ml_agent.state import Plain, State, expected_of
from ml_agent.tools.candidates import Candidate, considered, distinct
from ml_agent.tools.index import RepoIndex
from ml_agent.tools.remotes import is_example
from ml_agent.trajectory import read_trajectory
from ml_agent.unasked import unasked, with_spoken
from ml_agent.view.report import write_report

_ENCODING = "# coding: utf-8"
"""Before comments with words of others: in the first two lines of a file such words can make Python read other letters."""
_MOST_REASONS = 5
_MOST_CONSIDERED = 3
SCHEMA = 3
"""Version of run.json, described by run.schema.json; it goes up with every change that a reader could trip over."""
NOT_KEPT = 1
"""Exit code of a good ending where a file that was to be kept elsewhere was not."""
VERSIONED = ("ml-agent", "openai", "langgraph", "PyGithub", "docker", "GitPython", "tiktoken")


def conclude(job: Job, state: State, services: Services, folder: RunFolder) -> Plain:
    """Write the files of a finished run and return what run.json holds."""
    best = state.get("best")
    outcome = (best or {}).get("outcome") or {}
    folder.publish_outputs(outcome.get("outputs_in", ""))
    if best and (patch := patch_of(outcome.get("outputs", ()), folder.outputs, Path(best["repository"]["root"]))):
        write_atomically(folder.path / PATCH, patch)
    expected = expected_of(state)
    result: dict[str, Any] = {
        "schema": SCHEMA,
        "id": folder.id,
        "folder": str(folder.path),
        "instruction": job.instruction,
        **({"continues": Path(job.continues).name} if job.continues else {}),
        "ending": state["ending"],
        "exit_code": Ending.named(state["ending"]).exit_code,
        "message": _message(state, folder),
        "asked": level_asked(services.settings.run, expected),
        "evidence": best["evidence"] if best else "none",
        "expectations": _expectations(expected, outcome),
        "told": outcome.get("told", ""),
        "doubts": list(outcome.get("doubts", ())),
        "outputs": list(outcome.get("outputs", ())),
        "left_in_sandbox": list(outcome.get("stayed", ())),
        "unasked": unasked(msgspec.convert(best["draft"], Draft), job.instruction) if best else [],
        "stand_ins": [*_stand_ins(folder), *_refused_answers(state, best)],
        "answer": _answer(best, services, job.instruction) if best else None,
        "offered": state.get("offered", []) if state["ending"] == Ending.UNSURE.label else [],
        "considered": _considered(state),
        "left": state.get("left", []),
        "repository": _repository(best, services, outcome.get("outputs", ())) if best else None,
        "sandbox": _sandbox(best),
        "navigator": services.navigator.name,
        "budget": services.budget.to_dict(),
        "usd": services.budget.usage.cost,
        "versions": {name: version(name) for name in VERSIONED} | {"python": platform.python_version()},
    }
    if best:
        result["answer"]["before"] = _write_best(folder, best, services, job.instruction)
    if job.keep_outputs:
        result["kept"] = keep_outputs(folder.outputs, result["outputs"], Path(job.keep_outputs), job.force)
        if result["kept"]["refused"]:
            result["exit_code"] = result["exit_code"] or NOT_KEPT
    write_report(folder, result)
    folder.write_result(result)
    services.trajectory.emit("ended", ending=state["ending"], message=state["message"], evidence=result["evidence"])
    return result


def _considered(state: State) -> list[Plain]:
    """The three best of what was found, with what speaks for each; nothing where the user named the repository."""
    if state["given"].get("repository"):
        return []
    found = distinct(msgspec.convert(state.get("candidates", []), list[Candidate]))
    return [{**considered(one), "example": is_example(one.url)} for one in found[:_MOST_CONSIDERED]]


def _message(state: State, folder: RunFolder) -> str:
    gone = state["ending"] == Ending.MODEL_GONE.label
    return f"{state['message']}; `ml-agent resume {folder.id}` continues it" if gone else state["message"]


def _expectations(expected: Sequence[Expectation], outcome: Plain) -> list[Plain]:
    """Each with what was seen of it."""
    judged = outcome.get("judgements") or [
        {
            "expectation": msgspec.to_builtins(one),
            "verdict": "not judged",
            "said": "it did not run to the end" if outcome else "nothing was run",
            "path": "",
        }
        for one in expected
    ]
    return [
        {
            **one["expectation"],
            **{key: one[key] for key in ("verdict", "said", "why") if one.get(key)},
            "found": one["path"],
        }
        for one in judged
    ]


def _stand_ins(folder: RunFolder) -> list[Plain]:
    """The decisions that were asked of a model and made without it, and why."""
    events = (event for event in read_trajectory(folder.trajectory) if event.get("event") == "stand-in")
    return [{"phase": str(event["phase"]), "reason": str(event["reason"])} for event in events]


def _refused_answers(state: State, best: Plain | None) -> list[Plain]:
    """Why the answer is one of the tables where the model gave one, too."""
    if best is None or best["draft"].get("source") == "llm":
        return []
    problems = [one["problem"] for one in state.get("attempts", []) if one["draft"].get("source") == "llm"]
    lines = (problems[-1] if problems else "").splitlines()
    reason = f"the model's answer was not accepted ({lines[0]}); this one was made without it" if lines else ""
    return [{"phase": "generate", "reason": reason}] if reason else []


_OF_AN_ANSWER = (
    "kind", "text", "workdir", "entry", "ledger", "findings", "source", "because", "confidence", "level", "unplaced",
    "invented", "disputes",
)  # fmt: skip


def _answer(best: Plain, services: Services, instruction: str) -> Plain:
    known = best["repository"]
    ledger = with_spoken(msgspec.convert(best["draft"], Draft), instruction)
    draft = {**best["draft"], "ledger": msgspec.to_builtins(ledger)}
    index = services.workspaces.index(Path(known["root"]), known["version"])
    places = declared(msgspec.convert(draft, Draft), index) if index is not None else {}
    return {
        **{key: draft.get(key) for key in _OF_AN_ANSWER},
        "sandbox_only": sandbox_only(msgspec.convert(draft, Draft)),
        "declared": {flag: place for flag, place in places.items() if _has_flag(flag, draft)},
    }


def _has_flag(flag: str, draft: Plain) -> bool:
    """Whether an option is in the command, or in the account of it."""
    said = [draft["text"], *(str(entry["where"]) for entry in draft["ledger"])]
    return any(re.search(rf"(?<!\S){re.escape(flag)}(?![\w-])", text) for text in said)


def _repository(best: Plain, services: Services, outputs: Sequence[str]) -> Plain:
    known = {**best["repository"]}
    lost = known.pop("not_found", ())
    known["not_found"] = [one for one in lost if not any(f"/{normpath(one)}/" in f"/{made}/" for made in outputs)]
    place = Path(known["root"]), known["version"]
    more = {"not_read": services.workspaces.left_out(*place), "suspicious": services.workspaces.suspicious(*place)}
    found = {"name": best["candidate"]["full_name"], **known, **more}
    return {name: value for name, value in found.items() if value != []}


def _sandbox(best: Plain | None) -> Plain:
    outcome = (best or {}).get("outcome") or {}
    response = outcome.get("response") or {}
    keys = ("seconds", "exit_code", "ended", "progress", "log")
    return {
        "name": outcome.get("sandbox", ""),
        "isolated": outcome.get("isolated", True),
        **{key: response[key] for key in keys if key in response},
        **{key: outcome[key] for key in ("environment", "left_out") if outcome.get(key)},
    }


def _write_best(folder: RunFolder, best: Plain, services: Services, instruction: str) -> Any:
    """The answer and what reproduces it; what was done before the answer ran."""
    draft = msgspec.convert(best["draft"], Draft)
    record = _record(best, services, instruction)
    before = before_of(record, draft) if best.get("outcome") else ()
    if not is_refused(draft):
        _write_answer(folder, best, before)
    _write_artifacts(folder, record, sandbox_only=sandbox_only(draft))
    return msgspec.to_builtins(before)


def _write_answer(folder: RunFolder, best: Plain, before: Sequence[Before]) -> None:
    """The answer as a script, behind what was done before it ran: alone it may fail where it is taken to."""
    draft = best["draft"]
    if draft["kind"] == "python":
        comments = [comment(line) for one in before for line in one.command.splitlines()]
        head = [_ENCODING, comment(f"Before it, in the repository's folder {draft['workdir']}:"), *comments]
        head = head if comments else []
        text = "\n".join([*head, draft["text"].rstrip("\n")])
        write_atomically(folder.path / "answer.py", text + "\n")
        return
    head = ["#!/usr/bin/env bash", comment(f"Run it in the repository, folder: {shlex.quote(draft['workdir'])}")]
    lines = [line for one in before for line in (*([comment(one.why)] if one.why else []), one.command)]
    text = "\n".join([*head, *lines, draft["text"].rstrip("\n")])
    write_atomically(folder.path / "answer.sh", text + "\n", mode=0o755)


def _record(best: Plain, services: Services, instruction: str) -> SessionRecord:
    """What was done for the best draft, without what a repository gave and that would do more than a program does."""
    repository, draft = best["repository"], msgspec.convert(best["draft"], Draft)
    source = source_of(Path(repository["root"]), repository["version"], repository["url"])
    record = SessionRecord(source=source, task=task_of(draft))
    outcome = best.get("outcome") or {}
    if services.executor is not None and outcome:
        record = services.executor.record(source, draft, msgspec.convert(best.get("repairs", []), list[Repair]))
    if outcome.get("inputs"):
        record = msgspec.structs.replace(
            record, inputs=tuple(outcome["inputs"]), inputs_from=Path(outcome["inputs_from"])
        )
    index = services.workspaces.index(Path(repository["root"]), repository["version"])
    return _harmless(record, draft, instruction, index)


def _write_artifacts(folder: RunFolder, record: SessionRecord, sandbox_only: Sequence[str]) -> None:
    """reproduce.sh, Dockerfile and requirements.lock of the best draft; an answer that is for the sandbox only runs in a container."""
    made = artifacts(record)
    if sandbox_only:
        build = made["Dockerfile"].partition("\n")[0].removeprefix("# ")
        why = [comment(line) for line in sandbox_only[:_MOST_REASONS]]
        asked = '[ "${1:-}" = --sandbox ] || { echo "usage: reproduce.sh --sandbox (see the reasons in this file)" >&2; exit 2; }'
        made["reproduce.sh"] = "\n".join(
            ["#!/usr/bin/env bash", *why, asked, 'cd "$(dirname "$0")" || exit', build, ""]
        )
    for name, text in made.items():
        if text:
            write_atomically(folder.path / name, text, mode=0o755 if name.endswith(".sh") else 0o644)


def sandbox_only(draft: Draft) -> list[str]:
    """Why an answer is run in the sandbox only and not handed over; [] where it is fit for the user's own shell."""
    return [finding.message for finding in draft.findings if finding.code == NOT_FOR_HOST]


def _harmless(record: SessionRecord, draft: Draft, instruction: str, index: RepoIndex | None) -> SessionRecord:
    """Without variables and paths that a repository gave and that would do more on the user's machine than the answer does."""
    task, own = record.task, task_of(draft).text
    scope = scope_of(index, task.folder, instruction)
    more = {*added_risks(task.text, scope)} - {*added_risks(own, scope)}
    given = harmless_variables(task.environment, scope)
    task = msgspec.structs.replace(task, text=own if more else task.text, environment=given)
    return msgspec.structs.replace(record, task=task)
