"""A draft as a function: its options or literals are what a model may set, and the draft is written anew from the call."""

import ast
import re
from collections.abc import Mapping
from typing import Any, Protocol

import msgspec

from ml_agent.draft import Draft
from ml_agent.grounded.literals import Literal, literals
from ml_agent.grounded.terms import terms
from ml_agent.navigator import Workspace
from tools.commandline.edit import set_option
from tools.commandline.model import Call
from tools.commandline.parse import parse_one
from tools.errors import RenderError
from tools.python_api.model import ApiObject
from tools.schema import function_schema
from tools.signatures.model import Option, Signature

Settings = Mapping[str, Any]
MOST_SLOTS = 12
_HELP = frozenset({"help", "h", "helpfull", "helpshort", "version"})
_MODE = 2


class Slots(Protocol):
    """What can be set in a draft."""

    properties: dict[str, dict[str, Any]]
    """JSON Schema by name; null leaves a slot as it is."""
    now: dict[str, str]
    """What a slot holds at present, as text; absent where it holds nothing."""

    def write(self, settings: Settings) -> str:
        """The draft's text with the slots of `settings` set; RenderError where a value cannot be written."""


class OptionSlots:
    """The options of a command that are in play: given in the draft, required, or spoken of in the instruction."""

    def __init__(self, call: Call, signature: Signature, words: str) -> None:
        self._call = call
        given = {part.option.dest: part for part in call.arguments if part.option is not None}
        self.now = {dest: " ".join(part.values) or "on" for dest, part in given.items()}
        options = _in_play(signature, frozenset(given), words)
        # Without their defaults: a small model repeats them where the user states nothing.
        bare_options = tuple(msgspec.structs.replace(option, default=None) for option in options)
        trimmed = msgspec.structs.replace(signature, options=bare_options, subcommand=())
        properties = function_schema(trimmed, max_tokens=10_000)["function"]["parameters"]["properties"]
        self.properties = {name: _optional(schema) for name, schema in properties.items()}

    def write(self, settings: Settings) -> str:
        """The command line with the options of `settings` set."""
        changed = self._call
        for dest, value in settings.items():
            if value is not None:
                changed = set_option(changed, dest, value)
        return changed.text()


class LiteralSlots:
    """The literals of Python code that are in play: arguments, keywords, values of variables."""

    def __init__(self, code: str, workspace: Workspace) -> None:
        self._code = code
        self._literals: dict[str, Literal] = {}
        imports = _imports(code)
        for literal in literals(code):
            if literal.fixed or literal.start < 0 or _is_mode(literal) or len(self._literals) >= MOST_SLOTS:
                continue
            self._literals[_free(_name(literal, imports, workspace), self._literals)] = literal
        self.now = {name: literal.text for name, literal in self._literals.items()}
        self.properties = {name: _literal_schema(literal) for name, literal in self._literals.items()}

    def write(self, settings: Settings) -> str:
        """The code with the literals of `settings` replaced; layout and comments stay."""
        code = self._code
        for name, literal in sorted(self._literals.items(), key=lambda pair: -pair[1].start):
            value = settings.get(name)
            if value is not None and str(value) != literal.text:
                code = code[: literal.start] + _written(literal, value) + code[literal.end :]
        return code


def slots_of(draft: Draft, workspace: Workspace, words: str) -> Slots | None:
    """The slots of a draft, as far as `words` bring them into play; None where it cannot be taken apart or has none."""
    if draft.kind == "python":
        in_code = LiteralSlots(draft.text, workspace)
        return in_code if in_code.properties else None
    signature = signature_of(draft, workspace)
    call = parse_one(draft.text, signature) if signature is not None else None
    if signature is None or call is None:
        return None
    found = OptionSlots(call, signature, words)
    return found if found.properties else None


