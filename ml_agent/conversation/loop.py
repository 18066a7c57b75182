"""The conversation in which a model looks around, answers, hears what the check or the run says, and answers again."""

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import msgspec

from ml_agent.account import entry_of
from ml_agent.conversation.first_message import open_thread, system
from ml_agent.conversation.outcome import Review, conclusion
from ml_agent.conversation.tools import Toolbox
from ml_agent.conversation.verdict import errors_of, examine, lines_of, verdict, weighty_advice
from ml_agent.draft import Dispute, Draft, Output, Provenance, Rejected
from ml_agent.errors import UsageError
from ml_agent.model.client import ModelClient, silent
from ml_agent.model.functions import Function, as_function
from ml_agent.model.prompt import Prompt
from ml_agent.model.replies import Call, RawCall, Reply, UnusableReply, accepted, as_written, plain_name
from ml_agent.model.thread import Thread, ToolCall, Turn
from ml_agent.navigator import Workspace
from ml_agent.prompts import functions as offered
from ml_agent.prompts.untrusted import PromptText, joined, lines_in, neutral, piece
from ml_agent.request import Request
from ml_agent.tools.findings import Finding
from ml_agent.tools.python_source import TooDeepError, read_python
from ml_agent.trajectory import Emit
from ml_agent.workspaces import normal_folder

MOST_TURNS = 24
"""Replies of the model in one conversation."""
MOST_CALLS = 20
"""Calls of one reply that are carried out."""
_MOST_IDLE = 3
"""Replies in a row that lead nowhere: prose, unknown functions, what was asked before."""
_MOST_REFUSED = 5
"""Answers that the check may refuse in one conversation."""
_OPENING_TOKENS = 2_800
"""Of the first message, with what the system is told and without the functions."""
_KEPT_RESULTS = 24_000
"""Characters of results that stay whole; of older ones the first line stays."""
_LONGEST_HEAD, _LONGEST_SAID = 200, 2_000
_SHELLS = frozenset({"bash", "shell", "sh", "cmd"})
"""What models call a command."""
_DROPPED = neutral(" ... (dropped, ask again)")
_FENCE = re.compile(r"^\s*```[\w+-]*\n(.*?)\n?```\s*$", re.DOTALL)
ACCEPTED = neutral("The check finds nothing against it.")
NO_CALL = neutral("That called no function, so nobody read it. Go on with a call, such as `answer`.")
_TOO_MANY = neutral(f"The calls after the first {MOST_CALLS} of a reply are not carried out.")
_ASKED_BEFORE = neutral("You asked this before; the result stands above.")


class NoAnswer(Exception):
    """The conversation ends without an answer, for the reason that it names."""


class ConversationTask(msgspec.Struct, frozen=True, kw_only=True):
    """What is asked for, and where."""

    request: Request
    workspace: Workspace


class _Exchange:
    """One reply while its calls are carried out."""

    def __init__(
        self, thread: Thread, standing: Draft | None, disputes: Sequence[Dispute], review: Review | None = None
    ) -> None:
        self.standing, self.review = standing, review
        """The answer that stands so far, examined."""
        self.disputes = (*(standing.disputes if standing is not None else ()), *disputes)
        self.disputed = bool(disputes)
        self.told, self.refused, self.set_up = thread.told, thread.refused, thread.set_up
        self.taken = False

    def tell(self, findings: Sequence[Finding], *, refused: bool = False) -> None:
        """Note what the author reads now."""
        self.told |= {one.message for one in findings}
        self.refused += refused


