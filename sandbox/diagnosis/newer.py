"""Whether newer libraries explain a failure of old code that no table names: it comes from the repository's own code and from a library."""

import builtins
import re
from pathlib import Path, PurePosixPath

import msgspec

from ml_agent.sandbox.diagnosis.model import Diagnosis, Fix
from ml_agent.sandbox.diagnosis.refine import WORKSPACE
from ml_agent.sandbox.inner_path import leads_out
from ml_agent.sandbox.repository_search import files
from ml_agent.tools.foreign_files import is_file, read_text

MAX_SOURCE = 512 * 1024
_FRAME = re.compile(r'^[ \t]++File "([^"\n]++)", line \d', re.MULTILINE)
_LIBRARY = re.compile(r"/(?:site|dist)-packages/")
_CALLS = re.compile(r"(?:\w++\.)*+(?:TypeError|AttributeError|ImportError|ModuleNotFoundError|\w+Warning)\b")
"""Exceptions with which a library says, wherever they arise in it, that it is called otherwise than it takes."""
_SAYS = re.compile(
    r"\bremoved\b|\bdeprecated\b|\bno (?:longer|more)\b|\bread-only\b|(?:un|not )supported|truth value of an empty array"
    r"|\bmust be (?:an? (?:str|instance|int|float)\b|one of\b)|\bis not (?:recognized|understood)|[Uu]nrecognized|[Uu]nknown",
)
"""Words for it in other exceptions."""
_ARRAYS = re.compile(
    r"is read-only|only (?:0-dimensional|length-1|integer scalar) arrays|[Uu]nable to avoid copy|truth value of an empty array"
    r"|invalid index to scalar variable"
)
"""What compiled code says of arrays; it has no frame of its own."""
_OTHERS = re.compile(
    r"(?<!\w)(?P<called>\w++)(?:\.__init__)?\(\) (?:got an unexpected keyword|got multiple values|missing \d+ |takes )"
    r"|(?:type object )?'(?:\w++\.)*+(?P<has>\w++)'(?: object)? has no attribute '(?P<lacks>\w++)'"
)
"""A function or class by whose name it can be told whether it is the repository's, and what it lacks: its own, or inherited."""
_BUILT_IN = frozenset({*dir(builtins), "NoneType", "function", "method", "module", "builtin_function_or_method"})
_BAGS = re.compile(r"(?:Simple)?Namespace|\w*[dD]ict|Munch|DotMap|Box|CfgNode|DictConfig")
"""Classes whose attributes are what a program puts there."""


def with_age(diagnosis: Diagnosis, said: str, root: Path, folder: str = ".") -> Diagnosis:
    """The diagnosis with the fix `aged` where no other is known and newer libraries explain it.

    `said` is the error output of a program that ran in `folder` of the repository at `root`.
    """
    if diagnosis.fix is None and diagnosis.category == "code" and _is_of_library(said, root, folder):
        return msgspec.structs.replace(diagnosis, fix=Fix(kind="aged"))
    return diagnosis


def _is_of_library(said: str, root: Path, folder: str) -> bool:
    """What is called by code that was written for the task alone may be called wrongly."""
    _, found, traceback = said.rpartition("Traceback (most recent call last):")
    frames = _FRAME.findall(traceback)
    if not found or not frames:
        return False
    error = next((line for line in traceback.splitlines()[1:] if line.strip() and not line.startswith(" ")), "")
    other = _OTHERS.search(error)
    name, lacks = (other["called"] or other["has"], other["lacks"]) if other else ("", "")
    if _LIBRARY.search(frames[-1]):
        own = any(_is_own(frame, root, folder) for frame in frames) or bool(name and _is_defined(name, root))
        return own and bool(_CALLS.match(error) or _SAYS.search(error))
    if not _is_own(frames[-1], root, folder):
        return False
    own = (
        name in _BUILT_IN
        or bool(_BAGS.fullmatch(name))
        or (_is_defined(name, root) and _is_defined(lacks or name, root))
    )
    return bool(_ARRAYS.search(error)) or bool(name and not own)


def _is_own(frame: str, root: Path, folder: str) -> bool:
    """Whether a traceback's file is one of the repository's."""
    match = WORKSPACE.match(frame)
    path = PurePosixPath(frame[match.end() :]) if match else PurePosixPath(folder, frame)
    return not _LIBRARY.search(frame) and not leads_out(path) and is_file(root / path)


def _is_defined(name: str, root: Path) -> bool:
    word = re.escape(name)
    wanted = re.compile(
        rf"^[ \t]*+(?:class|(?:async )?def)[ \t]++{word}\b|\b{word}[ \t]*+(?::[^=\n]{{0,80}}+)?=(?!=)", re.MULTILINE
    )
    return any(wanted.search(read_text(path, MAX_SOURCE)) for path in files(root, (".py",)))
