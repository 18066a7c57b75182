"""Paths among the values of a call: inputs that are not there.

A value counts where the program reads it as a file: the type of its option says so, the script opens it, or its name or help
says so; what the program writes does not. A name without a slash or an ending counts only where type or use leave no doubt.
"""

import difflib
import posixpath
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from ml_agent.tools.check.file_uses import FileUse, use_of
from ml_agent.tools.check.places import PathIndex, is_literal, locate
from ml_agent.tools.check.repository import CheckedRepository
from ml_agent.tools.findings import Finding
from ml_agent.tools.foreign_files import exists
from ml_agent.tools.signatures.model import SETTINGS_FILE, WRITTEN_FILE, Option, Signature

OUTPUT = re.compile(
    r"out|save|log|dest|result|target|cache|tmp|temp|ckpt|checkpoint|export|write|dump|store|prefix|name|tag|run|exp",
    re.IGNORECASE,
)
INPUT = re.compile(
    r"in(?:put)?(?:_|-|$)|conf(?:ig)?|cfg|load|resume|pretrain|init|vocab|source|src|data|fasta|pdb|json|file|path|read|from",
    re.IGNORECASE,
)
READ = re.compile(
    r"\b(?:path|file\s?name|directory) (?:to|of|with|containing)\b|\binput (?:\w+ ){0,2}(?:file|folder)\b",
    re.IGNORECASE,
)
"""Says, in the help of an option, that its value is a path."""
WRITTEN = re.compile(
    r"^(?:output|save|export)\b|\b(?:to|for) (?:\w+ ){0,3}?(?:sav|writ|stor|dump|export)(?:e|ing)?\b"
    r"|\bbe (?:saved|written|stored|dumped|exported)\b|\boutput (?:\w+ ){0,2}(?:file|path|folder|dir\w*)\b",
    re.IGNORECASE,
)
"""Says, in the help of an option, that the program writes what it names."""
MODEL = re.compile(r"hub|hugging|\bhf|pretrain|model|tokenizer|encoder|repo|unet|vae|lora", re.IGNORECASE)
DATASET = re.compile(r"(?:hf_)?datasets?(?:_names?)?", re.IGNORECASE)
HUB_ID = re.compile(r"[A-Za-z0-9][\w-]{0,95}/[A-Za-z0-9][\w.-]{0,95}")
HELD_HERE = re.compile(
    r"checkpoints?|ckpts?|configs?|data|datasets?|models?|logs?|outputs?|pretrained|results?|runs?|saved|weights?",
    re.IGNORECASE,
)
"""Folders that hold models on many machines; none of them is the name of somebody who publishes some."""
CONFIG = re.compile(r"conf(?:ig)?|cfg", re.IGNORECASE)
CONFIG_SUFFIXES = (".yaml", ".yml", ".toml", ".cfg", ".ini")
SETTING = re.compile(r"[A-Za-z_]\w*(?:\.\w+)*")
MAX_PATH = 300
SUFFIX = re.compile(r"\.[A-Za-z][A-Za-z0-9]{0,5}$")


class Surroundings(NamedTuple):
    """Where a call is made."""

    repository: CheckedRepository
    folder: str
    """Of the repository."""
    created: set[str] | None = None
    """Paths that earlier commands create; None where they may create any."""
    here: Path | None = None
    """That folder on the user's machine; None where only the repository is looked at."""

    def lacks(self, word: str) -> bool:
        """Whether a path is neither in the repository nor made before; one outside, whether it is not on the user's machine."""
        path = locate(self.folder, word)
        if (path or word) in (self.created or ()) or (path is not None and self.repository.tree.has(path)):
            return False
        if self.here is None:
            return path is not None and not word.startswith("~")
        return not exists(self.here / _expanded(word))


def check_inputs(signature: Signature, values: Mapping[str, Any], around: Surroundings) -> list[Finding]:
    """Inputs that do not exist: a warning, since data is often downloaded first; a configuration file is an error.

    Of an option that does not seem to read a file, only a name that is nearly that of a file which is there.

    Args:
        signature: what is called.
        values: dest -> value as given.
        around: where.
    """
    findings: list[Finding] = []
    tree = around.repository.tree
    for option, word, surely in _paths(signature, values, around):
        path = locate(around.folder, word) if not word.startswith("~") else None
        certain = around.created is not None and "/" in word and path and _is_configuration(option, path, tree)
        suggestion = _near(path, tree, around.folder) if path else ""
        if not suggestion and not surely:
            continue
        hint = f"; did you mean {suggestion}?" if suggestion else ""
        where = "in the repository" if path else "on this machine"
        findings.append(
            Finding(
                code="no-such-file", message=f"{word} does not exist {where}{hint}", subject=word,
                severity="error" if certain else "warning", suggestion=suggestion, path=option.path, line=option.line,
            )
        )  # fmt: skip
    return findings


