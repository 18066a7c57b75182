"""The paper's error classes (Appendix G.9), decided by what the scorer saw and not by a model."""

import glob
from pathlib import Path
from typing import Literal

ErrorClass = Literal["E1", "E2", "E3", "E4", "E5", ""]

NAMES: dict[str, str] = {
    "E1": "hallucination: another language, or modules that nobody has",
    "E2": "lack of knowledge: a script, choice, module or name that the repository does not have",
    "E3": "knowledge manipulation: values dropped, options or arguments that the program does not take",
    "E4": "syntax, and names that were never defined",
    "E5": "operational: no answer, nothing that runs, the wrong folder",
}
CANNOT_BE_JUDGED = "cannot be judged"
SAME_CALL: dict[str, str] = {
    "wrong entry": "another script, command, function or class",
    "missing": "something that was asked for is not set",
    "other value": "something is set to another value",
    "unasked": "something is set or started that nobody asked for",
    "refused": "the repository's parser or Python refuses it",
    "not the kind": "shell where Python is wanted, or Python where shell is",
    "no answer": "there is none",
    "no reference": "the row's own reference starts nothing that could be compared",
    CANNOT_BE_JUDGED: "it breaks the scorer itself",
}
"""The classes of the scorer `same call`."""
_BY_CODE: dict[str, ErrorClass] = {
    "wrong-type": "E1",
    "no-such-file": "E2",
    "bad-choice": "E2",
    "no-such-module": "E2",
    "no-such-name": "E2",
    "no-such-attribute": "E2",
    "unknown-key": "E2",
    "rejected-by-hand": "E2",
    "bad-value": "E2",
    "value-not-used": "E3",
    "unknown-option": "E3",
    "options-ignored": "E3",
    "missing-required": "E3",
    "missing-value": "E3",
    "bad-type": "E3",
    "bad-call": "E3",
    "conflict": "E3",
    "flags": "E3",
    "usage": "E3",
    "syntax": "E4",
    "undefined-name": "E4",
    "error": "E4",
    "no-such-command": "E4",
    "nothing-runs": "E5",
    "only-shows": "E5",
    "no-answer": "E5",
    "no-such-folder": "E5",
    "no-repository": "",
}


def classify(reason: str, root: Path) -> ErrorClass:
    """The class of a reason ("code: about"); a script that stands elsewhere in the repository is a matter of the folder."""
    code, _, about = reason.partition(": ")
    if code == "no-such-file" and _elsewhere(about, root):
        return "E5"
    if code == "no-such-module" and "'" in about and not (root / about.split("'")[1].split(".")[0]).exists():
        return "E1"
    return _BY_CODE.get(code, "E4" if code else "")


def _elsewhere(about: str, root: Path) -> bool:
    """Whether the file that a message quotes exists in another folder of the repository."""
    if "'" not in about:
        return False
    name = Path(about.split("'")[1]).name
    return bool(name) and next(root.rglob(glob.escape(name)), None) is not None
