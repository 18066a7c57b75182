"""Values for options, by their type: another choice, a number of the same size, another path, a file beside the documented one."""

import math
import posixpath
import re
from collections.abc import Sequence
from random import Random
from typing import Any

import msgspec

from ml_agent.tools.signatures.model import Option

PATH_ENDS = frozenset(
    [
        "path",
        "dir",
        "directory",
        "folder",
        "file",
        "filename",
        "root",
        "outdir",
        "outpath",
        "logdir",
        "savedir",
        "workdir",
        "datadir",
        "paths",
        "files",
        "dirs",
    ]
)
PATH_NAMES = frozenset(["output", "out", "input", "outdir", "indir", "save_to", "destination", "dest", "source"])
OUTPUT_WORDS = frozenset(
    [
        "out",
        "output",
        "save",
        "log",
        "logs",
        "result",
        "results",
        "dest",
        "destination",
        "export",
        "work",
        "checkpoints",
        "runs",
        "outdir",
        "outpath",
        "logdir",
        "savedir",
    ]
)
NAME_WORDS = frozenset(["name", "tag", "suffix", "prefix", "project", "experiment", "exp", "run", "title"])
NAMED_ELSEWHERE = frozenset(
    ["model", "dataset", "data", "task", "file", "path", "user", "class", "host", "arch", "net"]
)
"""Names that somebody else has given: of a model, of data."""
CONFIG_WORDS = frozenset(["config", "cfg", "conf", "yaml", "options", "opt"])
FILE_WORDS = {
    "ckpt": ".pt",
    "checkpoint": ".pt",
    "weights": ".pt",
    "pretrained": ".pt",
    "json": ".json",
    "csv": ".csv",
    "yaml": ".yaml",
    "txt": ".txt",
}
MEDIA = {
    "audio": ".wav", "wav": ".wav", "wavs": ".wav", "song": ".wav", "music": ".wav", "image": ".png", "images": ".png", "img": ".png",
    "photo": ".png", "picture": ".png", "video": ".mp4", "videos": ".mp4", "text": ".txt", "corpus": ".txt", "fasta": ".fasta",
}  # fmt: skip
"""What a thing of this name ends in, where an argument by place names it."""
PLACES = (
    "birds",
    "harbour",
    "lab7",
    "batch3",
    "winter",
    "night",
    "pilot",
    "trial2",
    "north",
    "meadow",
    "station",
    "atlas",
)
RUNS = ("pilot-3", "baseline2", "nightly", "sweep-a", "first-try", "ablation1", "march")
UNIT = re.compile(
    r"\b(?:rate|prob|probability|dropout|ratio|fraction|momentum|smoothing|percent|decay|threshold|alpha|beta)\b"
)
YES_NO = re.compile(
    r"^(?:is|use|do|with|enable|has|if|need)_|\b(?:0/1|1/0|status|whether|boolean|bool|true|false|on/off)\b|\b[01]\s*(?:or|for|=|:)\s",
    re.IGNORECASE,
)
"""An int that means yes or no, by its name or help."""
HELP_PATH = re.compile(
    r"^\W*(?:the |a |an |input |output |full |root |base |optional |data |dataset |image |model |checkpoint )*(?:path|folder|directory|dir|filename)\b",
    re.IGNORECASE,
)
"""A help text that says first of all that it is about a place."""
MEDIA_FILE = re.compile(r"\b(\w+)[- ]files?\b", re.IGNORECASE)
NEARLY_ONE = 0.85
"""Where discounts, momenta and decays begin, of which half means something else."""
SUFFIX = re.compile(r"\.(?:pth?\.tar|[A-Za-z]\w{1,5}|tfrecords?|parquet|safetensors)(?:\.(?:gz|bz2|xz))?$")
SERIES = re.compile(r"[\w.-]*\{\d+\.\.\d+\}[\w.-]*$")
"""A series of files."""


class RequestedOption(msgspec.Struct, frozen=True, kw_only=True):
    """One option with the value that the request asks for."""

    option: Option
    value: Any
    documented: bool
    """Whether a document shows the option."""

    @property
    def text(self) -> str:
        """The value as it is typed; "" for a switch."""
        if self.option.switch:
            return ""
        values = self.value if isinstance(self.value, list) else [self.value]
        return " ".join(map(str, values))

    @property
    def is_path(self) -> bool:
        """Whether it names a place."""
        return not self.option.switch and is_path(self.option) and not isinstance(self.value, (int, float))


