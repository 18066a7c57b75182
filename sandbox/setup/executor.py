"""Makes the environment of one sandbox, way by way, and keeps what can serve again for just the same."""

import hashlib
import json
import os
import re
import shlex
import time
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path, PurePosixPath

import msgspec

from ml_agent.sandbox.contract import Command, OnOutput, Sandbox, Version, recorded
from ml_agent.sandbox.errors import SandboxLostError, SandboxUnavailableError
from ml_agent.sandbox.inner_path import leads_out
from ml_agent.sandbox.pip_settings import read_pip_settings
from ml_agent.sandbox.python_history import is_standard
from ml_agent.sandbox.setup.builder import NO_MODULE, Builder, BuildFailure, Built, Note, Project, Sources, Steps
from ml_agent.sandbox.setup.check import ImportFailure, Needs, check_text, read_failures
from ml_agent.sandbox.setup.declared import Declared, read_declared
from ml_agent.sandbox.setup.ladder import Rung, first_python, loose, rungs
from ml_agent.sandbox.setup.resolver import Resolver, loosened
from ml_agent.sandbox.setup.system import packages_for
from ml_agent.sandbox.setup.uv import (
    Metadata,
    Package,
    Refusal,
    Wanted,
    at_once_text,
    install_text,
    link_text,
    look_text,
    name_of,
    plain,
    read_lock,
    read_refusal,
)
from ml_agent.sandbox.task import Source
from ml_agent.tools.foreign_files import exists
from ml_agent.tools.index import RepoIndex
from ml_agent.tools.python_api.distributions import known_provider, normalized, provides
from ml_agent.tools.python_api.requirements import own_names, package_requires
from ml_agent.tools.remotes import absent_submodules, say_absent

KEPT_FORMAT = 10
"""Goes up where what was kept before may serve no more."""
DEBIAN = re.compile(r"[a-z0-9][a-z0-9.+-]*(?:[a-z0-9.]|\+\+)", re.ASCII)
"""The name of a Debian package; a hyphen at the end would have it removed."""
ADDED = ".ml-agent-added.tar"
"""Files of the environment that are laid into the workspace: what was generated beside the repository's sources."""
CHECK_SECONDS = 240.0
CLIMB_SECONDS = 2400.0
"""After so long no further way is begun."""
OWN_PACKAGE = "the repository's own package"
MOST_LOOSENED = 40
MOST_TURNS = 3
"""How often more is installed for modules that turn out to be missing."""
YOUNG = timedelta(days=14)
"""What nobody declares is taken only where it is older."""

_OTHER_NUMPY = re.compile(
    r"numpy\.\w+ size changed|compiled using NumPy 1\.x cannot be run|_ARRAY_API not found|core\.multiarray failed"
)
"""What a module says that was compiled with another numpy than the one that is there."""
_NO_WHEELS = re.compile(r"no (?:usable )?wheels|no versions of|only .* (?:is|are) available")
_DISABLED = re.compile(
    r"Wheels are required for `([\w.-]+)`|Building (?:source distributions )?for `?([\w.-]+)`? is disabled"
)


class Asked(msgspec.Struct, frozen=True, kw_only=True):
    """What is asked for beyond what the repository declares: by repairs, or by a model."""

    requirements: tuple[str, ...] = ()
    python: Version | None = None
    day: str = ""

    def more(self, words: Sequence[str]) -> "Asked":
        """With further requirements, which replace those for the same distributions; `--python 3.9` and `--exclude-newer DAY` are for all."""
        options = dict(word.split(maxsplit=1) for word in words if word.startswith("--"))
        new = [word for word in words if not word.startswith("--")]
        names = {name_of(line) for line in new}
        python = options.get("--python", "")
        return Asked(
            requirements=(*(line for line in self.requirements if name_of(line) not in names), *new),
            python=version_of(python) if python else self.python,
            day=options.get("--exclude-newer", self.day),
        )


def version_of(text: str) -> Version:
    """`3.9` as a version of Python."""
    major, minor = text.split(".")[:2]
    return int(major), int(minor)


class Attempt(msgspec.Struct, frozen=True, kw_only=True):
    """A way that was tried."""

    rung: Rung
    ended: str
    """"works", or why it was left."""
    made: bool = False
    """Whether an environment came about, though imports may fail in it."""


