"""Files of the repository in place of the example's: "the horse" is images/horse.png where the example reads images/cat.png."""

import posixpath
from collections.abc import Sequence
from pathlib import PurePosixPath

from ml_agent.grounded.wording import said, split, wording_of

_MOST = 200
_SHORT = 3


def meant_file(shown: str, workdir: str, instruction: str, files: Sequence[str]) -> str | None:
    """The file that the user means where an example shows another one of its folder and kind; None where that is not told.

    Args:
        shown: as the example gives it.
        workdir: folder from which the answer runs, relative to the repository.
        instruction: what the user wrote.
        files: of the repository.
    """
    path = PurePosixPath(posixpath.normpath(posixpath.join(workdir or ".", shown)))
    beside = [
        other for other in map(PurePosixPath, files) if other.parent == path.parent and other.suffix == path.suffix
    ]
    if not path.suffix or path not in beside or not 1 < len(beside) <= _MOST:
        return None
    shared = set.intersection(*(set(split(other.stem)) for other in beside))
    words = wording_of(instruction).words
    scores = [
        sum(said(part, words) for part in set(split(other.stem)) - shared if len(part) >= _SHORT) for other in beside
    ]
    best = max(scores)
    if scores.count(best) > 1 or best <= scores[beside.index(path)]:
        return None
    return shown[: len(shown) - len(path.name)] + beside[scores.index(best)].name
