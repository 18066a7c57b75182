"""When two values are the same: numbers as numbers, paths as paths, lists as lists, tables as tables."""

import ast
import json
import math
import posixpath
import re
import shlex
from pathlib import Path
from typing import Any, Literal, NamedTuple

from ml_agent.tools.check.inputs import HUB_ID, SUFFIX
from ml_agent.tools.commandline.invocation import read_invocation

NUMBER = re.compile(r"[-+]?(?:\d[\d_]*(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?$")
PAIRS = re.compile(r"[\w.]+=[^,=]*(?:,[\w.]+=[^,=]*)+$")
NEAR = 1e-9
WORDS = {"true": True, "false": False, "none": None, "null": None}
Reading = Literal["any", "set", "text"]
"""How text is read that looks like something else. any: as a number, a truth value or null. set: as the same, but not as null.
text: as text, for the type of its option says so."""


def same(first: Any, second: Any, reading: Reading = "any") -> bool:
    """Whether two values say the same; what is not known here agrees with everything."""
    if is_unknown(first) or is_unknown(second):
        return True
    one, other = plain(first, reading), plain(second, reading)
    if isinstance(one, list) and isinstance(other, list):
        if (settings := _settings(one)) and (others := _settings(other)):
            return same(settings, others)
        return len(one) == len(other) and all(same(a, b, reading) for a, b in zip(one, other, strict=True))
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(same(one[k], other[k]) for k in one)
    if isinstance(one, list) != isinstance(other, list):
        return _alone(one, other, reading)
    if isinstance(one, bool) or isinstance(other, bool):
        return one is other or (_number(one) == _number(other) and _number(one) in (0, 1))
    if _number(one) is not None and _number(other) is not None:
        return math.isclose(_number(one) or 0.0, _number(other) or 0.0, rel_tol=NEAR)
    return bool(one == other) or (isinstance(one, str) and isinstance(other, str) and _same_command(one, other))


class Folders(NamedTuple):
    """Where the two programs ran that are compared."""

    root: Path
    """Of the repository."""
    first: str
    """Relative to it, as the next."""
    second: str


def same_place(first: Any, second: Any, folders: Folders) -> bool:
    """Whether two values are paths, or lists of them, that lead to the same place of the repository, each from its own folder."""
    if isinstance(first, list) and isinstance(second, list):
        return len(first) == len(second) and all(
            same(a, b) or same_place(a, b, folders) for a, b in zip(first, second, strict=True)
        )
    if not (isinstance(first, str) and isinstance(second, str)) or not first.strip() or not second.strip():
        return False
    if any("://" in text for text in (first, second)):
        return False
    places = [
        posixpath.normpath(posixpath.join(folders.root, folder, text))
        for folder, text in ((folders.first, first), (folders.second, second))
    ]
    return places[0] == places[1]


def leads_elsewhere(name: str, first: Any, second: Any, folders: Folders) -> bool:
    """Whether the value of an option is a path that leads two programs, which run in different folders, to different places.

    A bare word may be a name and no path, and so may `OWNER/MODEL`, unless the option says where something is written.
    """
    if isinstance(first, list) and isinstance(second, list):
        return any(leads_elsewhere(name, a, b, folders) for a, b in zip(first, second, strict=False))
    if not (isinstance(first, str) and isinstance(second, str)) or folders.first == folders.second:
        return False
    if same_place(first, second, folders):
        return False
    there = bool(LOOKS_LIKE_PATH.search(first)) and is_there(Path(folders.root, folders.first, first))
    return there or _is_path(name, first)


def is_there(path: Path) -> bool:
    """Whether there is such a file or folder; text that can be no path names none."""
    try:
        return path.exists()
    except (OSError, ValueError):
        return False


def _is_path(name: str, value: str) -> bool:
    """Whether a value is a relative path, as it looks or as its option is called; nothing of the kind need be there."""
    if not value or value[0] in "/~-$" or "://" in value or re.search(r"\s", value):
        return False
    ends = SUFFIX.search(value) is not None
    written = _WRITTEN.fullmatch(name.rpartition(".")[2].replace("-", "_"))
    if written is not None:
        return ends or "/" in value or bool(written["place"])
    return "/" in value and (ends or not HUB_ID.fullmatch(value))


