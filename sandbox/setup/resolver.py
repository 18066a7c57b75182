"""Finds the packages that meet what is wanted, in one resolution; what it must know of sources is found out without a network."""

import re
from collections.abc import Sequence
from pathlib import Path

import msgspec

from ml_agent.sandbox.setup.builder import MOST_LOCK, Builder, BuildFailure, Steps
from ml_agent.sandbox.setup.uv import Metadata, Package, Refusal, Wanted, compile_text, read_lock, read_refusal
from ml_agent.tools.foreign_files import read_text

RESOLVE_SECONDS = 300.0
MOST_SOURCES = 40
"""Source distributions that one resolution may have to know."""
COMPANIONS = frozenset({"torchvision", "torchaudio", "torchtext", "torchdata"})
"""Their compiled parts fit one build of torch."""


class Resolver:
    """Resolutions in one sandbox."""

    def __init__(self, steps: Steps, builder: Builder, cpu_torch: str = "") -> None:
        """`cpu_torch`: the requirement that gives a build of torch for the processor, "" where a card is there or no such build."""
        self._steps, self._builder, self._cpu_torch = steps, builder, cpu_torch
        self._known: dict[tuple[str, str], Metadata] = {}
        self._read: list[Metadata] = []  # of wheels that say what uv cannot read
        self.given: dict[Wanted, tuple[Package, ...]] = {}
        """What was resolved before, by its meaning."""
        self._unusable: list[str] = []
        """Against versions that cannot be described."""

    def resolve(self, wanted: Wanted) -> tuple[Package, ...] | Refusal:
        """All packages that are needed; with a build of torch for the processor where nothing speaks against it."""
        found = self._resolve(wanted)
        if isinstance(found, Refusal) or not self._cpu_torch:
            return found
        names = {package.name for package in found}
        if "torch" not in names or names & COMPANIONS:
            return found
        lighter = self._resolve(_held(wanted, self._cpu_torch))
        return found if isinstance(lighter, Refusal) else lighter

    def described(self, package: Package) -> bool:
        """Whether its sources were read, because no wheel of it fits."""
        return (package.name, package.version) in self._known

    def _resolve(self, wanted: Wanted) -> tuple[Package, ...] | Refusal:
        for _ in range(MOST_SOURCES):
            answer = self._compile(_held(wanted, *self._unusable))
            if not isinstance(answer, Refusal):
                return answer
            if answer.unread and answer.unread not in self._read:
                self._read.append(answer.unread)
                continue
            if answer.reason != "build" or (answer.name, answer.version) in self._known:
                return answer
            described = self._describe(answer.name, answer.version, wanted.day)
            if isinstance(described, Metadata):
                self._known[answer.name, answer.version] = described
                continue
            self._steps.note(f"{answer.name}=={answer.version} cannot be built: {described.line}")
            self._unusable.append(f"{answer.name}!={answer.version}")
        return Refusal(reason="build", lines=(f"more than {MOST_SOURCES} packages come as sources only",))

    def _describe(self, name: str, version: str, day: str) -> Metadata | BuildFailure:
        blank = Metadata(name=name, version=version)
        alone = Wanted(requirements=(f"{name}=={version}",), day=day, dependencies=False)
        answer = self._compile(alone, (blank,))
        source = answer[0].source if not isinstance(answer, Refusal) and answer else None
        if source is None:
            return BuildFailure(lines=("its sources are not on the index",))
        self._steps.note(f"reading what {name} {version} needs from its sources")
        found = self._builder.describe(f"{name} {version}", source)
        # It speaks for no other than the name and version that the index has.
        return found if isinstance(found, BuildFailure) else msgspec.structs.replace(found, name=name, version=version)

    def _compile(self, wanted: Wanted, also: Sequence[Metadata] = ()) -> tuple[Package, ...] | Refusal:
        known = (*self._known.values(), *self._read, *also)
        if not known and wanted.meaning in self.given:
            return self.given[wanted.meaning]
        done = self._steps.install(compile_text(wanted, known), RESOLVE_SECONDS)
        if not done.ok:
            return read_refusal(f"{done.stdout}\n{done.stderr}", done.ended)
        try:
            return read_lock(read_text(Path(done.log), MOST_LOCK) if done.log else done.stdout)
        except ValueError:
            return Refusal(reason="unknown", lines=("the installer's answer cannot be read",))


def _held(wanted: Wanted, *constraints: str) -> Wanted:
    return msgspec.structs.replace(wanted, constraints=(*wanted.constraints, *constraints))


def loosened(requirement: str) -> str | None:
    """An exact pin as a lower bound below the next main version, that as a lower bound, that without any; None where none is left."""
    from packaging.requirements import Requirement  # takes long to import
    from packaging.version import Version

    try:
        parsed = Requirement(requirement)
        exact = [one.version.removesuffix(".*") for one in parsed.specifier if one.operator in ("==", "===", "~=")]
        low = exact[0] if exact else next((one.version for one in parsed.specifier if one.operator == ">="), "")
        main = Version(low).major if low else 0
    except ValueError:
        return None
    extras = f"[{','.join(sorted(parsed.extras))}]" if parsed.extras else ""
    if exact:
        return f"{parsed.name}{extras}>={low.partition('+')[0]},<{main + 1}"
    if re.search(r",<\d+$", requirement) and low:
        return f"{parsed.name}{extras}>={low}"
    return f"{parsed.name}{extras}" if parsed.specifier or parsed.url else None
