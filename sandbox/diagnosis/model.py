"""A failure with its name, and the rule that gives it."""

import re
from collections.abc import Callable
from typing import Literal

import msgspec

Category = Literal["environment", "arguments", "code", "data", "limits"]
FixKind = Literal["constrain", "by-date", "system", "python", "folder", "cpu"]


class Fix(msgspec.Struct, frozen=True, kw_only=True):
    """What would help, as far as the failure alone says."""

    kind: FixKind
    """constrain: requirements; by-date: distributions, in the version of the commit's time; system: Debian packages;
    python: `>=3.12` or `<=3.9`; folder: make it; cpu: choose the processor."""
    arguments: tuple[str, ...] = ()
    python: str = ""
    """The newest Python that these versions were made for, where it is older than today's."""


class Diagnosis(msgspec.Struct, frozen=True, kw_only=True):
    """Why a command failed."""

    code: str
    """Stable name, such as missing-module."""
    category: Category
    message: str
    """One line for a person and for the model."""
    subject: str = ""
    """The module, option, file or package that is meant."""
    evidence: tuple[str, ...] = ()
    """Lines of the output that show it."""
    fix: Fix | None = None


Match = re.Match[str]


class Rule(msgspec.Struct, frozen=True, kw_only=True):
    """One kind of failure and how it is recognised."""

    code: str
    pattern: re.Pattern[str]
    message: str
    """Filled with the pattern's named groups."""
    fix: Callable[[str], Fix | None] | None = None
    """Given the subject."""
    scope: Literal["final", "any"] = "final"
    """final: the last exception or the last lines; any: the whole output kept."""


def rule(code: str, pattern: str, message: str, **more: object) -> Rule:
    """A rule from its pattern's text; `^` and `$` stand for lines."""
    return msgspec.structs.replace(Rule(code=code, pattern=re.compile(pattern, re.MULTILINE), message=message), **more)
