"""A catalogue of repositories in a file, searched without a network."""

import re
from collections.abc import Callable, Sequence
from pathlib import Path

import msgspec

from ml_agent.tools.candidates import Candidate
from ml_agent.tools.errors import CatalogError
from ml_agent.tools.query import read_queries
from ml_agent.tools.ranking import Ranker

MAX_BYTES = 256 * 1024 * 1024
README_HEAD = 2000
"""How many characters of a README count."""


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
    readme: str = ""


class Catalog:
    """Repositories listed in a JSON Lines file."""

    def __init__(self, candidates: Sequence[Candidate]) -> None:
        self.candidates = tuple(candidates)
        self._ranker = Ranker(self.candidates)

    @classmethod
    def read(cls, path: Path, readme_of: Callable[[str], str] | None = None) -> "Catalog":
        """Read a file with one JSON object a line: full_name, and where known description, stars, topics, language,
        url, commit, readme (its first part).

        `readme_of` gives the first part of the README for an entry's url where one is at hand, else "".
        Raises CatalogError, which names file and line.
        """
        candidates = read_candidates(path)
        return cls([_with_readme(candidate, readme_of) for candidate in candidates] if readme_of else candidates)

    def search(self, queries: Sequence[str], limit: int = 5) -> list[Candidate]:
        """The entries that fit the queries best (the first query counts most), best first."""
        return self._ranker.top(read_queries(queries), limit)


def read_candidates(path: Path) -> list[Candidate]:
    """The entries of a catalogue in the order of the file; CatalogError names file and line."""
    try:
        if path.exists() and not (path.is_file() or path.is_dir()):
            raise CatalogError(f"{path}: not a regular file; give a JSON Lines file, or --catalog sample")
        if path.stat().st_size > MAX_BYTES:
            raise CatalogError(
                f"{path}: larger than {MAX_BYTES // 2**20} MB; a catalogue has one short line a repository"
            )
        lines = path.read_bytes().splitlines()
    except OSError as error:
        reason = "no such file" if isinstance(error, FileNotFoundError) else error.strerror
        raise CatalogError(f"{path}: {reason}; give a JSON Lines file, or --catalog sample") from error
    decoder = msgspec.json.Decoder(_Entry)
    seen: dict[str, int] = {}
    candidates: list[Candidate] = []
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        candidates.append(_candidate(decoder, line, f"{path}:{number}"))
        first = seen.setdefault(candidates[-1].full_name, number)
        if first != number:
            raise CatalogError(
                f"{path}:{number}: {candidates[-1].full_name} stands already in line {first}; remove one"
            )
    if not candidates:
        raise CatalogError(f"{path}: no entries; give a JSON Lines file with one repository a line")
    return candidates


def _candidate(decoder: "msgspec.json.Decoder[_Entry]", line: bytes, place: str) -> Candidate:
    try:
        entry = decoder.decode(line.removeprefix(b"\xef\xbb\xbf"))
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise CatalogError(f"{place}: {error}; write one JSON object a line, with full_name") from error
    owner, _, name = entry.full_name.partition("/")
    if not owner or not name or "/" in name or any(character.isspace() for character in entry.full_name):
        raise CatalogError(f"{place}: full_name {entry.full_name!r} is not OWNER/NAME")
    return Candidate(
        full_name=entry.full_name,
        url=_url(entry, place),
        description=entry.description or "",
        topics=entry.topics or (),
        language=entry.language,
        stars=entry.stars,
        readme_head=entry.readme[:README_HEAD],
        commit=entry.commit,
        source="catalog",
    )


def _with_readme(candidate: Candidate, readme_of: Callable[[str], str]) -> Candidate:
    head = candidate.readme_head or readme_of(candidate.url)[:README_HEAD]
    return msgspec.structs.replace(candidate, readme_head=head)


def _url(entry: _Entry, place: str) -> str:
    """Where to get it. A path lies below the catalogue's own folder."""
    if _ADDRESS.fullmatch(entry.url) or not entry.url:
        return entry.url or entry.full_name
    folder = Path(place).parent.resolve()
    target = (folder / entry.url).resolve()
    if not entry.url.startswith((".", "/")) or not target.is_relative_to(folder) or "\0" in entry.url:
        raise CatalogError(
            f"{place}: url {entry.url!r}: give https://HOST/OWNER/NAME, or ./FOLDER beside the catalogue"
        )
    return str(target)