class Environment(msgspec.Struct, kw_only=True):
    """What an environment is."""

    rung: Rung
    asked: Asked = Asked()
    packages: tuple[Package, ...] = ()
    project: str = ""
    """Folder of the repository whose package is installed; "" where none is."""
    built_with: tuple[str, ...] = ()
    """Pins of what the repository's package was built with."""
    left_out: dict[str, str] = {}
    """Requirements that were changed or left out, each with the reason."""
    attempts: tuple[Attempt, ...] = ()
    failures: tuple[ImportFailure, ...] = ()
    """Imports that fail in it."""
    adds: bool = False
    """Whether it holds what was generated beside the repository's sources."""
    passing: bool = False
    """Something failed for a reason that may pass, so this is not worth keeping."""


class _Made(msgspec.Struct, frozen=True, kw_only=True):
    """What came of making an environment. It may come from a recording of others: nothing of it is a command or leads out of the repository."""

    environment: Environment
    taken: bool
    system: tuple[str, ...]
    """Debian packages that were installed for it."""

    def checked(self) -> "_Made":
        """Without what is no name of a package, and no folder of the repository."""
        project = "" if leads_out(PurePosixPath(self.environment.project)) else self.environment.project
        environment = msgspec.structs.replace(self.environment, project=project)
        system = tuple(name for name in self.system if DEBIAN.fullmatch(name))
        return msgspec.structs.replace(self, environment=environment, system=system)