class Conversation:
    """One thread gone on with until the model gives an answer that may be tried."""

    def __init__(self, client: ModelClient, task: ConversationTask, toolbox: Toolbox, emit: Emit = silent) -> None:
        self._client, self._task, self._toolbox, self._emit = client, task, toolbox, emit
        places = not task.workspace.path_given
        self._functions: tuple[Function, ...] = tuple(
            as_function(function) for function in offered.tools(can_run=toolbox.can_run, places=places)
        )
        self._looks: dict[str, Callable[..., PromptText]] = {
            "find": toolbox.find,
            "read": toolbox.read,
            "signature": toolbox.signature,
            "run": toolbox.run,
        }

    def opened(self) -> Thread:
        """The conversation before the first reply."""
        return open_thread(self._task.request, self._task.workspace, self._toolbox.about_environment())

    def go_on(self, thread: Thread, standing: Draft | None = None, review: Review | None = None) -> Draft:
        """The next answer, examined, with the thread so far; one that the check refuses only where the model has no other.

        The answer that stands so far comes back, with one dispute more, where the model disputes what was said against it; and with
        a conclusion where it was run, `review` says what is to be spoken to, and the model is done.
        Raises Rejected, NoAnswer, ModelError, EndpointSettingError, BudgetExceededError.
        """
        idle = 0
        asked = {_key(call) for turn in thread.turns for call in turn.calls}
        while len(thread.turns) - thread.begun < MOST_TURNS and idle < _MOST_IDLE and thread.refused < _MOST_REFUSED:
            with self._task.workspace.index.reading_on():
                reply = self._client.converse(self._prompt(thread), self._functions, shrunk(thread.turns))
            exchange = _Exchange(thread, standing, self._disputes_in(reply), review)
            turn = self._turn(reply, exchange, asked)
            idle = 0 if any(_key(call) not in asked for call in turn.calls) else idle + 1
            asked |= {_key(call) for call in turn.calls}
            thread = msgspec.structs.replace(
                thread.then(turn), told=exchange.told, refused=exchange.refused, set_up=exchange.set_up
            )
            standing = exchange.standing
            if exchange.taken and standing is not None:
                return msgspec.structs.replace(standing, thread=thread, disputes=exchange.disputes)
        if standing is not None:
            return msgspec.structs.replace(standing, thread=thread)
        raise NoAnswer("the model gave no answer")

    def _prompt(self, thread: Thread) -> Prompt:
        about, seen = system(self._toolbox.can_run), thread.opening
        return Prompt(phase="generate", system=about, evidence=seen, question=thread.task, limit=_OPENING_TOKENS)

    def _turn(self, reply: Reply, exchange: _Exchange, asked: set[str]) -> Turn:
        """What the calls of a reply came to; nothing is done after an answer that is taken, nor when time is over."""
        said = reply.content.strip()[:_LONGEST_SAID]
        if not reply.calls:
            return Turn(said=said, results=(NO_CALL,))
        calls: list[ToolCall] = []
        results: list[PromptText] = []
        for raw in reply.calls[:MOST_CALLS]:
            self._client.budget.check_time()
            call, result = self._carry_out(raw, exchange, asked)
            calls.append(call)
            results.append(result)
            if exchange.taken:
                break
        if len(reply.calls) > MOST_CALLS:
            results[-1] = joined("\n", [results[-1], _TOO_MANY])
        if not exchange.taken and calls[-1].name == "dispute":  # the answer before it stands, and why is said
            exchange.taken = exchange.standing is not None
        return Turn(said="" if _is_call(reply) else said, calls=tuple(calls), results=tuple(results))

    def _disputes_in(self, reply: Reply) -> list[Dispute]:
        """What a reply disputes, wherever in it: it stands beside the answer that is given before or with it."""
        found = []
        for raw in reply.calls[:MOST_CALLS]:
            if raw.name == "dispute":
                try:
                    found.append(Dispute(**accepted(raw, self._functions).arguments))
                except UnusableReply:
                    continue  # carried out later, it is answered with what is wrong with it
        return found

    def _carry_out(self, raw: RawCall, exchange: _Exchange, asked: set[str]) -> tuple[ToolCall, PromptText]:
        try:
            call = accepted(_with_outputs(_with_kind(raw)), self._functions)
        except UnusableReply as problem:
            known, wrong = as_written(raw.arguments)
            text = "\n".join(filter(None, [f"not done: {problem}", wrong]))
            return ToolCall(name=plain_name(raw.name), arguments=known), neutral(text)
        made = ToolCall(name=call.name, arguments=call.arguments)
        if _key(made) in asked and call.name in self._looks:
            return made, _ASKED_BEFORE
        result = self._act(call, exchange)
        self._emit("tool", name=call.name, arguments=call.arguments, result=result[:500])
        return made, result

    def _act(self, call: Call, exchange: _Exchange) -> PromptText:
        if call.name in self._looks:
            return self._looks[call.name](**call.arguments)
        if call.name == "answer":
            return self._answer(exchange, **call.arguments)
        if call.name == "install":
            return self._install(exchange, **call.arguments)
        if call.name == "done":
            return self._done(exchange, **call.arguments)
        if call.name == "dispute":
            return neutral(
                "Noted; the answer is taken as it is." if exchange.standing is not None else "Noted; now answer."
            )
        raise Rejected(f"the model says that the repository cannot do this: {call.arguments['why']}")

    def _install(
        self,
        exchange: _Exchange,
        requirements: Sequence[str],
        why: str,
        python: str | None = None,
        system: Sequence[str] = (),
    ) -> PromptText:
        """What comes of asking for packages; what came belongs to the answer."""
        done = self._toolbox.install([*requirements, *([f"--python {python}"] if python else [])], why, system)
        exchange.set_up = tuple(dict.fromkeys((*exchange.set_up, *done.repairs)))
        words = "Done; it is part of your answer." if done.ok else "Not done; the environment is as it was."
        if done.failed:
            words = "The rest is done and part of your answer."
        return neutral("\n".join([*done.failed, words, *done.said]))

    def _done(self, exchange: _Exchange, what: str, doubts: Sequence[object] = ()) -> PromptText:
        """Take it as the end, once the model has spoken to what it must; it is reminded once."""
        if exchange.review is None or exchange.standing is None:
            return neutral("Nothing of yours was run since. Call answer.")
        said = conclusion(exchange.review, what, doubts)
        reminder = exchange.review.lacks(said, exchange.disputes)
        if reminder and reminder not in exchange.told:
            exchange.told |= {reminder}
            return neutral(reminder)
        exchange.standing, exchange.taken = msgspec.structs.replace(exchange.standing, conclusion=said), True
        return neutral("Noted.")

    def _answer(
        self,
        exchange: _Exchange,
        kind: str,
        text: str,
        folder: str | None = None,
        outputs: Sequence[Mapping[str, Any]] = (),
    ) -> PromptText:
        """Check an answer and say what becomes of it."""
        try:
            workdir = self._folder(folder)
            made = [_output(one) for one in outputs]
        except (UsageError, msgspec.ValidationError) as problem:
            exchange.refused += 1
            return neutral(f"Refused: {problem}")
        draft = msgspec.structs.replace(self._examined(kind, text, workdir, made), set_up=exchange.set_up)
        disputes = exchange.disputes if exchange.disputed else ()
        draft = exchange.standing = msgspec.structs.replace(draft, disputes=disputes)
        decision = verdict(draft, told=exchange.told)
        if decision == "refused":
            errors = errors_of(draft)
            exchange.tell(errors, refused=True)
            return _report("Refused, the check proves:", errors, "Fix it; or, where a finding is wrong, dispute it.")
        if decision == "advised":
            advice = weighty_advice(draft)
            exchange.tell(advice)
            return _report(
                "Sound. But think of this once more:",
                advice,
                "Answer again, changed or not, as you think right.",
            )
        exchange.taken = True
        return ACCEPTED

    def _folder(self, named: str | None) -> str:
        """Where an answer runs; UsageError where the model names no folder of the repository."""
        workspace = self._task.workspace
        if named is None:
            return workspace.path
        return normal_folder(workspace.index.root, named.strip().strip("/"), "folder")

    def _examined(self, kind: str, text: str, workdir: str, outputs: Sequence[Output]) -> Draft:
        request, workspace = self._task.request, self._task.workspace
        fenced = _FENCE.match(text)
        draft = Draft(
            kind="python" if kind == "python" else "bash",
            text=(fenced[1] if fenced else text).strip(),
            workdir=workdir,
            source="llm",
            because="written by the model",
            provenance=Provenance(kind="model"),
            outputs=tuple(outputs),
        )
        return examine(msgspec.structs.replace(draft, entry=entry_of(draft, workspace)), request, workspace)


def shrunk(turns: Sequence[Turn]) -> list[Turn]:
    """The turns with the first line only of results that are old, once all together are long; the last turn stays whole, and alone has pictures.

    They shrink in steps of half the room, so that what was sent before mostly is sent again as it was.
    """
    turns = [
        msgspec.structs.replace(
            turn, calls=tuple(map(_cut_call, turn.calls)), pictures=turn.pictures if turn is turns[-1] else ()
        )
        for turn in turns
    ]
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


def _with_outputs(raw: RawCall) -> RawCall:
    """An answer with its files as objects, also where only their names were written."""
    arguments, _ = as_written(raw.arguments)
    outputs = arguments.get("outputs")
    if raw.name != "answer" or not isinstance(outputs, list):
        return raw
    objects = [{"path": one} if isinstance(one, str) else one for one in outputs]
    return RawCall(name=raw.name, arguments={**arguments, "outputs": objects})


def _output(given: Mapping[str, Any]) -> Output:
    """A file that an answer makes; msgspec.ValidationError where it is none."""
    return msgspec.convert({name: part for name, part in given.items() if part is not None}, Output)


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
