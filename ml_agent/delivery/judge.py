"""What was expected against what is there, by our code and never by the program's word: a `Judgement` for each `Expectation`.

A file counts where it is new or changed and its content is what its kind promises (`content.py`, in a process of its own).
"""

import posixpath
import time
from collections.abc import Callable, Sequence
from fnmatch import fnmatchcase

import msgspec

from ml_agent.delivery.content import ContentNotJudged, ContentReport, report_apart
from ml_agent.delivery.expectation import CreatedFile, Expectation, Judgement, kind_of
from ml_agent.delivery.text_kinds import error_in

MOST_READ = 64 * 1024**2
"""Bytes of one file that are looked at."""
MOST_LOOKS = 5
"""Files that are looked at although nobody asked for them."""
MOST_NAMED = 6
"""Files that the author of an answer is told of."""
PRINTED_LINES = 12
WAIT_SECONDS = 60
"""For all files of a run together: on a busy machine the processor's time takes longer."""


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
    written: frozenset[str] = frozenset()
    """Files of which the answer holds what is in them, and programs that ran: nobody needs a look at these."""
    known: Callable[[str], bool] = lambda _path: True
    """Whether a path of the workspace is the repository's own: what set-up or an earlier run put there is no file of the user's."""
    until: float = msgspec.field(default_factory=lambda: time.monotonic() + WAIT_SECONDS)
    """When judging ends, whatever is left."""


def judge(expectations: Sequence[Expectation], scene: RunOutputs) -> tuple[Judgement, ...]:
    """Each expectation with what was seen of it."""
    return tuple(_judge(one, scene) for one in expectations)


def looks(judgements: Sequence[Judgement], scene: RunOutputs) -> tuple[Judgement, ...]:
    """The other files that came out, small ones first, each with what is seen of it; as many as somebody looks at."""
    seen = {one.path for one in judgements} | scene.own | scene.written
    others = sorted((one for one in scene.made if one.path not in seen and one.size), key=lambda one: one.size)
    return tuple(
        _file(Expectation(kind=kind_of(one.path), path=one.path), (one.path,), scene) for one in others[:MOST_LOOKS]
    )


def missing_text(judgements: Sequence[Judgement], made: Sequence[CreatedFile], stdout: str) -> str:
    """What is missing and what was written instead, for the author of the answer; empty where nothing is missing."""
    missing = [one.said for one in judgements if one.verdict == "missing"]
    if not missing:
        return ""
    wrote = ", ".join(one.path for one in made[:MOST_NAMED]) + (", …" if len(made) > MOST_NAMED else "")
    lines = [
        f"exit 0, but {'; '.join(missing)};",
        f"the program wrote {wrote}" if wrote else "the program wrote no file",
    ]
    printed = [line for line in stdout.splitlines() if line.strip()][-PRINTED_LINES:]
    if printed and not wrote:
        lines.append("it printed: " + " | ".join(printed)[:600])
    return "\n".join(lines)


def content_of(path: str, size: int, expected: Expectation, scene: RunOutputs) -> ContentReport:
    """What a file holds, and whether that is what is expected. Raises ContentNotJudged."""
    if (seconds := scene.until - time.monotonic()) <= 0:
        raise ContentNotJudged("was not judged, because the files before it took too long")
    try:
        data = scene.read(path, MOST_READ + 1) if size else b""
    except FileNotFoundError:
        return ContentReport(said="cannot be read", valid=False)
    if not data:
        return ContentReport(said="is empty", valid=False)
    report = report_apart(data, len(data) <= MOST_READ, expected, seconds)
    if len(data) <= MOST_READ:
        return report
    said = f"{report.said}; of its {size} bytes the first {MOST_READ} were looked at"
    return msgspec.structs.replace(report, said=said)


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
    wrong: Judgement | None = None
    for made in hits:
        try:
            report = content_of(made.path, made.size, expected, scene)
        except ContentNotJudged as problem:
            return Judgement(expectation=expected, verdict="not judged", said=f"{made.path} {problem}", path=made.path)
        judgement = Judgement(
            expectation=expected,
            verdict="delivered" if report.valid else "missing",
            said=f"{made.path}{':' if report.valid else ''} {report.said}",
            path=made.path,
            worded=report.worded,
            head=report.head,
            doubts=report.doubts,
        )
        if report.valid:
            return judgement
        wrong = wrong or judgement
    return wrong or Judgement(expectation=expected, verdict="missing", said=_absent(expected.path, places, scene))


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


def was_there(expected: Expectation, scene: RunOutputs) -> bool:
    """Whether the repository has it already."""
    return any(map(scene.known, places_of(expected.path, scene.workdir)))


def _absent(path: str, places: Sequence[str], scene: RunOutputs) -> str:
    for place in places:
        try:
            scene.read(place, 1)
        except FileNotFoundError:
            continue
        if scene.known(place):
            return f"{path} was there before and was not written"
    return f"{path} was not written"
