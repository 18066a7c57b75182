"""The rows of one repository."""

import hashlib
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from random import Random
from typing import Any

import msgspec

from ml_agent.benchmarks.make.chosen import EntryKnowledge, chosen, usual
from ml_agent.benchmarks.make.code import STYLES as code_styles
from ml_agent.benchmarks.make.code import code_row, code_seeds
from ml_agent.benchmarks.make.guards import guards
from ml_agent.benchmarks.make.phrases import namesakes
from ml_agent.benchmarks.make.reference import RefusedCommand, reference
from ml_agent.benchmarks.make.seeds import Seed, folder_of, seeds, with_the_same_options
from ml_agent.benchmarks.make.vary import RequestedOption, ValueMaker
from ml_agent.benchmarks.make.wording import STYLES, RequestContent, Style, UnsayableRequest, request
from ml_agent.tools.index import RepoIndex
from ml_agent.tools.python_api.modules import ModuleTable

TRIES = 4
"""Attempts at a row for each that is wanted."""
ROWS_OF_AN_ENTRY = 6
CODE_SHARE = 4
"""Of so many rows one asks for Python, where documents show code that can be asked for."""
SPLITS = ((0.2, "test"), (0.35, "dev"), (1.0, "train"))
"""Shares of repositories, added up."""


LOCAL = "https://github.com/local/"
"""Begins the made address of a folder that is from nowhere."""


class RowSource(msgspec.Struct, frozen=True, kw_only=True):
    """One repository to make rows of."""

    root: Path
    name: str
    github: str
    commit: str
    github_id: int

    @property
    def repository(self) -> str:
        """The repository's name as its address has it."""
        return self.github.rstrip("/").rpartition("/")[2]

    @property
    def is_local(self) -> bool:
        """Whether its address is made up."""
        return self.github.startswith(LOCAL)


class MadeRows(msgspec.Struct, frozen=True, kw_only=True):
    """What came of one repository."""

    rows: tuple[dict[str, Any], ...]
    refused: dict[str, int]
    """Attempts that gave no row, by reason."""
    wording: dict[str, int] = {}
    """Whose words the requests are, where a model was asked for them."""


