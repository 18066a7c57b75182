"""What a model wrote for a command line, read by the signature: by slot what it gives, whatever else is wrong with it."""

import difflib
import re
from collections.abc import Sequence
from typing import NamedTuple

from ml_agent.matching.entries import EntryPoint
from ml_agent.matching.slots import Slot
from ml_agent.matching.terms import alphanumeric
from ml_agent.tools.commandline.invocation import read_invocation, split_assignments
from ml_agent.tools.commandline.lexer import lex
from ml_agent.tools.commandline.parse import calls
from ml_agent.tools.signatures.model import Signature
from ml_agent.values.numbers import number

_ASSIGNED = re.compile(r"[A-Za-z_][\w.]*=")
_FENCE = re.compile(r"^\s*```\w*\s*$")
_LIKENESS = 0.85
"""From here on an unknown option is a slip of a known one."""


class WrittenArgument(NamedTuple):
    """What is given to one slot."""

    values: tuple[str, ...]
    """() for a bare switch."""
    positive: bool = True
    """Whether it is not the negative spelling of a switch."""


def arguments_by_slot(text: str, entry: EntryPoint) -> dict[int, WrittenArgument]:
    """By slot of an entry point what a text gives it; {} where the text is no call.

    Options that do not exist are taken for known ones that are spelled like them, or left out with their values; a value
    that stands by itself goes to the next positional argument, where there is one.
    """
    reader = _Reader(entry)
    for word in _words(text, entry.signature):
        reader.read(word)
    return reader.found()


def _words(text: str, signature: Signature) -> Sequence[str]:
    """The words of the first line that is a command; only those behind what it calls, where it says that."""
    lines = [line for line in re.sub(r"\\\n", " ", text).splitlines() if line.strip() and not _FENCE.match(line)]
    line = lines[0].strip().strip("`") if lines else ""
    words = [token.value for token in lex(line) if token.kind == "word"]
    _, command = split_assignments(words)
    if not command:
        return words
    invocation = read_invocation(command)
    called = invocation.target in ("script", "module", "shell") or calls(invocation, signature)
    return invocation.words if called else words


class _Reader:
    """Reads word by word."""

    def __init__(self, entry: EntryPoint) -> None:
        self._entry, self._slots = entry, entry.slots
        self._flags = _flags(self._slots)
        self._bare = {alphanumeric(name): known for name, known in reversed(self._flags.items())}
        self._given: list[tuple[int, list[str], bool]] = []
        self._open: list[str] | None = None
        """Where the next word belongs."""
        self._several = False
        self._loose: list[str] = []

    def read(self, word: str) -> None:
        """Take the next word."""
        if _is_flag(word) or (_ASSIGNED.match(word) and self._find(word.partition("=")[0])):
            self._read_flag(word)
        elif self._open is not None:
            self._open.append(word)
            self._open = self._open if self._several else None
        else:
            self._loose.append(word)

    def found(self) -> dict[int, WrittenArgument]:
        """What was given; of an option that is given twice the last, as a program takes it."""
        merged: dict[int, WrittenArgument] = {}
        for place, values, positive in (*self._given, *self._by_place()):
            known = merged.get(place) if self._slots[place].several else None
            merged[place] = WrittenArgument((*(known.values if known else ()), *values), positive)
        return merged

    def _read_flag(self, word: str) -> None:
        name, joined, value = word.partition("=")
        hit, self._open = self._find(name), None
        if hit is None:
            return
        place, positive = hit
        values = [value] if joined else []
        self._given.append((place, values, positive))
        self._several = self._slots[place].several
        if not joined and not self._slots[place].option.switch:
            self._open = values

    def _find(self, name: str) -> tuple[int, bool] | None:
        wanted = alphanumeric(name)
        if name in self._flags or wanted in self._bare:
            return self._flags.get(name) or self._bare[wanted]
        near = difflib.get_close_matches(wanted, list(self._bare), 1, _LIKENESS)
        return self._bare[near[0]] if near else None

    def _by_place(self) -> list[tuple[int, list[str], bool]]:
        signature = self._entry.signature
        own = {*signature.subcommand, signature.name, signature.path}
        words = [word for word in self._loose if word not in own]
        found: list[tuple[int, list[str], bool]] = []
        for place, slot in enumerate(self._slots):
            if slot.option.positional and words:
                count = len(words) if slot.several else 1
                found.append((place, words[:count], True))
                words = words[count:]
        return found


def _is_flag(word: str) -> bool:
    return len(word) > 1 and word.startswith("-") and number(word) is None


def _flags(slots: Sequence[Slot]) -> dict[str, tuple[int, bool]]:
    """By spelling: the slot, and whether it is asked for or refused."""
    found: dict[str, tuple[int, bool]] = {}
    for place, slot in enumerate(slots):
        for name in (*slot.option.flags, slot.option.dest):
            found.setdefault(name, (place, True))
        for name in slot.option.negative_flags:
            found.setdefault(name, (place, False))
    return found
