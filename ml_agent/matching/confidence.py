"""How likely an answer is what was asked: what speaks for the whole of it, and the words that found no place in it."""

import ast
import re
from collections.abc import Mapping
from pathlib import PurePosixPath
from typing import NamedTuple

from ml_agent.matching.mentions import ParsedRequest
from ml_agent.matching.terms import alphanumeric, terms
from ml_agent.tools.commandline.shell import parse_command
from ml_agent.tools.commandline.words import parse_call
from ml_agent.tools.python_source import parse_python
from ml_agent.tools.signatures.model import Signature
from ml_agent.values.lexicon import words

CONFIDENCE_FEATURES = (
    "python", "margin", "least", "unused", "unused_share", "unplaced", "unplaced_share", "spelled",
    "spelled_share", "entry_named", "filled_up", "stated", "unseen",
)  # fmt: skip
_CAP = 4.0
_SHORTEST = 3


class ConfidenceInput(NamedTuple):
    """What is judged of an answer beside its text."""

    signature: Signature | None
    """Of the entry point that it calls; None for Python."""
    shown: str
    """The example that it was made from, with what stands around it; "" for none."""
    unused: int
    """Stated values that it does not use, or that may as well belong elsewhere."""
    stated: int
    """Stated values."""
    margin: float
    """How far matching puts it before other entry points; 0 where it was not matched."""
    least: float
    """The weakest placement of a value, as log-odds; 0 where it was not matched."""


def unplaced(statement: ParsedRequest, text: str, signature: Signature | None, shown: str = "") -> tuple[str, ...]:
    """The content words of a request that neither the answer, its entry point, its options nor its example speak of.

    Args:
        statement: the request.
        text: the answer.
        signature: of the entry point that it calls; None for Python.
        shown: the example that it was made from, as far as it counts.
    """
    tree = parse_python(text) if signature is None else None
    text = ast.unparse(tree) if tree is not None else text  # a comment does nothing
    texts = [text, shown]
    if signature is not None:
        texts += [signature.path, signature.name, signature.doc, *signature.subcommand]
        given = _option_values(signature, text)
        texts += [
            f"{option.dest} {' '.join(option.flags)} {option.help}"
            for option in signature.options
            if option.dest in given
        ]
    known = {term for one in texts for word in re.split(r"[^\w.+-]+", one) for term in terms(word)}
    squeezed = alphanumeric(text)
    return tuple(
        dict.fromkeys(
            word.text
            for word in statement.content
            if word.text not in words("politeness")
            and len(word.text) >= _SHORTEST
            and not any(term in known for term in word.terms)
            and alphanumeric(word.text) not in squeezed
        )
    )


def _option_values(signature: Signature, text: str) -> Mapping[str, object]:
    """The options that an answer gives, by dest."""
    found: dict[str, object] = {}
    for call in parse_command(text).invocations:
        found |= parse_call(signature, call.words).values
    return found


def confidence_vector(statement: ParsedRequest, text: str, judged: ConfidenceInput) -> list[float]:
    """What speaks for and against the whole of an answer.

    Args:
        statement: the request.
        text: the answer.
        judged: what is known of it.
    """
    signature = judged.signature
    lost = len(unplaced(statement, text, signature, judged.shown))
    said = max(1, len(statement.content))
    spelled = [one for one in statement.spelled if one.start >= 0]
    given = _option_values(signature, text) if signature is not None else {}
    named = signature is not None and _is_named(statement, signature)
    invented = sum(str(value) == dest for dest, value in given.items())
    return [
        float(signature is None),
        max(-_CAP, min(_CAP, judged.margin)), max(-_CAP, min(_CAP, judged.least)),
        min(_CAP, float(judged.unused)), judged.unused / max(1, judged.stated), min(_CAP, lost / 3), lost / said,
        float(bool(spelled)), min(1.0, len(spelled) / max(1, len(given))), float(named),
        float(invented), min(_CAP, judged.stated / 3), float(signature is not None and not signature.whole),
    ]  # fmt: skip


def _is_named(statement: ParsedRequest, signature: Signature) -> bool:
    """Whether the request names the very script or command."""
    file = PurePosixPath(signature.path).name.lower()
    names = {file} if not signature.name else {file, signature.name.lower()}
    return any(PurePosixPath(token.value.lower()).name in names for token in statement.tokens)