def make_rows(source: RowSource, index: RepoIndex, most: int, seed: int) -> MadeRows:
    """Up to `most` rows; the same for the same seed and commit."""
    random = Random(f"{seed} {source.github}")
    found = usual(seeds(index))
    refused: Counter[str] = Counter() if found else Counter({"no entry point with options": 1})
    varied = ValueMaker(index.files, random)
    rows: list[dict[str, Any]] = []
    texts: set[str] = set()
    maker = _Maker(source, index, varied, found)
    for start in _turns(found, most):
        if len(rows) >= most:
            break
        used = Counter(str(row["style"]) for row in rows)
        try:
            row = _row(start, sorted(STYLES, key=lambda style: used[style]), maker)
        except (RefusedCommand, UnsayableRequest) as reason:
            refused[str(reason).partition(": ")[0][:60]] += 1
            continue
        if row["output"] in texts:
            refused["the same command again"] += 1
            continue
        texts.add(row["output"])
        rows.append(row)
    written = _code_rows(source, index, varied, max(most // CODE_SHARE, most - len(rows)), refused)
    rows = [*rows[: most - len(written)], *written]
    return MadeRows(rows=tuple({**row, "id": n} for n, row in enumerate(rows, start=1)), refused=dict(refused))


def _code_rows(
    source: RowSource, index: RepoIndex, varied: ValueMaker, most: int, refused: Counter[str]
) -> list[dict[str, Any]]:
    """Rows whose answer is Python."""
    rows: list[dict[str, Any]] = []
    found = code_seeds(index)
    varied.random.shuffle(found)
    for example in found[: most * TRIES]:
        if len(rows) >= most:
            break
        style = code_styles[len(rows) % len(code_styles)]
        try:
            made = code_row(example, style, varied, source.root, source.repository)
        except (RefusedCommand, UnsayableRequest) as reason:
            refused[str(reason)[:60]] += 1
            continue
        rows.append({
            **_common(source), "path": "./", "instruction": made.instruction, "style": style, "framework": "python",
            "arguments": made.arguments, "accept": {}, "type": "Python Code", "output": made.text, "oracle": example.text,
            "why": f"{example.path}:{example.line}", "documented": sorted(made.arguments), "helps": {},
        })  # fmt: skip
    return rows


def _common(source: RowSource) -> dict[str, Any]:
    """What all rows of a repository have."""
    return {
        "github_id": source.github_id, "id": 0, "github": source.github, "repo": source.repository,
        "forbid": [], "commit": source.commit, "split": split_of(source.github),
    }  # fmt: skip


def _turns(found: Sequence[Seed], most: int) -> Iterator[Seed]:
    """Seeds in turn, documented ones twice as often, no entry point too often."""
    used: Counter[tuple[str, str, tuple[str, ...]]] = Counter()
    for _ in range(TRIES * ROWS_OF_AN_ENTRY):
        for start in [*found, *(s for s in found if s.example)]:
            if used[start.key] < TRIES * max(ROWS_OF_AN_ENTRY, most // max(len({s.key for s in found}), 1)):
                used[start.key] += 1
                yield start


class _Maker:
    """What all rows of a repository share."""

    def __init__(self, source: RowSource, index: RepoIndex, varied: ValueMaker, found: Sequence[Seed]) -> None:
        self.source, self.varied, self.random = source, varied, varied.random
        self.signatures = list({(f.path, f.name, f.subcommand): f for f in (s.signature for s in found)}.values())
        self._index, self._table, self._found = index, ModuleTable(index.files), found
        self._known: dict[tuple[str, str, tuple[str, ...]], EntryKnowledge] = {}

    def known(self, start: Seed) -> EntryKnowledge:
        """What the source and the documents say of an entry point."""
        if start.key not in self._known:
            documented = tuple(s for s in self._found if s.key == start.key and s.example)
            read = guards(self._index, self._table, start.signature)
            self._known[start.key] = EntryKnowledge(guards=read, documented=documented)
        return self._known[start.key]


def _row(start: Seed, styles: Sequence[Style], maker: _Maker) -> dict[str, Any]:
    """A row in the first of the styles in which its request can be written."""
    workdir = start.workdir if start.example else "."
    wishes = chosen(start, maker.known(start), maker.varied)
    others = with_the_same_options(start.signature, [w.option.dest for w in wishes], maker.signatures)
    alone = not others and not namesakes(start.signature, maker.signatures)
    content = RequestContent(
        signature=start.signature,
        wishes=tuple(wishes),
        workdir=workdir,
        alone=alone,
        repository=maker.source.repository,
    )
    _first_style(content, styles, maker.random)
    command, folder = _command(start, wishes, workdir, maker.source.root)
    style, text = _first_style(msgspec.structs.replace(content, workdir=folder), styles, maker.random)
    return {
        **_common(maker.source), "path": "./" if folder == "." else f"./{folder}", "instruction": text, "style": style,
        "framework": start.signature.framework, "arguments": {w.option.dest: _expected_text(w) for w in wishes},
        "accept": {w.option.dest: other for w in wishes if (other := _alternative_spellings(w))},
        "type": "Bash Script", "output": command,
        "oracle": start.example.text if start.example else "",
        "why": "; ".join(f"{w.option.path}:{w.option.line} {w.option.dest}" for w in wishes),
        "documented": [w.option.dest for w in wishes if w.documented],
        "helps": {w.option.dest: w.option.help for w in wishes if w.option.help},
    }  # fmt: skip


def _first_style(content: RequestContent, styles: Sequence[Style], random: Random) -> tuple[Style, str]:
    """The first style in which the request can be written, and the request."""
    reason: UnsayableRequest | None = None
    for style in styles:
        try:
            return style, request(content, style, random)
        except UnsayableRequest as unsaid:
            reason = unsaid
    raise reason or UnsayableRequest("no style")


def _command(start: Seed, wishes: Sequence[RequestedOption], workdir: str, root: Path) -> tuple[str, str]:
    """The reference, and the folder from which it runs: for an undocumented script the first that works."""
    if start.example:
        text = reference(start.signature, wishes, workdir, root)
        if _changes_sides(start, wishes, text):
            raise RefusedCommand("an option stands before its subcommand")
        return text, workdir
    refused: RefusedCommand | None = None
    for folder in folder_of(start, root):
        try:
            return reference(start.signature, wishes, folder, root), folder
        except RefusedCommand as error:
            refused = refused or error
    raise refused or RefusedCommand("no folder to run it from")


def _changes_sides(start: Seed, wishes: Sequence[RequestedOption], text: str) -> bool:
    """Whether an option stands before a subcommand and in the document behind it, where it may mean something else."""
    documented = start.example.text if start.example else ""
    for word in start.signature.subcommand[-1:]:
        before = f"{text.partition(f' {word}')[0]} "
        shown = documented.partition(f" {word}")[2]
        flags = [f for w in wishes for f in w.option.flags]
        if any(re.search(rf"\s{f}[=\s]", before) and re.search(rf"\s{f}[=\s]", shown) for f in map(re.escape, flags)):
            return True
    return False


def _expected_text(wish: RequestedOption) -> str:
    """The string that every right answer contains."""
    if wish.option.switch:
        flags = wish.option.flags if wish.value or wish.option.switch_value == "False" else wish.option.negative_flags
        return flags[-1].lstrip("-") if flags else wish.option.dest
    return wish.text


def _alternative_spellings(wish: RequestedOption) -> list[str]:
    """Other ways to write the value."""
    found: list[str] = []
    if isinstance(wish.value, float):
        found = [
            f"{wish.value:g}",
            f"{wish.value:.0e}",
            f"{wish.value:f}".rstrip("0"),
            str(wish.value).removeprefix("0"),
        ]
    elif isinstance(wish.value, bool):
        found = [str(wish.value).lower(), wish.option.dest]
    return [t for t in dict.fromkeys(found) if t != wish.text and _is_same(t, wish.value)]


def _is_same(text: str, value: Any) -> bool:
    try:
        return float(text) == float(value)
    except ValueError:
        return isinstance(value, bool)


def split_of(github: str) -> str:
    """train, dev or test, by the repository alone, so that no repository is in two."""
    place = int(hashlib.sha256(github.lower().encode()).hexdigest()[:8], 16) / 0xFFFFFFFF
    return next(name for share, name in SPLITS if place <= share)
