"""What of a run that ended with 0 is worth a question: errors that it printed, losses that are no number, a result that was there before."""

import hashlib
import re
from collections.abc import Sequence
from pathlib import Path, PurePosixPath

from ml_agent.delivery.expectation import CreatedFile, Judgement
from ml_agent.delivery.heads import cut
from ml_agent.draft import Doubt
from ml_agent.sandbox.contract import Response
from ml_agent.tools.bounded import read_bytes
from ml_agent.tools.walk import Walk

MOST = 6
"""Doubts that are told."""
_MOST_COMPARED = 8 * 1024**2
"""Bytes of a file that is compared with those of the repository."""
_MOST_FILES = 500
_MOST_READ = 256 * 1024**2
"""Bytes that are read in all; a file counts at least as much as opening it takes."""
_OPENING = 32 * 1024
_LEAST_COMPARED = 24
"""Bytes; smaller files are alike by chance."""
_ERROR = re.compile(
    r"Traceback \(most recent call last\)|^\W{0,3}(?:\S+ \S+ )?\W?(?:ERROR|CRITICAL|FATAL)\b|^\s*(?:[\w.]+\.)?\w*(?:Error|Exception)\s*:"
    r"|\b(?:error|exception)\b.{0,40}\b(?:while|when|in|reading|processing|loading)\b|command not found$|has no attribute '",
)
_NO_ERROR = re.compile(r"\b(?:no|0|zero|without)\s+errors?\b|Warning\b", re.IGNORECASE)
_ENDLESS = re.compile(
    r"\b(?:\w*loss|nll|perplexity|ppl|rmse|mse|mae|accuracy|acc|auc|f1|score)\b[\"'\s:=(\[]{1,6}(?:nan|[-+]?inf(?:inity)?)\b",
    re.IGNORECASE,
)


def doubts_of(
    response: Response, judgements: Sequence[Judgement], made: Sequence[CreatedFile], root: Path, outputs: Path
) -> tuple[Doubt, ...]:
    """What is doubtful about a run that ended with 0.

    Args:
        response: what it printed.
        judgements: of the files that came out.
        made: those that were brought to the host.
        root: the repository as it was before.
        outputs: where those files lie on the host.
    """
    if not response.ok:
        return ()
    found = [*_errors(response), *_endless(response)]
    for one in judgements:
        found += [f"{one.path}: {doubt}" if one.path else doubt for doubt in one.doubts]
    compared = [one for one in made if _LEAST_COMPARED <= one.size <= _MOST_COMPARED][:_MOST_FILES]
    sums = _Sums()
    found += [*_known_before(compared, root, outputs, sums), *_twice(compared, outputs, sums)]
    return tuple(Doubt(doubt=text) for text in list(dict.fromkeys(found))[:MOST])


def error_lines(text: str) -> list[str]:
    """The lines that report an error."""
    return [line.strip() for line in text.splitlines() if _ERROR.search(line) and not _NO_ERROR.search(line)]


def _errors(response: Response) -> list[str]:
    lines = error_lines(f"{response.stdout}\n{response.stderr}")
    if not lines:
        return []
    counted = "one line reports" if len(lines) == 1 else f"{len(lines)} lines report"
    return [f"it ended with exit code 0, but {counted} an error: {cut(lines[-1], 160)}"]


def _endless(response: Response) -> list[str]:
    lines = [line for line in f"{response.stdout}\n{response.stderr}".splitlines() if _ENDLESS.search(line)]
    return [f"it printed a value that is not a number: {cut(lines[-1].strip())}"] if lines else []


class _Sums:
    """What tells files from one another; each is read once, and all together up to a limit."""

    def __init__(self) -> None:
        self._left, self._seen = _MOST_READ, dict[Path, bytes | None]()

    def of(self, path: Path, size: int) -> bytes | None:
        """None of a file that is beyond the limit, or larger by now."""
        if path not in self._seen:
            self._left -= max(size, _OPENING)
            self._seen[path] = _sum(path, size) if self._left >= 0 else None
        return self._seen[path]


def _sum(path: Path, size: int) -> bytes | None:
    try:
        return hashlib.sha256(read_bytes(path, size)).digest()
    except OSError:
        return None


def _known_before(made: Sequence[CreatedFile], root: Path, outputs: Path, sums: _Sums) -> list[str]:
    """Files that came out and are byte for byte a file that the repository had."""
    new: dict[int, dict[bytes | None, list[str]]] = {}
    for one in made:
        new.setdefault(one.size, {}).setdefault(sums.of(outputs / one.path, one.size), []).append(one.path)
    found: dict[str, str] = {}
    for entry in Walk(root, lambda folder: folder.path == ".git") if new else ():
        alike = new.get(entry.status.st_size) if entry.is_file else None
        old = sums.of(root / entry.path, entry.status.st_size) if alike else None
        for path in alike.pop(old, ()) if alike and old else ():
            found[path] = entry.path
    return [
        f"{path} is unchanged from the repository" + (f" as {old}" if old != path else "")
        for path, old in found.items()
    ]


def _twice(made: Sequence[CreatedFile], outputs: Path, sums: _Sums) -> list[str]:
    """Files of one kind that came out and are byte for byte the same."""
    same: dict[tuple[str, bytes], list[str]] = {}
    for one in sorted(made, key=lambda one: one.path):
        if (seen := sums.of(outputs / one.path, one.size)) is not None:
            same.setdefault((PurePosixPath(one.path).suffix, seen), []).append(one.path)
    return [
        f"{', '.join(cut(path, 60) for path in paths[:8])} are the same, byte for byte"
        for paths in same.values()
        if len(paths) > 1
    ]
