"""The card at the end of a run, out of what run.json holds: what to run and where, what was seen, what it cost."""

from collections.abc import Iterator
from typing import Any

from ml_agent.state import EVIDENCE
from ml_agent.terminal import terminal_text
from ml_agent.unsure import lines_of
from ml_agent.wording import counted

Plain = dict[str, Any]

MARKS = {"delivered": "✓", "missing": "✗", "not judged": "?"}
_MEANING = {
    "none": "not even checked",
    "checked": "statically sound, not seen running",
    "started": "its own code ran without error for a while",
    "completed": "it ran to its end",
    "delivered": "it ran to its end and made what was asked for",
}


def is_answer(result: Plain) -> bool:
    """Whether the draft in a result is an answer to give out: a sound one that was not seen to fail."""
    if not result["answer"]:
        return False
    if result["exit_code"] == 0:
        return True
    return result["evidence"] == "checked" and not result["sandbox"].get("ended")


def card(result: Plain) -> list[str]:
    """The lines of the card; text of others is made harmless for a terminal."""
    return [terminal_text(f"{name:<11} {text}".rstrip()) for name, text in _rows(result)]


def _rows(result: Plain) -> Iterator[tuple[str, str]]:
    answer = result["answer"]
    if answer:
        if not is_answer(result):
            head, *more = answer["text"].splitlines() or [""]
            yield "best draft", head
            yield from (("", line) for line in more)
        repository = result["repository"]
        yield "run it in", f"{repository['name']} at {repository['version'][:12]}, folder {answer['workdir']}"
        yield "level", _level(result)
        yield from (("not read", line) for line in repository.get("not_read", ()))
        yield from (
            ("suspicious", f"{line} (speaks to an agent; it was data)") for line in repository.get("suspicious", ())[:3]
        )
    for expected in result["expectations"]:
        yield "expected", f"{MARKS[expected['verdict']]} {_name_of(expected)}: {expected['said']}"
    if answer and result["unasked"]:
        yield "not asked", ", ".join(result["unasked"])
    if answer and answer.get("confidence"):
        said = f"{answer['level']}, " if answer.get("level") else ""
        yield "confidence", f"{said}{answer['confidence']:.2f}"
    if answer and answer.get("unplaced"):
        yield "no place for", ", ".join(answer["unplaced"])
    for number, one in enumerate(result.get("offered", ()), 1):
        yield from _offer_rows(number, one)
    if result["outputs"]:
        yield "made", _some(result["outputs"]) + f", in {result['folder']}/outputs"
    yield from _kept_rows(result)
    for one in result["left_in_sandbox"][:3]:
        yield "not kept", f"{one['path']} ({one['size']} bytes)"
    if result["stand_ins"]:
        yield (
            "model",
            f"{counted(result['stand_ins'], 'decision')} made without it: it failed or its budget was used up",
        )
    yield "ending", f"{result['ending']}: {result['message']}"
    yield "cost", _cost(result)
    yield "run folder", result["folder"]


def _offer_rows(number: int, one: Plain) -> Iterator[tuple[str, str]]:
    """An answer that is offered, and what speaks for and against it."""
    head, *more = lines_of(one)
    yield f"answer {number}", head
    yield from (("", line) for line in more)
    yield "", f"confidence {one['confidence']:.2f}, folder {one['workdir']}; {one['because']}"
    lost = [*one["unused"], *one["unplaced"]]
    if lost:
        yield "", f"no place for {', '.join(dict.fromkeys(lost))}"


def _level(result: Plain) -> str:
    name = result["sandbox"]["name"]
    isolation = "" if result["sandbox"]["isolated"] or not name else ", not isolated"
    seen = f"{result['evidence']}: {_MEANING[result['evidence']]}" + (f", in {name}{isolation}" if name else "")
    short = EVIDENCE.index(result["evidence"]) < EVIDENCE.index(result["asked"])
    return f"{seen} (asked for: {result['asked']})" if short else seen


def _name_of(expected: Plain) -> str:
    return "something is printed" if expected["kind"] == "printed" else expected["path"]


def _kept_rows(result: Plain) -> Iterator[tuple[str, str]]:
    kept = result.get("kept")
    if kept:
        yield "kept", f"{counted(len(kept['files']), 'file')} in {kept['folder']}"
        yield from (("not kept", f"{path}: {why}") for path, why in list(kept["refused"].items())[:8])


def _cost(result: Plain) -> str:
    budget = result["budget"]
    tokens = budget["prompt_tokens"] + budget["completion_tokens"]
    usd = "" if not result["usd"] else f", {result['usd']:.4f} USD"
    return f"{counted(budget['calls'], 'request')}, {tokens} tokens, {budget['seconds']:.1f} s{usd}"


def _some(paths: list[str]) -> str:
    return ", ".join(paths[:5]) + (f" and {len(paths) - 5} more" if len(paths) > 5 else "")
