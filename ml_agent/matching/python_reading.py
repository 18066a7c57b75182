"""Reads a request for Python: what is spelled as code is spelled, and names of languages and libraries are no values."""

import re
from functools import cached_property, lru_cache

from ml_agent.matching.mentions import Mention, ParsedRequest

_WHOLE = re.compile(r"`(?P<name>[A-Za-z_]\w*)\s*=\s*(?P<value>[^`\n]+)`")
_BLANKS = re.compile(r"(?<![\w'\"])(?P<name>[A-Za-z_]\w*)\s*=\s+(?=[\d'\"(\[{TFN.-])")
_TICKED = re.compile(r"`(?P<name>[a-z_]\w*)`\s+(?:of\s+|to\s+|as\s+|at\s+|is\s+)?(?=-?\d|['\"])")
_TICKS = re.compile(r"`([^`\n]*)`")
_LANGUAGES = frozenset(
    ["python", "pytorch", "numpy", "tensorflow", "jax", "api", "opencv", "py", "gpu", "cpu", "torch", "pandas", "pil", "json", "cuda"]
)  # fmt: skip
"""What code is written in or with; `cuda` and its like stay where a slot's own vocabulary has them."""


class ParsedPythonRequest(ParsedRequest):
    """A request for Python, read once.

    Args:
        text: the instruction.
        given: name and value of what the user gave beside it.
        classes: names of classes, which say what is called and are no values.
    """

    def __init__(self, text: str, given: tuple[tuple[str, str], ...], classes: frozenset[str]) -> None:
        super().__init__(text, given)
        self._classes = classes

    @cached_property
    def mentions(self) -> tuple[Mention, ...]:
        """Every value, in order, without the names of languages and libraries."""
        every = super().mentions
        return tuple(
            one
            for one in every
            if one.kind != "name" or not (one.value.lower() in _LANGUAGES or one.value in self._classes)
        )


@lru_cache(maxsize=512)
def read_python_request(
    text: str, given: tuple[tuple[str, str], ...] = (), classes: frozenset[str] = frozenset()
) -> ParsedPythonRequest:
    """The request with its code spelled without blanks and ticks."""
    text = _WHOLE.sub(r"\g<name>=\g<value>", text)
    text = _BLANKS.sub(r"\g<name>=", text)
    text = _TICKED.sub(lambda match: f"{match['name']}=", text)
    return ParsedPythonRequest(_TICKS.sub(r"\1", text), given, classes)
