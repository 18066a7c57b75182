"""The summary at the end of a run, from the content of run.json: what to run and where, what was seen, what it cost."""

import shlex
from collections.abc import Iterator, Sequence
from itertools import pairwise
from posixpath import normpath
from typing import Any

from ml_agent.endings import Ending
from ml_agent.state import EVIDENCE
from ml_agent.terminal import terminal_text
from ml_agent.tools.candidates import state_of
from ml_agent.unsure import lines_of
from ml_agent.wording import NO_LICENCE, counted, not_found, shortened

Plain = dict[str, Any]

NOT_USED = "not used"
FILL_IN = "fill in"
"""Introduces required options that got a placeholder because the request gives no value."""
MARKS = {"delivered": "✓", "missing": "✗", "not judged": "?", "disputed": "~"}
_MOST_REASONS = 3
_MOST_COMMAND = 90
"""Characters of a command that is shown; of a longer one only what it is for."""
EVIDENCE_MEANS = {
    "none": "not checked",
    "checked": "not run; its files and options exist",
    "started": "the program's own code ran without an error for a while",
    "completed": "ran to the end",
    "delivered": "ran to the end and made the requested files",
}


def is_answer(result: Plain) -> bool:
    """Whether the draft in a result is an answer to give out: a sound one that was not seen to fail."""
    if not result["answer"]:
        return False
    if Ending.named(result["ending"]).exit_code == 0:
        return True
    return result["evidence"] == "checked" and not result["sandbox"].get("ended")


def summary(result: Plain) -> list[str]:
    """The summary's rows, each on one line; text from repositories and programs is made safe for a terminal."""
    return [terminal_text(f"{name:<12} {text}".rstrip()).replace("\n", " ") for name, text in _rows(result)]


def _rows(result: Plain) -> Iterator[tuple[str, str]]:
    answer = result["answer"]
    if answer:
        if not is_answer(result) or answer.get("sandbox_only"):
            head, *more = answer["text"].splitlines() or [""]
            yield "answer" if is_answer(result) else "best draft", head
            yield from (("", line) for line in more)
            yield from (("sandbox", line) for line in answer.get("sandbox_only", ())[:3])
        repository = result["repository"]
        yield "repository", f"{repository['name']} at {repository['version'][:12]}, folder {answer['workdir']}"
        own = repository.get("root") == repository.get("url")  # a folder of the user's
        if "licence" in repository and (repository["licence"] or not own):
            yield "licence", repository["licence"] or NO_LICENCE
        if repository.get("changed_from"):
            yield (
                "changed",
                f"the repository changed during the run, which began at commit {repository['changed_from'][:12]} and then started over",
            )
        yield from (("input", not_found(path)) for path in repository.get("not_found", ()))
        if result["sandbox"].get("environment"):
            yield "environment", result["sandbox"]["environment"]
        yield from before_rows(result)
        yield "evidence", evidence_of(result)
        yield from (("not read", line) for line in repository.get("not_read", ()))
        yield from (
            ("suspicious", f"possible prompt injection, ignored: {line}")
            for line in repository.get("suspicious", ())[:3]
        )
    if result.get("told"):
        yield "result", result["told"]
    yield from _considered_rows(result)
    yield from _expected_rows(result["expectations"])
    for doubt in result.get("doubts", ()):
        yield "doubt", doubt["doubt"] + (f" ({doubt['answer']})" if doubt["answer"] else "")
    if answer and result["unasked"]:
        yield "also set", f"not named in your request: {', '.join(result['unasked'])}"
    if answer and answer.get("invented"):
        yield FILL_IN, ", ".join(answer["invented"])
    if answer and answer.get("level"):
        yield "confidence", answer["level"]
    if answer and answer.get("unplaced"):
        yield NOT_USED, f"from your request: {', '.join(answer['unplaced'])}"
    for number, one in enumerate(result.get("offered", ()), 1):
        yield from _offer_rows(number, one)
    if result["outputs"]:
        yield "outputs", _some(result["outputs"]) + f", in {result['folder']}/outputs"
    yield from _again_rows(result)
    yield from _kept_rows(result)
    for one in result["left_in_sandbox"][:3]:
        yield "not kept", f"{one['path']} ({one['size']} bytes)"
    yield from _left_out_rows(result)
    yield from _stand_in_rows(result["stand_ins"])
    yield "ending", f"{result['ending']}: {result['message']}"
    yield "cost", _cost(result)
    yield "run folder", result["folder"]