class Setup:
    """The environment of one sandbox for one repository. `note` gets one line a step, `on_output` what tools say."""

    def __init__(self, sandbox: Sandbox, source: Source, note: Note, on_output: OnOutput | None = None) -> None:
        self.sandbox, self.source = sandbox, source
        self.environment: Environment | None = None
        self.after_fill: Callable[[], None] = lambda: None
        """Puts what is no part of the repository beside it, whenever the workspace was filled anew."""
        self.taken = False
        """Whether the environment is one of an earlier run in which nothing failed."""
        self.closed = False
        """Whether the sandbox was stopped for good, perhaps while an environment was made in the background."""
        self._note = note
        self.steps = Steps(sandbox, source.root, note, on_output)
        self._began = 0.0
        self.no_room = ""
        """What is to be said where the disk turned out to be full."""
        self.own = frozenset(own_names(source.root))
        self._own_python = sandbox.python_version()

    @property
    def hindered(self) -> str:
        """Why nothing can be installed; "" where it can."""
        return "the network policy is none" if self.sandbox.policy.network == "none" else self.no_room

    def make(self, needs: Needs, asked: Asked = Asked()) -> Environment:
        """The environment in which the needs are met, or come nearest to it; taken from an earlier run where it was made for just this.

        Raises SandboxUnavailableError, SandboxLostError.
        """
        made = recorded(self.sandbox, "environment", partial(self._make, needs, asked), _Made).checked()
        self.environment, self.taken = made.environment, made.taken
        self.steps.system = tuple(dict.fromkeys([*self.steps.system, *made.system]))
        return made.environment

    def _make(self, needs: Needs, asked: Asked) -> _Made:
        self._began = time.monotonic()
        key = self._key(needs, asked)
        found = self._taken(key)
        taken = found is not None and not found.failures
        environment = found or self._made_new(key, needs, asked)
        return _Made(environment=environment, taken=taken, system=self.steps.system)

    def _made_new(self, key: str, needs: Needs, asked: Asked) -> Environment:
        declared = read_declared(self.source.root.resolve(), needs.near)
        self.environment = None  # until it is whole: what follows may fail on the way
        best = self._climb(declared, needs, asked)
        note = msgspec.json.encode(best).decode()
        if not self.hindered:
            kept = key if self.source.version and not best.passing else f"new-{os.getpid()}-{time.time_ns()}"
            self.sandbox.keep_setup(kept, note)
            self.environment = best
            self.fill_anew()
        return best

    def make_afresh(self, needs: Needs) -> Environment:
        """The same once more, not from what was kept: something in it fails."""
        assert self.environment is not None
        asked = self.environment.asked
        recorded(self.sandbox, "forgotten", partial(self.sandbox.forget_setup, self._key(needs, asked)), type(None))
        return self.make(needs, asked)

    def install_system(self, packages: tuple[str, ...], why: str) -> bool:
        """Install Debian packages, where the sandbox can."""
        if self.hindered or set(packages) <= set(self.steps.system):
            return False
        self._note(f"installing Debian packages {' '.join(packages)} ({why})")
        response = self.sandbox.install_system(packages)
        if response.ok:
            self.steps.system = tuple(dict.fromkeys([*self.steps.system, *packages]))
        else:
            self._note(response.why or "system packages cannot be installed")
        return response.ok

    def _taken(self, key: str) -> Environment | None:
        note = self.sandbox.start_with(key) if self.source.version else None
        if note is None:
            return None
        try:
            found = msgspec.json.decode(note, type=Environment)
        except ValueError:
            self.sandbox.forget_setup(key)
            return None
        if found.rung.python != self.sandbox.python_version():
            self._use(found.rung.python)
            self.sandbox.start_with(key)
        self._note(f"reusing a cached environment: {found.rung.said}")
        self.environment = found
        self.fill_anew()
        return found

    def _climb(self, declared: Declared, needs: Needs, asked: Asked) -> Environment:
        """Way after way until the imports work; else the one in which fewest fail."""
        attempts: list[Attempt] = []
        best: Environment | None = None
        made = None
        for rung in self._in_turn(declared, asked, attempts):
            if attempts and time.monotonic() - self._began > CLIMB_SECONDS:
                break
            self._note(f"environment: {rung.said}")
            made = self._attempt(rung, declared, needs, asked)
            if isinstance(made, Refusal) and made.reason == "disk":
                self.no_room = "no room left on the disk: `ml-agent clean --images` removes what earlier runs keep"
                made = msgspec.structs.replace(made, lines=(self.no_room,))
            attempts.append(Attempt(rung=rung, ended=_ending(made), made=isinstance(made, Environment)))
            if isinstance(made, Environment):
                if best is None or len(made.failures) < len(best.failures):
                    best = made
                if not made.failures or self.hindered:
                    break
                if all(self._nobody_gives(one, declared, needs) for one in made.failures):
                    break  # no other way does, either
            self._note(f"left: {attempts[-1].ended}")
            if self.no_room:  # other ways take as much
                break
        if best is None:
            best = self._bare(needs, asked, attempts)
        elif best is not made:  # another was tried after it
            again = self._attempt(best.rung, declared, needs, asked)
            best = again if isinstance(again, Environment) else self._bare(needs, asked, attempts)
        best.attempts = tuple(attempts)
        return best

    def _nobody_gives(self, failure: ImportFailure, declared: Declared, needs: Needs) -> bool:
        """Whether an import fails because its own module is neither the repository's nor Python's, and no distribution is known to give it."""
        top, match = failure.module.partition(".")[0], NO_MODULE.search(failure.said)
        if match is None or match[1] != top or is_standard(top) or declared.provider(top):
            return False
        here = [place / name for place in (self.source.root, needs.near) for name in (top, f"{top}.py")]
        return not known_provider(top) and not any(map(exists, here))

    def _in_turn(self, declared: Declared, asked: Asked, attempts: Sequence[Attempt]) -> Iterator[Rung]:
        """As declared first; then with less, under the Pythons first for which there are packages at all."""
        tried = list(self._ways(declared, asked))
        yield from tried
        refused = [one for one in attempts if not one.made]
        for one in sorted(refused, key=lambda one: _NO_WHEELS.search(one.ended) is not None):
            if one.rung.python not in {other.rung.python for other in attempts if other.made or other.rung.loose}:
                yield loose(one.rung)

    def _ways(self, declared: Declared, asked: Asked) -> Sequence[Rung]:
        current, pythons = self._own_python, self.sandbox.pythons()
        if self.hindered:
            return (Rung(python=current),)
        if asked.python is not None or asked.day:
            return (Rung(python=asked.python or first_python(declared, current, pythons), day=asked.day),)
        return tuple(dict.fromkeys(rungs(declared, self.source.date, current, pythons)))

    def _bare(self, needs: Needs, asked: Asked, attempts: Sequence[Attempt]) -> Environment:
        """An environment without packages, where none could be made."""
        self._start(None)
        reasons = {attempt.rung.said: attempt.ended for attempt in attempts}
        return Environment(
            rung=Rung(python=self._own_python),
            asked=asked,
            left_out=reasons,
            failures=self.failing(needs),
            passing=True,
        )

    def _start(self, python: Version | None) -> None:
        """A new sandbox with the repository in it."""
        if self.closed:
            raise SandboxLostError("the sandbox was stopped")
        self._use(python or self._own_python)
        self.sandbox.start()
        if self.steps.system:
            self.sandbox.install_system(self.steps.system)
        self.sandbox.put(self.source.root, ".")

    def _use(self, python: Version) -> None:
        if python != self.sandbox.python_version():
            self.sandbox.use_python(python)

    def _attempt(self, rung: Rung, declared: Declared, needs: Needs, asked: Asked) -> Environment | Refusal:
        """One way, whole: described, resolved, fetched, built, installed, imported."""
        try:
            self._start(rung.python)
        except SandboxUnavailableError as error:
            return read_refusal(str(error))
        if self.hindered:
            lines, known = undeclared(needs, (), declared)
            left = dict.fromkeys((*declared.lines, *lines, *(name for name, _ in known)), self.hindered)
            return Environment(rung=rung, left_out=left, failures=self.failing(needs), passing=True)
        return _Making(self, rung, declared, needs, asked).made()

    def failing(self, needs: Needs) -> tuple[ImportFailure, ...]:
        """Which imports fail in the present environment."""
        command = Command(text=check_text(needs), folder=needs.folder, timeout=CHECK_SECONDS)
        return read_failures(self.sandbox.run(command)) if needs.modules else ()

    def substitute(self) -> str:
        """The version from the index that stands for the repository's own code, in words; "" where none does."""
        found = self.environment.packages if self.environment is not None and not self.environment.project else ()
        name = next((one for one in found if one.name in self.own), None)
        return f"{name.name} {name.version} of the package index in place of the repository's own code" if name else ""

    def fill_anew(self) -> None:
        """Lay the repository, what was generated for it and the task's own files into the workspace."""
        self.sandbox.put(self.source.root, ".")
        if self.environment is not None and self.environment.adds:
            self.sandbox.run(Command(text=f'tar -xf "$VIRTUAL_ENV/{ADDED}" 2>/dev/null; true', timeout=120))
        self.after_fill()

    def _key(self, needs: Needs, asked: Asked) -> str:
        """The name of an environment: the repository's content, what is needed of it and asked for, and where it is made."""
        policy = self.sandbox.policy
        place = [KEPT_FORMAT, self.sandbox.name, self.sandbox.base, policy.gpus, str(policy.limits.memory_bytes)]
        content = [place, repr(read_pip_settings()), self.source.version, self.source.date, self.steps.system]
        wanted = [
            needs.modules,
            needs.folder,
            os.path.relpath(needs.near, self.source.root.resolve()),
            msgspec.to_builtins(asked),
        ]
        return hashlib.sha256(json.dumps([content, wanted], default=str).encode()).hexdigest()[:24]


