"""What was expected against what is there; by our code, never by the program's word."""

import posixpath
import time
from collections.abc import Callable, Sequence
from fnmatch import fnmatchcase

import msgspec

from ml_agent.delivery.content_process import WAIT_SECONDS, ContentNotJudged, judge_apart
from ml_agent.delivery.expectation import CreatedFile, Expectation, Judgement
from ml_agent.delivery.text_kinds import InvalidContent, error_in

MOST_READ = 64 * 1024**2
"""Bytes of one file that are looked at."""


class RunOutputs(msgspec.Struct, frozen=True, kw_only=True):
    """What a run left behind."""

    made: tuple[CreatedFile, ...]
    """Files that are new or changed since it began."""
    read: Callable[[str, int], bytes]
    """The first bytes of a file, by its path from the repository's root; FileNotFoundError where there is none."""
    workdir: str = "."
    stdout: str = ""
    own: frozenset[str] = frozenset()
    """Files of ours, which are no result."""
    known: Callable[[str], bool] = lambda _path: True
    """Whether a path of the workspace is the repository's own: what set-up or an earlier run put there is no file of the user's."""


def judge(expectations: Sequence[Expectation], scene: RunOutputs) -> tuple[Judgement, ...]:
    """Each expectation with what was seen of it."""
    return tuple(_judge(one, scene) for one in expectations)


def content_of(path: str, size: int, expected: Expectation, scene: RunOutputs) -> str:
    """What a file holds, in a few words; raises InvalidContent where it is not what is expected, and ContentNotJudged."""
    if size == 0:
        raise InvalidContent("is empty")
    try:
        data = scene.read(path, MOST_READ + 1)
    except FileNotFoundError as error:
        raise InvalidContent("cannot be read") from error
    if not data:
        raise InvalidContent("is empty")
    whole = len(data) <= MOST_READ
    said = judge_apart(data, whole, expected)
    return said if whole else f"{said}; of its {size} bytes the first {MOST_READ} were looked at"


def places_of(path: str, workdir: str) -> tuple[str, ...]:
    """Where a path that was written may lie, from the repository's root: seen from the folder of the run, then from the root."""
    named = posixpath.normpath(path)
    beside = posixpath.normpath(posixpath.join(workdir, named))
    return tuple(
        place for place in dict.fromkeys((beside, named)) if not place.startswith(("../", "/")) and place != ".."
    )


def _judge(expected: Expectation, scene: RunOutputs) -> Judgement:
    if expected.kind == "printed":
        seen = next((line for line in scene.stdout.splitlines() if line.strip()), None)
        verdict = "missing" if seen is None or error_in(scene.stdout) is not None else "delivered"
        said = "nothing was printed" if seen is None else f"printed: {seen.strip()[:80]}"
        return Judgement(expectation=expected, verdict=verdict, said=said)  # type: ignore[arg-type]
    places = places_of(expected.path, scene.workdir) if not expected.path.startswith("~") else ()
    if not places:
        said = f"{expected.path} lies outside the repository: what is there was not looked at"
        return Judgement(expectation=expected, verdict="not judged", said=said)
    return _folder(expected, places, scene) if expected.kind == "folder" else _file(expected, places, scene)


def _file(expected: Expectation, places: Sequence[str], scene: RunOutputs) -> Judgement:
    new = [made for made in scene.made if made.path not in scene.own]
    hits = [made for place in places for made in new if made.path == place or fnmatchcase(made.path, place)]
    problem, until = "", time.monotonic() + WAIT_SECONDS
    for made in hits:
        try:
            if time.monotonic() > until:
                raise ContentNotJudged("comes after others that took too long to be judged")
            said = content_of(made.path, made.size, expected, scene)
        except InvalidContent as wrong:
            problem = problem or f"{made.path} {wrong}"
            continue
        except ContentNotJudged as wrong:
            return Judgement(expectation=expected, verdict="not judged", said=f"{made.path} {wrong}")
        return Judgement(expectation=expected, verdict="delivered", said=f"{made.path}: {said}", path=made.path)
    return Judgement(expectation=expected, verdict="missing", said=problem or _absent(expected.path, places, scene))


def _folder(expected: Expectation, places: Sequence[str], scene: RunOutputs) -> Judgement:
    for place in places:
        inside = [made for made in scene.made if made.path.startswith(f"{place}/") or place == "."]
        inside = [made for made in inside if made.path not in scene.own]
        filled = [made for made in inside if made.size]
        if filled:
            said = f"{place}/ has {len(filled)} new files"
            return Judgement(expectation=expected, verdict="delivered", said=said, path=place)
        if inside:
            return Judgement(expectation=expected, verdict="missing", said=f"the new files in {place}/ are empty")
    return Judgement(expectation=expected, verdict="missing", said=f"no new file is in {places[0]}/")


def _absent(path: str, places: Sequence[str], scene: RunOutputs) -> str:
    for place in places:
        try:
            scene.read(place, 1)
        except FileNotFoundError:
            continue
        if scene.known(place):
            return f"{path} was there before and was not written"
    return f"{path} was not written"