class ValueMaker:
    """Makes values for the options of one repository.

    Args:
        files: its files, so that a configuration can be exchanged for its neighbour.
        random: decides.
    """

    def __init__(self, files: Sequence[str], random: Random) -> None:
        self.files = frozenset(files)
        self.random = random
        self._places: list[str] = []

    def fresh(self) -> None:
        """Begin another command: all places are free again."""
        self._places = []

    def _place(self) -> str:
        """A place that the command does not name yet."""
        self._places = self._places or self.random.sample(PLACES, len(PLACES))
        return self._places.pop()

    def wish(self, option: Option, shown: Any, workdir: str = ".") -> RequestedOption | None:
        """The option with a value that is not its default; None where no sensible value is known.

        Args:
            option: what is to be set.
            shown: what a document gives it; None where none shows it.
            workdir: folder relative to the repository where the command runs.
        """
        value = self._value(option, shown, workdir)
        if value is None or (option.default is not None and str(value) == option.default and not option.required):
            return None
        return RequestedOption(option=option, value=value, documented=shown is not None)

    def kept(self, option: Option, shown: Any, workdir: str = ".") -> Any:
        """A documented value that is needed: as it is, or another place where it names one outside the repository.

        Args:
            option: what is set.
            shown: its documented value.
            workdir: folder relative to the repository where the command runs.
        """
        if isinstance(shown, list):
            return [self.kept(option, v, workdir) for v in shown]
        if not isinstance(shown, str) or self._is_own(shown, workdir):
            return shown
        return (self.place(option, shown) if _is_place(option, shown) else None) or shown

    def place(self, option: Option, shown: Any) -> str | None:
        """Another place of the same kind as a documented one; None where that is not a place.

        Args:
            option: what is set.
            shown: its documented value, a placeholder or a variable.
        """
        text = shown if isinstance(shown, str) else ""
        if option.choices or option.type not in ("str", "path", "unknown") or re.search(r"[\s:,;=]", text):
            return None
        if not (is_path(option) or _looks_like_path(text)):
            return None
        end = SUFFIX.search(text)
        suffix = end.group() if end else self._suffix(option) if "$" in text else ""
        if suffix is None:
            return None
        series = SERIES.search(text)
        return self._path_of(option, f"/{series.group()}" if series else suffix)

    def _is_own(self, shown: str, workdir: str) -> bool:
        """Whether it is a file of the repository."""
        return posixpath.normpath(posixpath.join(workdir, shown)) in self.files

    def _value(self, option: Option, shown: Any, workdir: str) -> Any:
        if option.switch:
            return self._switch(option)
        if option.nargs in ("*", "+", "...") or (option.nargs or "").isdigit() or option.repeatable:
            return self._several(option, shown)
        return self._one(option, shown, workdir)

    def _switch(self, option: Option) -> bool | None:
        if option.repeatable or option.switch_value not in ("True", "False", None):
            return None
        wanted = option.switch_value != "False"
        return None if option.default == str(wanted) else wanted

    def _several(self, option: Option, shown: Any) -> Any:
        number = int(option.nargs) if option.nargs and option.nargs.isdigit() else None
        media = _media(option)
        if option.positional and option.type in ("str", "path") and not option.choices and media is not None:
            return [f"/data/{self._place()}{media}" for _ in range(number or 2)]
        if option.choices and number is None:
            return self.random.sample(list(option.choices), min(2, len(option.choices)))
        if not isinstance(shown, list) or not shown or (number is not None and len(shown) != number):
            return None
        values = [self._one(option, v, ".") for v in shown]
        return None if any(v is None for v in values) else values

    def _one(self, option: Option, shown: Any, workdir: str) -> Any:
        if option.choices or option.accepted:
            others = [c for c in (option.accepted or option.choices) if c != option.default and c.strip() == c != ""]
            return self.random.choice(others) if others else None
        if option.type == "bool":
            return self._truth(option)
        if option.type in ("int", "float"):
            return self._number(option, shown)
        if is_path(option) or _looks_like_path(shown) or _looks_like_path(option.default):
            return self._path(option, shown, workdir)
        media = _media(option)
        if option.required and option.positional and media is not None:
            return f"/data/{self._place()}{media}"
        if last_words(option) & NAME_WORDS and not (shown or option.default) and not words_of(option) & NAMED_ELSEWHERE:
            return self.random.choice(RUNS)
        return shown if isinstance(shown, str) and re.fullmatch(r"[\w./:@+-]{2,60}", shown) else None

    def _truth(self, option: Option) -> Any:
        """The other truth value, spelled; None for `type=bool`, which takes every word for true."""
        if option.converter == "bool" and option.nargs != "?bool":
            return None
        return option.default != "True"

    def _number(self, option: Option, shown: Any) -> Any:
        base = shown if isinstance(shown, (int, float)) and not isinstance(shown, bool) else _as_number(option.default)
        if option.type == "int":
            return self._whole(option, base)
        unit = bool(UNIT.search(f"{option.dest.replace('_', ' ')} {option.help}".lower()))
        if base is not None and not math.isfinite(base):
            return None
        if base is None or base == 0:
            return self.random.choice((0.05, 0.1, 0.2)) if unit else None
        if NEARLY_ONE <= base < 1:
            return self.random.choice([v for v in (0.9, 0.95, 0.98, 0.99) if v != base])
        rate = last_words(option) & {"lr", "rate"} and base < 0.01
        value = float(f"{base * self.random.choice((0.1, 0.5, 2, 5) if rate else (0.5, 2)):.3g}")
        return value if not (0 < base <= 1) or value < 1 else float(f"{base * 0.5:.3g}")

    def _whole(self, option: Option, base: float | None) -> int | None:
        if "seed" in last_words(option) | {option.dest.lower()}:
            return self.random.choice((7, 11, 42, 123, 2024))
        if base in (0, 1) and YES_NO.search(f"{option.dest} {option.help}"):
            return 0 if option.default == "1" else 1
        if base is None:
            return self.random.choice((4, 8, 16)) if option.required or self.random.random() < 0.5 else None
        if base <= 0 or not math.isfinite(base) or base != int(base):
            return None
        number = int(base)
        if number & (number - 1) == 0:
            return number * 2 if number == 1 else self.random.choice((number * 2, number // 2, number * 4))
        grown = int(float(f"{number * self.random.choice((0.5, 1.5, 2, 3)):.2g}"))
        return max(grown, 1)

    def _path(self, option: Option, shown: Any, workdir: str) -> str | None:
        known = shown if isinstance(shown, str) else option.default or ""
        own = posixpath.normpath(posixpath.join(workdir, known)) if known else ""
        if own in self.files or words_of(option) & CONFIG_WORDS:
            return None
        end = SUFFIX.search(known)
        suffix = end.group() if end else self._suffix(option)
        if suffix is None:
            return None
        return self._path_of(option, suffix)

    def _path_of(self, option: Option, suffix: str) -> str:
        """A new path for an option: what is written goes elsewhere than what is read."""
        return f"{'/out' if words_of(option) & OUTPUT_WORDS else '/data'}/{self._place()}{suffix}"

    def _suffix(self, option: Option) -> str | None:
        """What a path of this option ends in: "" for a folder; None where that is not known."""
        words = words_of(option)
        mentioned = re.search(
            r"\.(?:pth?|ckpt|json|csv|tsv|txt|npy|npz|wav|mp3|png|jpg|yaml|h5|pkl|zip)\b", option.help
        )
        if mentioned:
            return mentioned.group()
        files = [MEDIA[w.lower()] for w in MEDIA_FILE.findall(option.help) if w.lower() in MEDIA]
        if files and not re.search(r"folder|director", option.help, re.IGNORECASE):
            return files[0]
        found = next((suffix for word, suffix in FILE_WORDS.items() if word in words), None)
        if found is not None and not words & {"dir", "folder", "directory"}:
            return found
        named = words & {"file", "filename", "files"} or re.search(r"\bfile\b", option.help, re.IGNORECASE)
        return None if named and not re.search(r"folder|director", option.help, re.IGNORECASE) else ""


def _is_place(option: Option, shown: str) -> bool:
    """Whether a documented value is a place on somebody's disk, and no name that means something to the program."""
    if _looks_like_path(shown):
        return True
    if "/" not in shown and "." in SUFFIX.sub("", shown):
        return False
    return is_path(option) and bool(SUFFIX.search(shown) or words_of(option) & (OUTPUT_WORDS | PATH_ENDS - {"path"}))


def words_of(option: Option) -> set[str]:
    """The words of an option's name."""
    return set(_spell(option).split("_"))


def last_words(option: Option) -> set[str]:
    """The last word of an option's name, as a set."""
    return {_spell(option).rpartition("_")[2]}


def _spell(option: Option) -> str:
    """An option's name with `_` between its words."""
    return re.sub(r"([a-z])([A-Z])", r"\1_\2", option.dest).lower().replace("-", "_").replace(".", "_")


def is_path(option: Option) -> bool:
    """Whether an option names a file or folder, by its type or by its name."""
    if option.type not in ("str", "path", "unknown") or option.choices:
        return False
    named = bool(last_words(option) & PATH_ENDS) or option.dest.lower() in PATH_NAMES
    configuration = bool(last_words(option) & {"config", "cfg"})
    return option.type == "path" or named or configuration or HELP_PATH.match(option.help) is not None


def _looks_like_path(value: Any) -> bool:
    value = SERIES.sub("x.y", value) if isinstance(value, str) else value
    return (
        isinstance(value, str)
        and bool(re.fullmatch(r"(?:\.{0,2}/)?[\w.-]+(?:/[\w.-]*)+", value))
        and "/" in value
        and (value.startswith((".", "/")) or SUFFIX.search(value) is not None or value.endswith("/"))
    )


def _media(option: Option) -> str | None:
    """What the thing that an option is named for ends in."""
    return next((MEDIA[word] for word in _spell(option).split("_") if word in MEDIA), None)


def _as_number(text: str | None) -> float | None:
    try:
        return float(text) if text is not None else None
    except ValueError:
        return None