def _expected_rows(expectations: Sequence[Plain]) -> Iterator[tuple[str, str]]:
    """What was expected, with what was seen; files of which the same is said share a row."""
    alike: dict[tuple[str, str, str], list[str]] = {}
    for one in expectations:
        said = one["said"].removeprefix(one["path"]).removeprefix(":").strip()
        alike.setdefault((MARKS[one["verdict"]], said, one.get("why") or ""), []).append(_name_of(one))
    for (mark, said, why), names in alike.items():
        yield "expected", f"{mark} {_some(names)}: {said}"
        if why:
            yield "", f"disputed: {why}"


def _considered_rows(result: Plain) -> Iterator[tuple[str, str]]:
    """What else was found, with a reason each, and which were left and why."""
    found = result.get("considered", ())
    for number, one in enumerate(found, 1):
        state, why = state_of(one), shortened(one["why"])
        yield (
            "" if number > 1 else "considered",
            f"{number} {one['name']}{f' ({state})' if state else ''}{f': {why}' if why else ''}",
        )
    tried = {(result["repository"] or {}).get("name"), *(one["name"] for one in result.get("left", ()))}
    following = next((one["name"] for one in found if one["name"] not in tried and not one.get("example")), "")
    if following:
        yield "", f"to try another one: --repo {following}"
    yield from (("left", f"{one['name']}: {shortened(one['why'])}") for one in result.get("left", ())[:_MOST_REASONS])


def before_rows(result: Plain) -> Iterator[tuple[str, str]]:
    """What was done before the answer ran and its text does not say; reproduce.sh does all of it."""
    before = (result["answer"] or {}).get("before") or ()
    for one in before:
        command = "; ".join(one["command"].splitlines())
        if one["why"] and len(command) > _MOST_COMMAND:
            yield "run first", one["why"]
        else:
            yield "run first", command + (f" ({one['why']})" if one["why"] else "")
    if before:
        yield "", f"{result['folder']}/reproduce.sh includes it"


def _again_rows(result: Plain) -> Iterator[tuple[str, str]]:
    """How a run that worked is done again without this program, and where its files then lie."""
    if result["answer"] and result["evidence"] in ("completed", "delivered"):
        script = shlex.quote(f"{result['folder']}/reproduce.sh")
        if result["answer"].get("sandbox_only"):
            yield "run again", f"bash {script} --sandbox; its files are then in {result['folder']}/made"
        else:
            made = normpath(f"again/repository/{result['answer']['workdir']}")
            yield "run again", f"bash {script} again; its files are then in {made}"


def _offer_rows(number: int, one: Plain) -> Iterator[tuple[str, str]]:
    """An answer that is offered, and what speaks for and against it."""
    head, *more = lines_of(one)
    yield f"answer {number}", head
    yield from (("", line) for line in more)
    yield "", f"folder {one['workdir']}; {one['because']}"
    lost = [*one["unused"], *one["unplaced"]]
    if lost:
        yield "", f"not used from your request: {', '.join(dict.fromkeys(lost))}"
    if one["options"]:
        yield "", f"options of {one['entry']}: {' '.join(one['options'])}"
    if one["documented"]:
        yield "", f"documented: {one['documented']}"


def _left_out_rows(result: Plain) -> Iterator[tuple[str, str]]:
    """What could not be installed as it was asked for, where the run did not end well: it may be why."""
    left_out = {} if Ending.named(result["ending"]).exit_code == 0 else result["sandbox"].get("left_out", {})
    for requirement, reason in list(left_out.items())[:_MOST_REASONS]:
        yield "not set up", f"{requirement}: {shortened(reason)}"
    if len(left_out) > _MOST_REASONS:
        yield "", f"and {len(left_out) - _MOST_REASONS} more requirements, in run.json"