def is_read(option: Option) -> bool:
    """Whether the value of an option is a path that the program reads, as its name, its type and its help say."""
    named = INPUT.search(option.dest) or READ.search(option.help)
    return may_be_read(option) and (bool(named) or option.type == "path")


def may_be_read(option: Option) -> bool:
    """Whether an option takes a word that is not plainly what the program writes."""
    if option.choices or option.type not in ("str", "path", "unknown") or option.converter == WRITTEN_FILE:
        return False
    return not (OUTPUT.search(option.dest) and not CONFIG.search(option.dest)) and not WRITTEN.search(option.help)


def _paths(signature: Signature, values: Mapping[str, Any], around: Surroundings) -> Iterator[tuple[Option, str, bool]]:
    """(option, word, whether the program surely or probably reads it) of every value that looks like a path and is not there."""
    options = {o.dest: o for o in signature.options}
    folders = _folders(options, values, around)
    for dest, value in values.items():
        option = options.get(dest)
        if option is None or not may_be_read(option):
            continue
        words = [_file(option, word) for word in _values(option, value if isinstance(value, list) else [value])]
        missing = [word for word in words if _may_be_path(option, word) and around.lacks(word)]
        missing = [word for word in missing if all(around.lacks(posixpath.join(one, word)) for one in folders)]
        use = use_of(option, signature.path, around.repository.reader.sources) if missing else ""
        for word in missing if use not in ("written", "joined") else ():
            if _looks_like_path(option, word, use) and not _is_hub_id(option, word):
                yield option, word, bool(use) or is_read(option)


def _folders(options: Mapping[str, Option], values: Mapping[str, Any], around: Surroundings) -> list[str]:
    """The folders that the call names, by value or by default: a program may join one with the value of another option."""
    given = {dest: option.default for dest, option in options.items() if option.default} | dict(values)
    words = {word for word in given.values() if isinstance(word, str) and is_literal(word) and len(word) <= MAX_PATH}
    known = [word for word in words if around.here or locate(around.folder, word)]
    return [word for word in known if not around.lacks(word)]


def _values(option: Option, words: list[Any]) -> Iterable[str]:
    """The words of an option that are values: where one takes all the rest as pairs, the first of each names a setting."""
    words = [word for word in words if isinstance(word, str)]
    names = words[::2]
    paired = option.nargs == "..." and len(words) % 2 == 0 and all(SETTING.fullmatch(str(name)) for name in names)
    return words[1::2] if paired else words


def _file(option: Option, word: str) -> str:
    """The file in a word: ml_collections hands what stands behind a colon to the file (`--config=base.py:arg`)."""
    path, colon, _ = word.partition(":")
    return path if colon and option.converter == SETTINGS_FILE and path.endswith(".py") else word


def _is_hub_id(option: Option, word: str) -> bool:
    """Whether a word may name a model or a data set of a hub as well: `OWNER/MODEL`, for an option that takes these."""
    owner = word.partition("/")[0]
    named = MODEL.search(option.dest) or MODEL.search(option.help) or DATASET.fullmatch(option.dest)
    return bool(named and HUB_ID.fullmatch(word)) and not HELD_HERE.fullmatch(owner) and SUFFIX.search(word) is None


def _may_be_path(option: Option, word: str) -> bool:
    """Whether a word can be the path of an input, whatever its option is."""
    if word in option.absent or "://" in word or word.startswith("-") or len(word) > MAX_PATH:
        return False
    return is_literal(word.removeprefix("~/")) and not set("[]") & set(word) and SUFFIX.fullmatch(word) is None


def _looks_like_path(option: Option, word: str, use: FileUse) -> bool:
    """Whether it is one: by its ending, by a slash, or because the option takes nothing else."""
    if option.type == "path" or use == "opened" or SUFFIX.search(word):
        return True
    return "/" in word and (use == "loaded" or is_read(option))


def _expanded(word: str) -> Path:
    """A path as the shell hands it on."""
    path = Path(word)
    try:
        return path.expanduser() if word.startswith("~/") else path
    except RuntimeError:  # nobody knows where the user's home is
        return path


def _is_configuration(option: Option, path: str, tree: PathIndex) -> bool:
    """A configuration file in a folder where the repository keeps such files: nobody downloads these."""
    if not CONFIG.search(option.dest) or not path.endswith(CONFIG_SUFFIXES):
        return False
    folder = posixpath.dirname(path) or "."
    return folder in tree.folders and any(
        posixpath.dirname(p) == posixpath.dirname(path) and p.endswith(CONFIG_SUFFIXES) for p in tree.files
    )


def _near(path: str, tree: PathIndex, folder: str) -> str:
    same = tree.by_name.get(posixpath.basename(path), [])
    if len(same) == 1:
        return posixpath.relpath(same[0], folder)
    suffix = posixpath.splitext(path)[1]
    siblings = [p for p in tree.files if posixpath.dirname(p) == posixpath.dirname(path) and p.endswith(suffix)]
    close = difflib.get_close_matches(path, siblings, n=1, cutoff=0.8)
    return posixpath.relpath(close[0], folder) if close else ""
