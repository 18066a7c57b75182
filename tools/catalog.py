"""A catalogue of repositories in a file, searched without a network."""

import re
from collections.abc import Sequence
from itertools import islice
from pathlib import Path

import msgspec

from ml_agent.tools.candidates import Candidate, Look, Wanted
from ml_agent.tools.errors import CatalogError
from ml_agent.tools.query import Query
from ml_agent.tools.retrieval import Ranker

MAX_BYTES = 256 * 1024 * 1024
README_HEAD = 2000
"""How many characters of a README count."""
_MOST_FOUND, _MOST_FILES = 100, 2_000


_ADDRESS = re.compile(r"(https|http|file)://\S+|sample:[\w-]+|[A-Za-z0-9][A-Za-z0-9-]*/[\w.-]+")


class _Entry(msgspec.Struct, frozen=True, kw_only=True):
    """One line of a catalogue; other fields are ignored."""

    full_name: str
    description: str | None = ""
    stars: int | None = None
    topics: tuple[str, ...] | None = ()
    language: str | None = None
    url: str = ""
    commit: str | None = None
    license: str | None = None
    archived: bool = False
    pushed: str = ""
    readme: str = ""


class Catalog:
    """Repositories listed in a JSON Lines file."""

    def __init__(self, candidates: Sequence[Candidate]) -> None:
        self.candidates = tuple(candidates)
        self._ranker = Ranker(self.candidates)

    @classmethod
    def read(cls, path: Path) -> "Catalog":
        """Read a file with one JSON object a line: full_name, and where known description, stars, topics, language, url, commit,
        license, archived, pushed, readme (its first part). Raises CatalogError, which names file and line.
        """
        return cls(read_candidates(path))

    def search(self, wanted: Wanted) -> list[Candidate]:
        """The entries that hold a word of the query and all the conditions, best first: a short list is not searched as strictly."""
        read = Query(words=tuple(wanted.query.split()))
        found = self._ranker.top(read, len(self.candidates)) if wanted.query.strip() else list(self.candidates)
        return [msgspec.structs.replace(one, score=0.0, why="") for one in found if _holds(one, wanted)][:_MOST_FOUND]

    def find(self, name: str) -> Candidate | None:
        """The entry OWNER/NAME, or the first that is called NAME."""
        asked = name.lower()
        return next((one for one in self.candidates if asked in (one.full_name.lower(), _name(one))), None)

    def look(self, name: str) -> Look | None:
        """The entry, with the files of a folder that is at hand."""
        found = self.find(name)
        if found is None:
            return None
        folder = Path(found.url)
        files = islice((one for one in folder.rglob("*") if one.is_file()), _MOST_FILES) if folder.is_absolute() else ()
        return Look(candidate=found, files=tuple(sorted(one.relative_to(folder).as_posix() for one in files)))

    def readme_head(self, full_name: str) -> str:
        """The first part of an entry's README, "" where it is not known."""
        found = self.find(full_name)
        return found.readme_head if found else ""


def _name(candidate: Candidate) -> str:
    return candidate.full_name.rpartition("/")[2].lower()


def _holds(one: Candidate, wanted: Wanted) -> bool:
    """Whether what is known of an entry speaks against no condition."""
    return not (
        (wanted.language and one.language and one.language.lower() != wanted.language.lower())
        or (one.stars is not None and one.stars < wanted.min_stars)
        or (wanted.pushed_after and one.pushed and one.pushed <= wanted.pushed_after)
        or (wanted.topic and wanted.topic.lower() not in one.topics)
    )


def read_candidates(path: Path) -> list[Candidate]:
    """The entries of a catalogue in the order of the file; CatalogError names file and line."""
    try:
        if path.exists() and not (path.is_file() or path.is_dir()):
            raise CatalogError(
                f"{path} is not a regular file: give a JSON Lines file, or the built-in catalogue with `--catalog sample`"
            )
        if path.stat().st_size > MAX_BYTES:
            raise CatalogError(
                f"{path} is larger than {MAX_BYTES // 2**20} MB: a catalogue has one short line for each repository"
            )
        lines = path.read_bytes().splitlines()
    except OSError as error:
        reason = "no such file" if isinstance(error, FileNotFoundError) else error.strerror
        raise CatalogError(
            f"{path}: {reason}; give a JSON Lines file, or the built-in catalogue with `--catalog sample`"
        ) from error
    decoder = msgspec.json.Decoder(_Entry)
    seen: dict[str, int] = {}
    candidates: list[Candidate] = []
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        candidates.append(_candidate(decoder, line, f"{path}:{number}"))
        first = seen.setdefault(candidates[-1].full_name, number)
        if first != number:
            raise CatalogError(f"{path}:{number}: {candidates[-1].full_name} is already in line {first}: remove one")
    if not candidates:
        raise CatalogError(f"{path} lists no repository: give a JSON Lines file with one repository on each line")
    return candidates


def _candidate(decoder: "msgspec.json.Decoder[_Entry]", line: bytes, place: str) -> Candidate:
    try:
        entry = decoder.decode(line.removeprefix(b"\xef\xbb\xbf"))
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise CatalogError(f"{place}: {error}; write one JSON object on each line, with the key full_name") from error
    owner, _, name = entry.full_name.partition("/")
    if not owner or not name or "/" in name or any(character.isspace() for character in entry.full_name):
        raise CatalogError(f"{place}: the full_name {entry.full_name!r} is not of the form OWNER/NAME")
    return Candidate(
        full_name=entry.full_name,
        url=_url(entry, place),
        description=entry.description or "",
        topics=entry.topics or (),
        language=entry.language,
        stars=entry.stars,
        readme_head=entry.readme[:README_HEAD],
        commit=entry.commit,
        licence=entry.license,
        archived=entry.archived,
        pushed=entry.pushed[:10],
        source="catalog",
    )


def _url(entry: _Entry, place: str) -> str:
    """Where to get it. A path lies below the catalogue's own folder."""
    if _ADDRESS.fullmatch(entry.url) or not entry.url:
        return entry.url or entry.full_name
    folder = Path(place).parent.resolve()
    target = (folder / entry.url).resolve()
    if not entry.url.startswith((".", "/")) or not target.is_relative_to(folder) or "\0" in entry.url:
        raise CatalogError(
            f"{place}: the url {entry.url!r} is not accepted: give https://HOST/OWNER/NAME, or ./FOLDER beside the catalogue"
        )
    return str(target)
