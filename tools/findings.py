"""What a check found wrong with a command or with code."""

from typing import Literal

import msgspec

Severity = Literal["error", "warning", "unsure"]
"""error: cannot work. warning: may be all right, and probably is not. unsure: nobody can tell from the repository alone."""


class Finding(msgspec.Struct, frozen=True, kw_only=True):
    """One reason why a draft cannot run (error), may not (warning), or cannot be judged (unsure)."""

    code: str
    """Stable name: no-such-file, unknown-option, bad-choice, bad-type, missing-required, too-many-arguments, missing-value,
    no-such-module, no-such-name, undefined-name, syntax, bad-call, value-not-used, unreadable-command, outside-tree, plugin-failed, ..."""
    message: str
    """One line for a person and for the model."""
    severity: Severity = "error"
    subject: str = ""
    """The word of the draft that is meant: an option, a path, a name."""
    suggestion: str = ""
    """What to write in its place, where one is known."""
    path: str = ""
    """File of the repository that says so, relative to its root."""
    line: int = 0
    at: int = 0
    """Line of the checked text, from 1; 0 where it is about the whole."""