def signature_of(draft: Draft, workspace: Workspace) -> Signature | None:
    """The signature of the entry point that a draft calls, of its subcommand where it has several."""
    words = draft.text.split()
    known = [s for s in workspace.index.signatures.get(draft.entry, ()) if all(word in words for word in s.subcommand)]
    return max(known, key=lambda signature: len(signature.subcommand), default=None)


def _in_play(signature: Signature, given: frozenset[str], text: str) -> list[Option]:
    """Options worth a look, at most MOST_SLOTS, in the order of the signature."""
    words = {term for word in re.findall(r"\w+", text) for term in terms(word)}
    scored: list[tuple[float, int]] = []
    for place, option in enumerate(signature.options):
        if option.dest in _HELP:
            continue
        names = set(terms(option.dest))
        spoken = len(names & words) / (len(names) or 1)
        helped = len(set(terms(option.help)) & words) / 4
        chosen = any(set(terms(choice)) & words for choice in option.choices)
        score = spoken + 0.5 * chosen + min(helped, 0.5) + 0.6 * (option.dest in given) + 2.0 * option.required
        if score >= 0.5:
            scored.append((-score, place))
    return [signature.options[place] for place in sorted(place for _, place in sorted(scored)[:MOST_SLOTS])]


def _optional(schema: dict[str, Any]) -> dict[str, Any]:
    """The schema with null for "as it is"; a required option of the script may stay as it is, too."""
    kinds = schema["type"] if isinstance(schema["type"], list) else [schema["type"]]
    made = {**schema, "type": [*kinds, *([] if "null" in kinds else ["null"])]}
    if "enum" in made and None not in made["enum"]:
        made["enum"] = [*made["enum"], None]
    return made


def _is_mode(literal: Literal) -> bool:
    """Whether a literal by place is too small to be anything but the mode of a call: open(path, "w"), unsqueeze(0)."""
    return literal.place >= 0 and len(literal.text) <= _MODE


def _imports(code: str) -> dict[str, str]:
    """The dotted name of each name that the code imports."""
    found: dict[str, str] = {}
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, ast.ImportFrom) and node.module and not node.level:
            found |= {alias.asname or alias.name: f"{node.module}.{alias.name}" for alias in node.names}
        elif isinstance(node, ast.Import):
            found |= {alias.asname: alias.name for alias in node.names if alias.asname}
    return found


def _name(literal: Literal, imports: Mapping[str, str], workspace: Workspace) -> str:
    """What a literal is for: its keyword, the parameter that it is given for, the variable, or the called function."""
    if literal.place >= 0 and literal.owner:
        head, dot, rest = literal.owner.partition(".")
        called = workspace.index.api.resolve(imports.get(head, head) + dot + rest, workspace.path)
        if isinstance(called, ApiObject):
            named = [p.name for p in called.parameters if p.kind in {"positional", "either"}]
            if literal.place < len(named):
                return named[literal.place]
    return literal.slot or literal.owner.rpartition(".")[2] or literal.kind


def _free(name: str, taken: Mapping[str, Any]) -> str:
    plain = re.sub(r"\W+", "_", name).strip("_") or "value"
    return next(
        f"{plain}{number}" if number else plain
        for number in (0, *range(2, 1000))
        if f"{plain}{number or ''}" not in taken
    )


def _literal_schema(literal: Literal) -> dict[str, Any]:
    """Without what stands there now: a small model repeats it where the user states nothing."""
    kind = "number" if literal.kind == "number" else "string"
    owner = literal.owner.partition("(")[0].rpartition(".")[2]
    return {"type": [kind, "null"], **({"description": f"of {owner}"} if owner and owner != literal.slot else {})}


def _written(literal: Literal, value: Any) -> str:
    if literal.kind == "number":
        return repr(value)
    text = str(value)
    if literal.kind == "shape":
        numbers = re.findall(r"-?\d+", text)
        if not numbers:
            raise RenderError(f"{text!r} is no shape")
        inner = ", ".join(numbers)
        return inner if literal.owner else f"({inner})"
    return f'"{text}"' if '"' not in text and "\\" not in text and text.isprintable() else repr(text)
