"""Relative paths among the values of a call: inputs that are not there."""

import difflib
import posixpath
import re
from collections.abc import Iterator, Mapping
from typing import Any

from ml_agent.tools.check.places import PathIndex, is_literal, locate
from ml_agent.tools.findings import Finding
from ml_agent.tools.signatures.model import Option, Signature

OUTPUT = re.compile(
    r"out|save|log|dest|result|target|cache|tmp|temp|ckpt|checkpoint|export|write|dump|store|prefix|name|tag|run|exp",
    re.IGNORECASE,
)
INPUT = re.compile(
    r"in(?:put)?(?:_|-|$)|conf(?:ig)?|cfg|load|resume|pretrain|init|vocab|source|src|data|fasta|pdb|json|file|path|read|from",
    re.IGNORECASE,
)
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
SUFFIX = re.compile(r"\.[A-Za-z][A-Za-z0-9]{0,5}$")


def check_inputs(
    signature: Signature, values: Mapping[str, Any], tree: PathIndex, folder: str, created: set[str] | None
) -> list[Finding]:
    """Inputs that do not exist: a warning, since data is often downloaded first; a configuration file is an error.

    Of an option whose name does not say that it reads a file, only a name that is nearly that of a file which is there.

    Args:
        signature: what is called.
        values: dest -> value as given.
        tree: the repository.
        folder: where the command runs.
        created: paths that earlier commands create; None where they may create any.
    """
    findings: list[Finding] = []
    for option, word in _paths(signature, values):
        path = locate(folder, word)
        if path is None or tree.has(path) or (created is not None and path in created):
            continue
        certain = created is not None and "/" in word and _is_configuration(option, path, tree)
        suggestion = _near(path, tree, folder)
        if not suggestion and not is_read(option):
            continue
        hint = f"; did you mean {suggestion}?" if suggestion else ""
        findings.append(
            Finding(
                code="no-such-file", message=f"{word} does not exist in the repository{hint}", subject=word,
                severity="error" if certain else "warning", suggestion=suggestion, path=option.path, line=option.line,
            )
        )  # fmt: skip
    return findings


def is_read(option: Option) -> bool:
    """Whether the value of an option is a path that the program reads, as its name, its type and its help say."""
    return may_be_read(option) and (bool(INPUT.search(option.dest)) or option.type == "path")


def may_be_read(option: Option) -> bool:
    """Whether an option takes a word that is not plainly what the program writes."""
    if option.choices or option.type not in ("str", "path", "unknown"):
        return False
    return not (OUTPUT.search(option.dest) and not CONFIG.search(option.dest)) and not WRITTEN.search(option.help)


def _paths(signature: Signature, values: Mapping[str, Any]) -> Iterator[tuple[Option, str]]:
    """(option, word) of every value that looks like the path of an input."""
    options = {o.dest: o for o in signature.options}
    for dest, value in values.items():
        option = options.get(dest)
        if option is None or not may_be_read(option):
            continue
        for word in _values(option, value if isinstance(value, list) else [value]):
            if isinstance(word, str) and _looks_like_path(option, word) and not _is_hub_id(option, word):
                yield option, _file(option, word)


def _values(option: Option, words: list[Any]) -> list[Any]:
    """The words of an option that are values: where one takes all the rest as pairs, the first of each names a setting."""
    names = words[::2]
    paired = option.nargs == "..." and len(words) % 2 == 0 and all(SETTING.fullmatch(str(name)) for name in names)
    return words[1::2] if paired else words


def _file(option: Option, word: str) -> str:
    """The file in a word: ml_collections hands what stands behind a colon to the file (`--config=base.py:arg`)."""
    path, colon, _ = word.partition(":")
    return path if colon and option.converter == "config_file" and path.endswith(".py") else word


def _is_hub_id(option: Option, word: str) -> bool:
    """Whether a word may name a model or a data set of a hub as well: `OWNER/MODEL`, for an option that takes these."""
    owner = word.partition("/")[0]
    named = MODEL.search(option.dest) or MODEL.search(option.help) or DATASET.fullmatch(option.dest)
    return bool(named and HUB_ID.fullmatch(word)) and not HELD_HERE.fullmatch(owner) and SUFFIX.search(word) is None


def _looks_like_path(option: Option, word: str) -> bool:
    if not is_literal(word) or "://" in word or word.startswith(("/", "-")) or len(word) > 300 or " " in word:
        return False
    if word == option.default:
        return False
    if SUFFIX.fullmatch(word):
        return False
    return bool(SUFFIX.search(word)) or ("/" in word and is_read(option) and not word.startswith("../"))


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