class _Making:
    """One way to an environment, in a sandbox that was just started."""

    def __init__(self, setup: Setup, rung: Rung, declared: Declared, needs: Needs, asked: Asked) -> None:
        self._steps, self._source = setup.steps, setup.source
        self._install_system, self._failing = setup.install_system, setup.failing
        self._rung, self._declared, self._needs, self._asked, self._own = rung, declared, needs, asked, setup.own
        python = setup.sandbox.python_version()
        self._builder = Builder(self._steps, python)
        self._resolver = Resolver(self._steps, self._builder, cpu_torch(setup.sandbox, python))
        self._state = Environment(rung=rung, asked=asked)
        self._held: tuple[str, ...] = ()
        """Bounds for what was compiled with an older numpy."""
        self._there: tuple[Package, ...] = ()
        """What the environment already holds."""
        self._added = ""
        """Files, quoted, that the last build generated beside the sources."""

    def made(self) -> Environment | Refusal:
        """The environment, or why there is none."""
        project = Project(folder=self._declared.project, day=self._source.date) if self._declared.project else None
        described = self._described(project) if project is not None else None
        if isinstance(described, BuildFailure):
            self._state.left_out[OWN_PACKAGE] = "\n".join(described.lines[-40:])
            self._steps.note(f"{OWN_PACKAGE} cannot be described: {described.line}")
            project = None
        own = described if isinstance(described, Metadata) else None
        refused = self._once(own, project)
        for _ in range(MOST_TURNS):
            if refused is not None or not self._needs_more(own):
                break
            refused = self._once(own, project)
        return self._state if refused is None else refused

    def _described(self, project: Project) -> Metadata | BuildFailure:
        """What the repository's package says of itself; beside it the environment is made as what can be read of it says."""
        likely = self._wanted(self._lines(None))
        self._steps.beside = at_once_text(likely) if likely.requirements else ""
        self._steps.said_beside = ""
        self._steps.note("installing what the repository declares, and reading what its package needs")
        described = self._builder.describe(OWN_PACKAGE, project)
        self._steps.beside = ""
        with suppress(ValueError):
            self._there = read_lock(self._steps.said_beside)
        if self._there:
            self._resolver.given[likely.meaning] = self._there
        return described

    def _once(self, own: Metadata | None, project: Project | None) -> Refusal | None:
        """Resolve, fetch, build, install and import; why that is not to be had."""
        packages = self._packages(own)
        if isinstance(packages, Refusal):
            return packages
        if (refused := self._installed(packages)) is not None:
            return refused
        self._state.packages = packages
        if project is not None and (refused := self._install_project(project, packages)) is not None:
            return refused
        self._state.failures = self._failing(self._needs)
        return None

    def _needs_more(self, own: Metadata | None) -> bool:
        """Whether there is more to install: for modules that turned out to be missing, or an older numpy for compiled ones."""
        if not self._held and any(_OTHER_NUMPY.search(one.said + one.traceback) for one in self._state.failures):
            self._held = ("numpy<2",)
            return True
        missing = [match[1] for one in self._state.failures if (match := NO_MODULE.search(one.said))]
        new = tuple(dict.fromkeys(name for name in missing if name not in self._needs.third_party))
        self._needs = msgspec.structs.replace(self._needs, third_party=(*self._needs.third_party, *new))
        more, known = undeclared(self._needs, self._state.packages, self._declared, self._itself(own))
        return bool(new) and bool(more or known)

    def _packages(self, own: Metadata | None) -> tuple[Package, ...] | Refusal:
        """The resolution, with what the task imports and only other places of the repository, or the table, declare."""
        lines = self._lines(own)
        found = self._resolved(lines)
        if isinstance(found, Refusal):
            return self._state.packages if self._held else found
        more, known = undeclared(self._needs, found, self._declared, self._itself(own))
        nobody = self._verified(known)
        also = [*more, *nobody]
        while also:
            with_more = self._resolved([*lines, *also], nobody)
            if not isinstance(with_more, Refusal) or self._rung.day or with_more.reason == "disk":
                return with_more  # on another day it may be had
            names = (with_more.name, *with_more.named)
            blamed = next((line for line in also if name_of(line) in names), also[0])
            self._state.left_out[blamed] = with_more.line
            also.remove(blamed)
        return found

    def _itself(self, own: Metadata | None) -> frozenset[str]:
        """The repository's own distribution, which no other version stands for without a word."""
        return self._own | ({own.name} if own else set()) if self._declared.project else frozenset()

    def _lines(self, own: Metadata | None) -> list[str]:
        asked = {name_of(line) for line in self._asked.requirements}
        required = [line for line in own.requires if "extra ==" not in line and "extra==" not in line] if own else []
        if own is None and self._declared.project:
            required = package_requires(self._source.root / self._declared.project)
        lines = [line for line in (*self._declared.lines, *required) if name_of(line) not in asked]
        lines = [self._plain_name(line) for line in lines if own is None or name_of(line) != normalized(own.name)]
        return list(filter(None, dict.fromkeys([*self._asked.requirements, *lines])))

    def _plain_name(self, line: str) -> str:
        """The name alone of a requirement that has an address, which no index has, or that cannot be read."""
        if plain(line):
            return line
        name = name_of(line.partition("egg=")[2] or line)
        self._state.left_out[line] = f"only what the package index has can be installed: {name or 'nothing'} from there"
        return name

    def _resolved(self, lines: Sequence[str], nobody: Sequence[str] = ()) -> tuple[Package, ...] | Refusal:
        """A resolution of these lines; on a loose way with less where they cannot be had. `nobody` declares some of them."""
        asked = list(lines)
        for _ in range(MOST_LOOSENED):
            if not asked:
                return ()
            found = self._resolver.resolve(self._wanted(asked, nobody))
            if not isinstance(found, Refusal):
                return found
            less = self._less(asked, found) if self._rung.loose else None
            if less is None:
                return found
            asked = less
        return found

    def _wanted(self, asked: Sequence[str], nobody: Sequence[str] = ()) -> Wanted:
        pins = self._declared.locked if self._rung.locked else ()
        return Wanted(
            requirements=tuple(asked),
            constraints=tuple(dict.fromkeys((*read_pip_settings().constraints, *pins, *self._held))),
            day=self._rung.day,
            young=() if read_pip_settings().no_index else tuple(nobody),
            settled=self._settled(),
            ready=tuple(sorted(self._own)),  # its sources are those that are here
        )

    def _less(self, asked: Sequence[str], refusal: Refusal) -> list[str] | None:
        """The requirements without what the refusal is about, told one by one; None where it is about none of them."""
        if refusal.reason in ("network", "disk", "time"):
            self._state.passing = True
            return None
        loosenable = [line for line in asked if line not in self._asked.requirements]
        names = dict.fromkeys([refusal.name, *refusal.named])
        meant = [line for name in names for line in loosenable if name_of(line) == name]
        if not meant and refusal.reason in ("unsatisfiable", "not-found", "build"):
            meant = [line for line in loosenable if "==" in line]
        soft = [line for line in meant if loosened(line) is not None]
        changed = dict[str, str | None]()
        for line in ([line for line in soft if "==" in line] or soft or meant)[:1]:
            softer = loosened(line)
            changed[line] = softer if softer != line else None
            self._state.left_out[line] = f"{softer or 'left out'}: {refusal.line}"
        kept = [changed.get(line, line) for line in asked]
        return [line for line in kept if line] if changed else None

    def _verified(self, names: Sequence[tuple[str, str]]) -> list[str]:
        """Of distributions that nobody declares those whose own wheels hold the modules; each with its module."""
        if not names:
            return []
        said = self._steps.install(look_text([name for name, _ in names], self._settled()), 300).stdout.splitlines()
        holds = {line.split()[0]: line.split()[1:] for line in said if line.strip()}
        shortest = dict(sorted(names, reverse=True))  # what is taken from a module need not be one
        for name, module in shortest.items():
            starts = (f"./{module.replace('.', '/')}.", f"./{module.replace('.', '/')}/")
            if name in holds and not any(file.startswith(starts) for file in holds[name]):
                self._state.left_out[name] = f"its wheel does not contain the module {module}"
        return [name for name in shortest if name not in self._state.left_out]

    def _settled(self) -> str:
        """The last day of what is taken although nobody declares it."""
        return min(filter(None, [self._rung.day, (datetime.now(UTC) - YOUNG).date().isoformat()]))

    def _installed(self, packages: tuple[Package, ...]) -> Refusal | None:
        """Fetch and link all that comes as wheels, then build the rest without a network."""
        sources = {package.name for package in packages if not package.wheels or self._resolver.described(package)}
        there, self._there = self._there, ()
        refused = None if packages and packages == there else self._made_of_wheels(packages, sources)
        if refused is not None:
            return refused
        pins = [package.pin for package in packages if package.name in ("numpy", "cython", "torch")]
        wheels = []
        for package in packages:
            if package.name in sources:
                built = self._build(package, pins)
                if isinstance(built, Refusal):
                    return built
                wheels.append(f'"{built.wheel}"')
        done = self._steps.offline(link_text(" ".join(wheels)), 600) if wheels else None
        return None if done is None or done.ok else read_refusal(f"{done.stdout}\n{done.stderr}", done.ended)

    def _made_of_wheels(self, packages: tuple[Package, ...], sources: set[str]) -> Refusal | None:
        """The environment anew with all packages but those of `sources`, to which those are added that have no wheel after all."""
        while True:
            ready = [package for package in packages if package.name not in sources]
            self._steps.note(
                (f"installing {len(packages)} packages" if packages else "no packages to install")
                + (f", {len(sources)} of them from sources" if sources else "")
            )
            done = self._steps.install(install_text(ready, seeds=True))
            if done.ok:
                return None
            disabled = _DISABLED.search(f"{done.stdout}\n{done.stderr}")
            name = normalized(disabled[1] or disabled[2]) if disabled else ""
            if not name or name in sources:
                return read_refusal(f"{done.stdout}\n{done.stderr}", done.ended)
            sources.add(name)

    def _build(self, package: Package, pins: Sequence[str]) -> Built | Refusal:
        assert package.source is not None
        built = self._with_tools(package.pin, package.source, pins)
        if isinstance(built, Built):
            return built
        line = f"{package.pin} cannot be built: {built.line}"
        if (full := read_refusal("\n".join(built.lines))).reason == "disk":
            return full
        return Refusal(reason="build", lines=(line,), name=package.name, version=package.version)

    def _with_tools(self, name: str, source: Sources, pins: Sequence[str]) -> Built | BuildFailure:
        """A build, again with the Debian packages that it turns out to lack, as far as they can be had.

        Some packages call their compiled parts optional: without a compiler they are built without them, and say so.
        """
        while True:
            built = self._builder.wheel(name, source, pins)
            lacking = packages_for("\n".join(built.lines if isinstance(built, BuildFailure) else self._builder.said))
            if not lacking or not self._install_system(lacking, f"for building {name}"):
                return built

    def _install_project(self, project: Project, packages: Sequence[Package]) -> Refusal | None:
        """The repository's own package, as far as it can be had; why not where there is no room for it."""
        pins = [package.pin for package in packages if package.name in ("numpy", "torch")]
        built = self._with_tools(OWN_PACKAGE, project, pins)
        if isinstance(built, BuildFailure):
            empty = absent_submodules(RepoIndex(self._source.root, self._source.version))
            why = (*built.lines[-39:], *([say_absent(empty)] if empty else []))
            self._state.left_out[OWN_PACKAGE] = "\n".join(why)
            self._steps.note(f"{OWN_PACKAGE} cannot be built: {why[-1]}")
            return full if (full := read_refusal("\n".join(why))).reason == "disk" else None
        if self._added:
            self._steps.offline(f"rm -f -- {self._added}", 120)
        refused, added = self._builder.develop(built.wheel, project.folder)
        self._added = " ".join(shlex.quote(f"{self._declared.project}/{path}") for path in added)
        self._state.adds = bool(added)
        if refused is not None:
            self._state.left_out[OWN_PACKAGE] = refused.line
            self._steps.note(f"{OWN_PACKAGE} cannot be installed: {refused.line}")
            return refused if refused.reason == "disk" else None
        self._state.project, self._state.built_with = project.folder, built.used
        if added:
            self._steps.offline(f'tar -cf "$VIRTUAL_ENV/{ADDED}" -- {self._added}', 300)
        return None