def _stand_in_rows(made: list[Plain]) -> Iterator[tuple[str, str]]:
    """What was decided without the model that was asked, each reason once."""
    reasons = list(dict.fromkeys(one["reason"] for one in made))
    for place, reason in enumerate(reasons[:_MOST_REASONS]):
        head = "" if place else f"not used for {counted(len(made), 'decision')}: "
        yield "" if place else "model", head + shortened(reason)
    if len(reasons) > _MOST_REASONS:
        yield "", f"and {len(reasons) - _MOST_REASONS} more reasons, in run.json"


def evidence_of(result: Plain) -> str:
    name = result["sandbox"]["name"]
    isolation = "" if result["sandbox"]["isolated"] or not name else ", not isolated"
    meaning = EVIDENCE_MEANS[result["evidence"]]
    if result["evidence"] == "checked" and result["sandbox"].get("ended"):
        meaning = "its files and options exist, but the run failed"
    seen = f"{result['evidence']}: {meaning}" + (f", in {name}{isolation}" if name else "")
    ledger = (result["answer"] or {}).get("ledger") or ()
    lost = [one["text"] for one in ledger if one["status"] == "not found" and one.get("required", True)]
    seen += f", without {', '.join(dict.fromkeys(lost))}" if lost else ""
    short = EVIDENCE.index(result["evidence"]) < EVIDENCE.index(result["asked"])
    return f"{seen} (asked for: {result['asked']})" if short else seen


def _name_of(expected: Plain) -> str:
    return "something is printed" if expected["kind"] == "printed" else expected["path"]


def _kept_rows(result: Plain) -> Iterator[tuple[str, str]]:
    kept = result.get("kept")
    if kept:
        yield "kept", f"{counted(len(kept['files']), 'file')} in {kept['folder']}"
        yield from (("not kept", f"{path}: {why}") for path, why in list(kept["refused"].items())[:8])


def not_used(result: Plain) -> str:
    """One line with what the request sets and the answer does not use; "" where there is nothing.

    A name and its value stand side by side: a lost word before a number or another lost word. A lone one mostly describes the task.
    """
    lost = set((result["answer"] or {}).get("unplaced") or ())
    words = [word.strip(",.;:()") for word in result["instruction"].split()]
    pairs = [(one, other) for one, other in pairwise(words) if one in lost and (other in lost or other[:1].isdigit())]
    return terminal_text(f"{NOT_USED}: {', '.join(' '.join(pair) for pair in pairs)}") if pairs else ""


def to_fill_in(result: Plain) -> str:
    """One line with what is required and has a placeholder for a value; "" where there is nothing."""
    invented = (result["answer"] or {}).get("invented") or ()
    return terminal_text(f"{FILL_IN}: {', '.join(invented)}") if invented else ""


def not_kept(result: Plain) -> str:
    """One line on what `--keep-outputs` did not keep; "" where it kept all."""
    refused = result.get("kept", {}).get("refused", {})
    if not refused:
        return ""
    said = [f"{path} ({why})" for path, why in refused.items()]
    if len(said) > 1 and len(set(refused.values())) == 1:
        said = [f"{_some(list(refused))} ({next(iter(refused.values()))})"]
    return terminal_text(f"not kept: {_some(said)}; in {result['folder']}/outputs")


def _cost(result: Plain) -> str:
    budget = result["budget"]
    tokens = budget["prompt_tokens"] + budget["completion_tokens"]
    usd = "" if not result["usd"] else f", {result['usd']:.4f} USD"
    return f"{counted(budget['calls'], 'request')}, {tokens} tokens, {budget['seconds']:.1f} s{usd}"


def _some(paths: list[str]) -> str:
    return ", ".join(paths[:5]) + (f" and {len(paths) - 5} more" if len(paths) > 5 else "")