LOOKS_LIKE_PATH = re.compile(r"/|\.\w+$")
_WRITTEN = re.compile(
    r"(?:out|output|outputs|save|result|results|dump|export|log|logs|logging|work)_?(?P<place>dir\w*|folder|path|file)?",
    re.IGNORECASE,
)
"""Names of options that say where something is written."""
_KEY = re.compile(r"[A-Z][A-Z0-9_]*(?:\.[A-Z0-9_]+)*")
_SET = re.compile(r"(?P<key>[A-Za-z_][\w.]*)=(?P<value>.*)", re.DOTALL)


def _settings(words: list[Any]) -> dict[str, Any]:
    """Words that override settings, as `KEY VALUE` or `key=value`, by key: their order says nothing. Empty where they are something else, or one is set twice."""
    texts = [word for word in words if isinstance(word, str)]
    pairs = [(match["key"], match["value"]) for match in map(_SET.fullmatch, texts) if match]
    if (
        len(pairs) < len(words)
        and len(words) % 2 == 0
        and all(isinstance(k, str) and _KEY.fullmatch(k) for k in words[::2])
    ):
        pairs = [(str(key), value) for key, value in zip(words[::2], words[1::2], strict=True)]
    elif len(pairs) < len(words):
        return {}
    found = dict(pairs)
    return found if len(found) == len(pairs) else {}


def _same_command(one: str, other: str) -> bool:
    """Whether two values are command lines that start the same Python program alike: launchers do not count there, either."""
    called = [_read_call(text) for text in (one, other)]
    return called[0] is not None and called[0] == called[1]


def _read_call(text: str) -> tuple[str, str, tuple[str, ...]] | None:
    try:
        words = shlex.split(text)
    except ValueError:
        return None
    found = read_invocation(words) if len(words) > 1 else None
    if found is None or found.target not in ("script", "module"):
        return None
    return found.target, found.name, tuple(map(_spelled_alike, found.words))


def _spelled_alike(word: str) -> str:
    """A word with the name of its option spelled one way: `-` and `_` are one, as in every other comparison of options."""
    name, equals, value = word.partition("=")
    return name.replace("_", "-") + equals + value if name.startswith("--") else word


def _alone(one: Any, other: Any, reading: Reading) -> bool:
    """A list of one value is that value."""
    many, single = (one, other) if isinstance(one, list) else (other, one)
    return len(many) == 1 and same(many[0], single, reading)


def is_unknown(value: Any) -> bool:
    """Whether a value is the mark of something that is not known here."""
    return isinstance(value, dict) and value.keys() == {"?"}


def _number(value: Any) -> float | None:
    return float(value) if isinstance(value, (int, float)) else None


def plain(value: Any, reading: Reading = "any") -> Any:
    """A value in the one form in which it is compared: text that is a number, a list, a table or a path becomes that."""
    if not isinstance(value, str):
        return value
    text = value.strip()
    if NUMBER.match(text) and reading != "text":
        return float(text.replace("_", ""))
    if text.lower() in WORDS and reading != "text" and (reading == "any" or WORDS[text.lower()] is not None):
        return WORDS[text.lower()]
    if len(text) > 1 and text[0] in "[{(" and text[-1] in "]})":
        return _literal(text)
    if PAIRS.match(text):
        return dict(part.split("=", 1) for part in text.split(","))
    return _path(text)


def _literal(text: str) -> Any:
    """A list or table as it is written in Python, JSON or on hydra's command line."""
    for read in (json.loads, ast.literal_eval):
        try:
            return _as_list(read(text))
        except (ValueError, SyntaxError, RecursionError, MemoryError, TypeError):
            continue
    if text[0] in "[(" and not re.search(r"[\[({]", text[1:]):
        return [part.strip().strip("'\"") for part in text[1:-1].split(",") if part.strip()]
    return re.sub(r"\s+", "", text).replace('"', "'")


def _as_list(value: Any) -> Any:
    return list(value) if isinstance(value, tuple) else value


def _path(text: str) -> str:
    """Paths without `./`, doubled and trailing slashes; addresses stay as they are."""
    if "/" not in text or "://" in text or re.search(r"\s", text):
        return re.sub(r"\s*([,=\[\](){}:])\s*", r"\1", text) if re.search(r"[\[({=]", text) else text
    return posixpath.normpath(text).replace("//", "/")
