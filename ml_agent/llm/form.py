"""For models that cannot hold a conversation: they fill in the whole call of each likely entry point, and the best call is taken."""

import re
import shlex
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import msgspec

from ml_agent.draft import Draft, Provenance
from ml_agent.llm.assembly import Prompt, Section
from ml_agent.llm.briefing import likeliest
from ml_agent.llm.client import ModelClient, silent
from ml_agent.llm.likely import likely_entries, wants_code
from ml_agent.llm.loop import Case
from ml_agent.proof import UNUSED, examine
from ml_agent.trajectory import Emit
from ml_agent.values.numbers import number
from prompts import functions
from prompts.render import render
from tools.commandline.edit import set_option
from tools.commandline.parse import parse_one
from tools.commandline.render import program
from tools.errors import RenderError
from tools.retrieval import tokenize
from tools.schema import function_schema
from tools.signatures.model import Signature

ENTRIES = 3
_SCHEMA_TOKENS = 700
_HELP = frozenset({"help", "h", "helpfull", "helpshort", "version"})
_PIECE = re.compile(r"[A-Za-z]+|\d+(?:\.\d+)?(?:[eE][-+]?\d+)?")


class Form:
    """Fills in calls; the grounded drafts are candidates among the others."""

    def __init__(self, client: ModelClient, case: Case, emit: Emit = silent) -> None:
        self._client, self._case, self._emit = client, case, emit
        self._said = _Said(case)

    def answers(self, drafts: Sequence[Draft]) -> list[Draft]:
        """All candidates, best first: the grounded drafts, and the calls that the model filled in.

        Raises ModelAnswerError, EndpointError, BudgetExceededError.
        """
        request, workspace = self._case.request, self._case.workspace
        examined = [examine(draft, request, workspace) for draft in drafts]
        if wants_code(request) or (examined and examined[0].kind == "python"):
            return examined
        made = [*examined]
        for entry in likely_entries(request, workspace, ENTRIES):
            signature = likeliest(entry, request)
            if signature.options:
                made += self._filled(signature, examined)
        return sorted(made, key=worth, reverse=True)

    def _filled(self, signature: Signature, drafts: Sequence[Draft]) -> Iterator[Draft]:
        """The calls of one entry point: the grounded one changed as the model says, and one with nothing else in it."""
        workspace = self._case.workspace
        bare = shlex.join([*program(signature, workspace.path), *signature.subcommand])
        like = next((one for one in drafts if one.entry == signature.path and parse_one(one.text, signature)), None)
        said = self._asked(signature, like.text if like is not None else bare)
        taken = {dest: value for dest, value in said.items() if self._said.covers(dest, value)}
        self._emit("filled", entry=signature.path, said={k: v for k, v in said.items() if v is not None}, taken=taken)
        plain = Draft(
            kind="bash", text=bare, workdir=workspace.path, entry=signature.path,
            provenance=Provenance(kind="signature", path=signature.path, line=signature.line),
        )  # fmt: skip
        for base in [like, plain] if like is not None else [plain]:
            text = written(base.text, signature, taken)
            if text is not None:
                because = f"{signature.path} filled in by the model"
                draft = msgspec.structs.replace(base, text=text, source="llm", because=because)
                yield examine(draft, self._case.request, workspace)

    def _asked(self, signature: Signature, command: str) -> Mapping[str, Any]:
        # Without their defaults: a small model repeats them where the user states nothing.
        options = tuple(
            msgspec.structs.replace(one, default=None, required=False)
            for one in signature.options
            if one.dest not in _HELP
        )
        trimmed = msgspec.structs.replace(signature, options=options)
        words = tokenize(self._case.request.instruction)
        properties = function_schema(trimmed, words, _SCHEMA_TOKENS)["function"]["parameters"]["properties"]
        texts = render("fill", command=command, doc=signature.doc[:200], instruction=self._case.request.instruction)
        prompt = Prompt(
            phase="fill",
            system=texts["system"],
            sections=(Section(name="command", text=texts["command"], rank=1), Section(name="task", text=texts["task"])),
            question=texts["question"],
            limit=1600,
        )
        most = 60 + 20 * len(properties)
        return self._client.decide(prompt, [functions.settings(properties)], most).arguments


def worth(draft: Draft) -> tuple[float, ...]:
    """How well an examined draft stands: errors first, then the user's values that it uses, then guesses that it uses."""
    errors = sum(one.severity == "error" and one.code != UNUSED for one in draft.findings)
    used = [entry for entry in draft.ledger if entry.status != "not found"]
    return (-errors, sum(entry.required for entry in used), len(used))


def written(text: str, signature: Signature, values: Mapping[str, Any]) -> str | None:
    """A command with these options set; None where it cannot be taken apart or a value cannot be written."""
    call = parse_one(text, signature)
    if call is None:
        return None
    for dest, value in values.items():
        try:
            call = set_option(call, dest, value)
        except RenderError:
            continue
    return call.text()


class _Said:
    """The user's words, to be compared with values: a small model likes to write defaults and guesses."""

    def __init__(self, case: Case) -> None:
        request = case.request
        texts = [request.instruction, *(value.value for value in request.values)]
        self._words = {piece.lower() for text in texts for piece in _PIECE.findall(text)}
        self._tokens = {token for text in texts for token in tokenize(text)}
        self._numbers = {amount for word in self._words if (amount := number(word)) is not None}

    def covers(self, dest: str, value: Any) -> bool:
        """Whether a value is made of the user's words."""
        if value is None or value == []:
            return False
        if isinstance(value, bool):
            return ((set(tokenize(dest)) - {dest.lower()}) or {dest.lower()}) <= self._tokens
        if isinstance(value, list):
            return all(self.covers(dest, item) for item in value)
        if isinstance(value, (int, float)):
            return number(repr(value)) in self._numbers
        pieces = [piece.lower() for piece in _PIECE.findall(str(value))]
        return bool(pieces) and all(
            piece in self._words or ((amount := number(piece)) is not None and amount in self._numbers)
            for piece in pieces
        )
