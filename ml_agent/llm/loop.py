"""The conversation in which a model looks around, answers, hears what the check or the run says, and answers again."""

import re
from collections.abc import Callable, Sequence

import msgspec

from ml_agent.account import entry_of
from ml_agent.draft import Dispute, Draft, Provenance
from ml_agent.errors import UsageError
from ml_agent.grounded.order import unused_value_count
from ml_agent.llm.answers import Call, RawCall, Reply, UnusableReply, accepted, as_written
from ml_agent.llm.assembly import Prompt, Section
from ml_agent.llm.briefing import system
from ml_agent.llm.client import ModelClient, silent
from ml_agent.llm.functions import Function, as_function
from ml_agent.llm.toolbox import Toolbox
from ml_agent.navigator import Workspace
from ml_agent.prompts import functions as offered
from ml_agent.prompts.untrusted import PromptText, joined, lines_in, neutral, piece
from ml_agent.proof import UNUSED, examine, lines_of
from ml_agent.request import Request
from ml_agent.thread import Thread, ToolCall, Turn
from ml_agent.tools.findings import Finding
from ml_agent.tools.python_source import TooDeepError, read_python
from ml_agent.trajectory import Emit
from ml_agent.workspaces import normal_folder

MOST_TURNS = 24
"""Replies of the model in one conversation."""
_MOST_IDLE = 3
"""Replies in a row that lead nowhere: prose, unknown functions, what was asked before."""
_MOST_REFUSED = 5
"""Answers that the check may refuse in one conversation."""
_OPENING_TOKENS = 2_800
"""Of the first message, with what the system is told and without the functions."""
_KEPT_RESULTS = 24_000
"""Characters of results that stay whole; of older ones the first line stays."""
_LONGEST_HEAD = 200
_SHELLS = frozenset({"bash", "shell", "sh", "cmd"})
"""What models call a command."""
_DROPPED = neutral(" ... (dropped, ask again)")
_FENCE = re.compile(r"^\s*```[\w+-]*\n(.*?)\n?```\s*$", re.DOTALL)
ACCEPTED = neutral("The check finds nothing against it.")
NO_CALL = neutral("That called no function, so nobody read it. Call `answer`, or another function.")


class Stopped(Exception):
    """The conversation ends without an answer, for the reason that it names."""


class ConversationTask(msgspec.Struct, frozen=True, kw_only=True):
    """What is asked for, and where."""

    request: Request
    workspace: Workspace