def undeclared(
    needs: Needs, packages: Sequence[Package], declared: Declared, own: Collection[str] = ()
) -> tuple[list[str], list[tuple[str, str]]]:
    """What gives the modules that are needed and that no package of a resolution is known to give.

    Returns requirements that the repository writes elsewhere, and distributions that are known to give a module, each with it.
    """
    names = [package.name for package in packages]
    lines, known = list[str](), list[tuple[str, str]]()
    for module in needs.third_party:
        if any(provides(name, module) for name in (*names, *own)):
            continue
        if line := declared.provider(module):
            lines.append(line)
        elif (name := known_provider(module)) and normalized(name) not in names:
            known.append((name, module))
    return list(dict.fromkeys(lines)), list(dict.fromkeys(known))


def cpu_torch(sandbox: Sandbox, python: Version) -> str:
    """The newest build of torch for the processor among the host's wheels, as a requirement; "" where there is none, or a card."""
    if sandbox.policy.gpus != "none":
        return ""
    found = []
    for place in read_pip_settings().find_links:
        folder = Path(place.removeprefix("file://"))
        for wheel in folder.glob(f"torch-*+cpu*-cp{python[0]}{python[1]}-*.whl") if folder.is_dir() else ():
            version = wheel.name.split("-")[1]
            found.append((tuple(int(part) for part in version.partition("+")[0].split(".")), f"torch=={version}"))
    return max(found)[1] if found else ""


def _ending(made: Environment | Refusal) -> str:
    if isinstance(made, Refusal):
        return made.line
    return f"{made.failures[0].said} ({len(made.failures)} imports fail)" if made.failures else "works"
