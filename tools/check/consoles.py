"""Programs that are called by their names: known everywhere, a slip of one, declared elsewhere, or known to nobody here."""

import posixpath
import re

from ml_agent.tools.check.places import is_literal
from ml_agent.tools.check.programs import INTERPRETERS, KNOWN_PROGRAMS, LIKE_INTERPRETERS
from ml_agent.tools.check.repository import CheckedRepository
from ml_agent.tools.commandline.invocation import Invocation, read_invocation, unwrap
from ml_agent.tools.findings import Finding
from ml_agent.tools.launchers import PYTHON, launchers
from ml_agent.tools.signatures.nearest import is_slip

_DEFINES = re.compile(
    r"(?:^|[;&|])[ \t]*(?:function[ \t]+([\w:.-]+)|([\w:.-]+)[ \t]*\(\)|alias[ \t]+([\w:.-]+)=)", re.MULTILINE
)
_REPLACED = re.compile(r"-I(.*)|-i(.*)|--replace(?:=(.*))?")
_HANDED_ON = "$0"
"""Stands for a word that xargs adds."""


def defined_names(text: str) -> frozenset[str]:
    """The functions and aliases that bash text defines."""
    return frozenset(filter(None, (name for match in _DEFINES.finditer(text) for name in match.groups())))


def called_by_xargs(invocation: Invocation) -> Invocation | None:
    """The command that xargs starts, with variables for the words that it adds; None where it names none."""
    words = unwrap(["xargs", *invocation.words], launchers()["xargs"])
    if not words:
        return None
    own = invocation.words[: len(invocation.words) - len(words)]
    mark = _mark(own)
    given = [word.replace(mark, _HANDED_ON) for word in words] if mark else [*words, _HANDED_ON, _HANDED_ON]
    return read_invocation(given)


def _mark(own: tuple[str, ...]) -> str:
    """What xargs replaces by the words that it reads; "" where it adds them at the end."""
    for word, following in zip(own, [*own[1:], "{}"], strict=False):
        match = _REPLACED.fullmatch(word)
        if match is not None:
            return next(filter(None, match.groups()), following if word == "-I" else "{}")
    return ""


def unknown_program(program: str, repository: CheckedRepository, defined: frozenset[str]) -> Finding | None:
    """What is to say of a program that is none of the repository's console scripts; None where it is well known.

    Args:
        program: the first word of the command.
        repository: says which programs it has and declares.
        defined: functions and aliases that the text defines.
    """
    name = posixpath.basename(program)
    if not name or name in KNOWN_PROGRAMS or PYTHON.match(program) or program in defined:
        return None
    if not is_literal(program):
        return cannot_tell(program, f"which program {program} is: it is set when the command runs")
    if name in repository.declared:
        return cannot_tell(
            program, f"which options {program} takes: the set-up files declare it, but its code was not read"
        )
    meant = next((other for other in repository.consoles if is_slip(name, other)), "") or _interpreter(name)
    if meant and "/" not in program:
        message = f"there is no program {name}; did you mean {meant}?"
        return Finding(code="no-such-command", message=message, subject=name, suggestion=meant)
    return cannot_tell(program, f"{program} is not a program of this repository, so its options are unknown")


def cannot_tell(program: str, message: str) -> Finding:
    """The finding that nobody can judge a program's words."""
    return Finding(code="cannot-tell", message=message, severity="unsure", subject=program)


def _interpreter(name: str) -> str:
    """The interpreter or launcher of which a name is a slip; "" for one that there may be."""
    stem = name.rstrip("0123456789.")
    known = stem in LIKE_INTERPRETERS or stem.lower() in INTERPRETERS
    return "" if known else next((other for other in INTERPRETERS if is_slip(stem, other)), "")