class Conversation:
    """One thread gone on with until the model gives an answer that may be tried."""

    def __init__(self, client: ModelClient, case: ConversationTask, toolbox: Toolbox, emit: Emit = silent) -> None:
        self._client, self._case, self._emit = client, case, emit
        places = not case.workspace.path_given
        self._functions: tuple[Function, ...] = tuple(
            as_function(function) for function in offered.tools(can_run=toolbox.can_run, places=places)
        )
        self._actions: dict[str, Callable[..., PromptText]] = {
            "find": toolbox.find, "read": toolbox.read, "signature": toolbox.signature, "run": toolbox.run,
            "answer": self._answer, "dispute": self._dispute, "reject": self._reject,
        }  # fmt: skip
        self._given: Draft | None = None
        """The last answer, examined."""
        self._accepted = False
        self._disputes: list[Dispute] = []
        self._disputing = False
        """Whether the reply at hand disputes something."""
        self._insists = False
        """Whether it ends with that, so that the answer before it stands."""
        self._heard: set[str] = set()
        """The errors that the model was told."""
        self._refused = 0
        self._advised = False

    def go_on(self, thread: Thread, standing: Draft | None = None) -> Draft:
        """The next answer, examined, with the thread so far; an unsound one only where the model insists or ends so.

        The answer that stands so far comes back, with one dispute more, where the model disputes what was said against it.
        Raises Stopped where there is none, ModelAnswerError, EndpointError, BudgetExceededError.
        """
        self._given, self._accepted = standing, False
        self._disputes = list(standing.disputes) if standing is not None else []
        idle = 0
        asked = {_key(call) for turn in thread.turns for call in turn.calls}
        while len(thread.turns) < MOST_TURNS and idle < _MOST_IDLE and self._refused < _MOST_REFUSED:
            reply = self._client.converse(self._prompt(thread), self._functions, shrunk(thread.turns))
            turn = self._turn(reply, asked)
            useful = any(_key(call) not in asked for call in turn.calls)
            asked |= {_key(call) for call in turn.calls}
            thread, idle = thread.then(turn), 0 if useful else idle + 1
            if self._accepted and self._given is not None:
                return self._finish(self._given, thread)
        if self._given is not None:
            return self._finish(self._given, thread)
        raise Stopped("the model gave no answer")

    def _finish(self, draft: Draft, thread: Thread) -> Draft:
        return msgspec.structs.replace(draft, thread=thread, disputes=tuple(self._disputes))

    def _prompt(self, thread: Thread) -> Prompt:
        sections = (Section(name="opening", text=thread.opening),)
        return Prompt(phase="generate", system=system(), sections=sections, question=thread.task, limit=_OPENING_TOKENS)

    def _turn(self, reply: Reply, asked: set[str]) -> Turn:
        """What the calls of a reply came to; nothing is done after an answer that is taken."""
        if not reply.calls:
            return Turn(said=reply.content.strip()[:2000], results=(NO_CALL,))
        calls, results = [], []
        self._disputing, self._insists = False, reply.calls[-1].name == "dispute"
        for place, raw in enumerate(reply.calls, 1):
            call, result = self._carry_out(raw, asked)
            calls.append(call)
            results.append(result)
            if self._accepted and all(later.name != "answer" for later in reply.calls[place:]):
                break
        if (
            self._insists and calls[-1].name == "dispute"
        ):  # what it disputes stands beside the answer that it gave before
            self._accepted = self._given is not None
        return Turn(
            said=reply.content.strip()[:2000] if not _is_call(reply) else "", calls=tuple(calls), results=tuple(results)
        )

    def _carry_out(self, raw: RawCall, asked: set[str]) -> tuple[ToolCall, PromptText]:
        try:
            call = accepted(_with_kind(raw), self._functions)
        except UnusableReply as problem:
            known, wrong = as_written(raw.arguments)
            name = re.sub(r"\W", "_", raw.name)[:64] or "unknown"
            return ToolCall(name=name, arguments=known), neutral(
                "\n".join(filter(None, [f"not done: {problem}", wrong]))
            )
        made = ToolCall(name=call.name, arguments=call.arguments)
        if _key(made) in asked and call.name not in ("answer", "dispute"):
            return made, neutral("You asked this before; the result stands above.")
        return made, self._act(call)

    def _act(self, call: Call) -> PromptText:
        result = self._actions[call.name](**call.arguments)
        self._emit("tool", name=call.name, arguments=call.arguments, result=result[:500])
        return result

    def _answer(self, kind: str, text: str, folder: str | None = None) -> PromptText:
        """Judge an answer; of several in one reply the one that uses most of the user's values is taken, the first of equals."""
        taken = self._given if self._accepted else None
        result = self._judge(kind, text, folder)
        if taken is None or self._given is None:
            return result
        if self._given.sound and unused_value_count(self._given) < unused_value_count(taken):
            return result
        self._given, self._accepted = taken, True
        return neutral("The answer before it stays.")

    def _judge(self, kind: str, text: str, folder: str | None) -> PromptText:
        """Check an answer; sound ones are taken, unless there is weighty advice that the model has not heard yet."""
        try:
            workdir = self._folder(folder)
        except UsageError as problem:
            self._refused += 1
            return neutral(f"Refused: {problem}")
        before, self._given = self._given, self._examine(kind, text, workdir)
        errors = [finding for finding in self._given.findings if finding.severity == "error"]
        if errors:
            insists = before is not None and before.text == self._given.text
            self._accepted = insists or (self._disputing and {one.message for one in errors} <= self._heard)
            self._refused += 1
            self._heard |= {one.message for one in errors}
            return _report("Refused, the check proves:", errors, "Mend it; or, where a finding is wrong, dispute it.")
        advice = [finding for finding in self._given.findings if self._is_weighty(finding)]
        if advice and not (self._advised or self._disputing):
            self._advised = True
            words = "Sound. But it may leave something out:"
            return _report(words, advice, "Answer again, mended or the same, as you think right.")
        self._accepted = True
        return ACCEPTED

    def _folder(self, named: str | None) -> str:
        """Where an answer runs; UsageError where the model names no folder of the repository."""
        workspace = self._case.workspace
        if named is None:
            return workspace.path
        return normal_folder(workspace.index.root, named.strip().strip("/"), "folder")

    def _examine(self, kind: str, text: str, workdir: str) -> Draft:
        workspace = self._case.workspace
        fenced = _FENCE.match(text)
        draft = Draft(
            kind="python" if kind == "python" else "bash",
            text=(fenced[1] if fenced else text).strip(),
            workdir=workdir,
            source="llm",
            because="written by the model",
            provenance=Provenance(kind="model"),
        )
        entry = entry_of(draft, workspace)
        return examine(msgspec.structs.replace(draft, entry=entry), self._case.request, workspace)

    def _is_weighty(self, finding: Finding) -> bool:
        """Whether advice is worth a reply: a number may well only describe something, what is spelled out or quoted hardly."""
        values = self._case.request.values
        spelled = {one.value for one in values if one.required and (one.name or one.kind in ("path", "text"))}
        return finding.code == UNUSED and finding.subject in spelled

    def _dispute(self, finding: str, why: str) -> PromptText:
        """Keep what the model says; it stands beside the answer that is given before or right after it."""
        self._disputes.append(Dispute(finding=finding, why=why))
        self._disputing = True
        stands = self._given is not None and self._insists
        return neutral("Noted; the answer is taken as it is." if stands else "Noted; now answer.")

    def _reject(self, why: str) -> PromptText:
        raise Stopped(f"the model finds that the repository cannot do it: {why}")


