"""Option classes and parsers of known libraries, as data: `python scripts/library-options.py` reads them from the libraries' wheels and checkouts."""

import functools
import gzip
from collections.abc import Callable, Iterable
from pathlib import Path

import msgspec

from ml_agent.tools.launchers import launcher_modules, launchers
from ml_agent.tools.signatures.model import Option, Signature

MAX_BASES = 5
DATA = Path(__file__).with_name("known_classes.json.gz")


STRING_TO_BOOL = "string_to_bool"
"""The converter of HfArgumentParser's switches."""


def with_negative(option: Option) -> Option:
    """A switch of HfArgumentParser that is on by default, with the spellings that turn it off."""
    if option.converter != STRING_TO_BOOL or option.default != "True":
        return option
    spellings = (f"--no_{option.dest}", f"--no-{option.dest.replace('_', '-')}")
    return msgspec.structs.replace(option, negative_flags=tuple(dict.fromkeys(spellings)))


Pinned = Callable[[str], str]
_Version = tuple[int, ...]


def _numbers(version: str) -> _Version:
    return tuple(int(part) for part in version.split(".") if part.isdigit())


class KnownOption(msgspec.Struct, frozen=True, kw_only=True):
    """One option of a class, and the versions that have it."""

    since: int
    """Place of the first of the class's versions in which it was seen."""
    until: int
    """Place of the last."""
    option: Option


class KnownClass(msgspec.Struct, frozen=True, kw_only=True):
    """A class whose fields or parameters become options, or a launcher or function that makes a parser."""

    package: str
    """Top-level package."""
    name: str
    versions: tuple[str, ...]
    """Those that were read, oldest first."""
    options: tuple[KnownOption, ...]
    bases: tuple[str, ...] = ()
    """Classes of other libraries that it derives from, dotted."""

    def as_options(self, pinned: Pinned = lambda package: "", depth: int = 0) -> tuple[Option, ...]:
        """Its options, those of its bases first; those that not every version has are not sure, and say which versions do.

        Args:
            pinned: the version to which the repository holds a package, which may lack some; "" where it leaves that open.
            depth: so many classes derive from it.
        """
        bases = [known_class(base) for base in self.bases] if depth < MAX_BASES else []
        found = {one.dest: one for base in bases if base is not None for one in base.as_options(pinned, depth + 1)}
        version = _numbers(pinned(self.package))
        found |= {
            known.option.dest: self._note_versions(known, version)
            for known in self.options
            if self._has(known, version)
        }
        return tuple(with_negative(option) for option in found.values())

    def _has(self, known: KnownOption, version: _Version) -> bool:
        """Whether a version may have an option: the nearest of the versions that were read and lack it are newer or older."""
        if not version:
            return True
        too_old = known.since > 0 and version <= _numbers(self.versions[known.since - 1])
        too_new = known.until < len(self.versions) - 1 and version >= _numbers(self.versions[known.until + 1])
        return not (too_old or too_new)

    def _note_versions(self, known: KnownOption, version: _Version) -> Option:
        last = len(self.versions) - 1
        seen = _numbers(self.versions[known.since]), _numbers(self.versions[known.until])
        if (known.since, known.until) == (0, last) or (version and seen[0] <= version <= seen[1]):
            return known.option
        since = f"since {self.versions[known.since]}" if known.since else ""
        until = f"until {self.versions[known.until]}" if known.until < last else ""
        said = f"({self.package} {' '.join(filter(None, (since, until)))})"
        sure = bool(known.option.choices)  # no version takes another value
        return msgspec.structs.replace(known.option, sure=sure, help=f"{known.option.help} {said}".strip())


def known_class(dotted: str) -> KnownClass | None:
    """The class that a dotted name means, from whichever module of its library it is imported."""
    package, _, rest = dotted.partition(".")
    return _classes().get((_SAME.get(package, package), rest.rpartition(".")[2]))


_SAME = {"lightning": "pytorch_lightning"}
"""Packages that hold the same classes under another name."""


def known_launcher(name: str) -> Signature | None:
    """What a launcher of scripts takes, with the script and its words behind its own options; None where it is not known."""
    launcher = launchers().get(name) or launcher_modules().get(name)
    package, _, parser = launcher.known.partition(".") if launcher is not None else ("", "", "")
    found = _classes().get((package, parser))
    return None if found is None else Signature(path=name, framework="argparse", options=found.as_options())


def known_classes() -> tuple[KnownClass, ...]:
    """All that is known, launchers among them."""
    return tuple(_classes().values())


@functools.cache
def _classes() -> dict[tuple[str, str], KnownClass]:
    found = msgspec.json.decode(gzip.decompress(DATA.read_bytes()), type=tuple[KnownClass, ...])
    return {(cls.package, cls.name): cls for cls in found}


def write(classes: Iterable[KnownClass], path: Path) -> None:
    """Keep classes as the data of this module."""
    path.write_bytes(gzip.compress(msgspec.json.encode(tuple(classes)), mtime=0))