def shrunk(turns: Sequence[Turn]) -> list[Turn]:
    """The turns with the first line only of results that are old, once all together are long; the last turn stays whole.

    They shrink in steps of half the room, so that what was sent before mostly is sent again as it was.
    """
    turns = [msgspec.structs.replace(turn, calls=tuple(map(_cut_call, turn.calls))) for turn in turns]
    sizes = [sum(map(len, turn.results)) for turn in turns]
    excess = sum(sizes) - _KEPT_RESULTS
    if excess <= 0:
        return list(turns)
    half = _KEPT_RESULTS // 2
    wanted = (excess // half + 1) * half
    made, gone = [], 0
    for place, turn in enumerate(turns):
        if gone < wanted and place < len(turns) - 1:
            gone += sizes[place]
            turn = msgspec.structs.replace(turn, results=tuple(_first_line(result) for result in turn.results))
        made.append(turn)
    return made


def _cut_call(call: ToolCall) -> ToolCall:
    """A call of the model's own as it is shown to it again: no longer than all results may be together."""
    long = {name: part for name, part in call.arguments.items() if isinstance(part, str) and len(part) > _KEPT_RESULTS}
    if not long:
        return call
    cut = {name: f"{part[:_KEPT_RESULTS]} ... ({len(part):,} characters)" for name, part in long.items()}
    return msgspec.structs.replace(call, arguments={**call.arguments, **cut})


def _with_kind(raw: RawCall) -> RawCall:
    """An answer whose kind can only mean a command, by its name or since its text is no Python, with that kind."""
    arguments, _ = as_written(raw.arguments)
    text, kind = arguments.get("text"), str(arguments.get("kind") or "").strip().lower()
    if raw.name != "answer" or not isinstance(text, str):
        return raw
    if kind not in _SHELLS and (kind or _is_python(text)):
        return raw
    return RawCall(name=raw.name, arguments={**arguments, "kind": "command"})


def _is_python(text: str) -> bool:
    try:
        read_python(text)
    except SyntaxError:
        return False
    except TooDeepError:
        return True
    return True


def _first_line(result: PromptText) -> PromptText:
    lines = lines_in(result)
    if len(lines) < 2 and len(result) <= _LONGEST_HEAD:
        return result
    return joined("", [piece(lines[0], slice(_LONGEST_HEAD)), _DROPPED])


def _report(words: str, findings: Sequence[Finding], wish: str) -> PromptText:
    """Findings quote the repository and the answer."""
    return neutral("\n".join([words, *lines_of(findings), wish]))


def _key(call: ToolCall) -> str:
    return f"{call.name} {sorted(call.arguments.items(), key=str)}"


def _is_call(reply: Reply) -> bool:
    """Whether the text of a reply is the call itself, in an endpoint's way without native calls."""
    return reply.content.lstrip().startswith(("{", "```", "<"))
