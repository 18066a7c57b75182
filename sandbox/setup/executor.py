"""Carries out a set-up in a sandbox and keeps what can serve again."""

import hashlib
import json
import re
import shlex
from collections.abc import Callable, Sequence, Set
from pathlib import Path

import msgspec

from ml_agent.sandbox.abilities import EnvironmentSandbox
from ml_agent.sandbox.contract import Command, OnOutput, Sandbox
from ml_agent.sandbox.pip_settings import read_pip_settings
from ml_agent.sandbox.setup.installer import InstallResult, install
from ml_agent.sandbox.setup.plan import TORCH_FAMILY, Host, SetupStep
from ml_agent.sandbox.setup.requirements import distribution_of, parse

KEPT_FORMAT = 4
"""Goes up where what was kept before may serve no more: under 1 it could hold a repository's files, under 2 and 3 it could be empty."""
RELEASE_DATES = Path(__file__).with_name("release_dates.py")
PASSING = frozenset({"network", "disk", "timeout", "interrupted"})
"""Reasons of a failed installation that another day may not have."""
LEFT_OUT_BY_FREEZE = ("setuptools", "wheel")
"""By `pip freeze` before Python 3.12, where every environment has them."""

_VERSION = re.compile(r"[\w.!+-]+", re.ASCII)
_BOUND = re.compile(r"[\w.-]+<=[\w.!+-]+", re.ASCII)

Note = Callable[[str], None]


class SetupAction(msgspec.Struct, frozen=True, kw_only=True):
    """One thing that was done to the environment, so that it can be done again elsewhere."""

    command: str
    folder: str = "."
    why: str = ""
    system: tuple[str, ...] = ()
    """Debian packages, where it was those that were installed."""


class Environment(msgspec.Struct, kw_only=True):
    """What an environment is made of."""

    planned: list[SetupStep] = []
    done: list[SetupAction] = []
    constraints: list[str] = []
    """Requirements that every later installation must keep to."""
    left_out: dict[str, str] = {}
    """Requirements that were changed or left out, each with the reason."""
    as_of: str = ""
    """Of which day its libraries are, in words, where that is not today."""
    passing: bool = False
    """Something failed for a reason that may pass, so this is not worth keeping."""


class Setup:
    """The environment of one sandbox. `note` gets one line a step, `on_output` what pip says."""

    def __init__(self, sandbox: Sandbox, note: Note, on_output: OnOutput | None = None) -> None:
        self.sandbox = sandbox
        self.environment = Environment()
        self._given: tuple[str, ...] = ()
        self._filled_from: Path | None = None
        self._locked: tuple[int, tuple[str, ...]] = (0, ())
        """How much had been done when it was asked what is installed, and the answer."""
        self._note, self._on_output = note, on_output
        self.after_fill: Callable[[], None] = lambda: None
        """Puts what is no part of the repository beside it, whenever the workspace was filled anew."""

    @property
    def shop(self) -> EnvironmentSandbox | None:
        """The sandbox, where it can do more than the contract says."""
        return self.sandbox if isinstance(self.sandbox, EnvironmentSandbox) else None

    @property
    def may_install(self) -> bool:
        """Whether the policy gives the network to set-ups."""
        return self.shop is None or self.shop.policy.network != "none"

    def host(self) -> Host:
        """What the sandbox and this machine offer."""
        return Host(
            python=self.shop.python_version() if self.shop else (3, 11),
            gpus=self.shop is not None and self.shop.policy.gpus != "none",
            find_links=read_pip_settings().find_links if self.may_install else (),
        )

    def start(self, steps: Sequence[SetupStep], constraints: Sequence[str] = ()) -> None:
        """Start from the kept environment that has most of the first steps, else from nothing; `constraints` hold throughout.

        Only package indexes have been at work in what is kept, never a repository's code, so any repository may use it.
        """
        self._given, self._filled_from, self._locked = tuple(constraints), None, (0, ())
        self.environment = Environment(constraints=list(constraints))
        installs = [step for step in steps if step.kind == "install"]
        for size in range(len(installs), 0, -1):
            note = self.shop.start_with(self._key(installs[:size])) if self.shop and self.may_install else None
            if note is not None:
                self.environment = msgspec.json.decode(note, type=Environment)
                self._note(f"taking the environment of an earlier run: {_names(installs[:size])}")
                return
        self.sandbox.start()

    def fill(self, root: Path) -> None:
        """Copy a repository into the workspace; from now on nothing of this sandbox is kept for another."""
        self._filled_from = root
        self.sandbox.put(root, ".")
        self.after_fill()

    def do(self, steps: Sequence[SetupStep]) -> None:
        """Do the steps that were not done; for later runs, too, until a repository came in. Raises SandboxLostError."""
        for step in steps:
            if any(_same(step, other) for other in self.environment.planned):
                continue
            self.environment.planned.append(step)
            if step.kind == "install":
                self._note(f"installing {_names([step])} ({step.why})")
                self.install(step.arguments, step.why, pins=step.pins)
                self._keep()

    def install(self, requirements: Sequence[str], why: str, strict: bool = False, pins: Sequence[str] = ()) -> bool:
        """Install what can be installed; whether anything could. What cannot be had is left out and recorded."""
        state = self.environment
        if not self.may_install:
            state.left_out.update(dict.fromkeys(requirements, "the network policy is none"))
            return False
        result = install(self.sandbox, requirements, state.constraints, self._on_output, strict, pins)
        state.left_out.update(result.dropped)
        if not result.command:
            self._note_failure(requirements, result)
            return False
        state.done.append(SetupAction(command=result.command, why=why))
        self._keep_torch(result)
        return True

    def constrain(self, requirements: Sequence[str], why: str) -> bool:
        """Install exactly these, and hold to them from now on; what else was asked for goes along where it can be had with them."""
        before = list(self.environment.constraints)
        names = {distribution_of(text) for text in requirements}
        self.environment.constraints = [kept for kept in before if distribution_of(kept) not in names]
        if not self._with_the_others(requirements, why) and not self.install(requirements, why, strict=True):
            self.environment.constraints = before
            return False
        for text in requirements:
            self._hold(text)
        return True

    def _with_the_others(self, requirements: Sequence[str], why: str) -> bool:
        """Install requirements, and of all else that is there versions that go with them; whether there are such."""
        names = {distribution_of(text) for text in requirements}
        pinned = (parse(line) for line in self.locked() if "==" in line)
        others = [one[0] for one in pinned if one is not None and one[0] not in names]
        if not others or not self.may_install:
            return False
        asked = [*requirements, *others]
        result = install(self.sandbox, asked, self.environment.constraints, self._on_output, strict=True)
        if result.command:
            self.environment.done.append(SetupAction(command=result.command, why=why))
        elif result.changed:
            self._roll_back()
        return bool(result.command)

    def bounds(self, day: str, python: str, but: Set[str] = frozenset()) -> tuple[str, ...]:
        """Up to which version what is there or planned may go to be as on a day, for a version of Python; `but` some distributions.

        Nothing of what the index tells no upload times; nothing of torch where a build for this machine is held.
        """
        planned = (
            distribution_of(text)
            for step in self.environment.planned
            if step.kind == "install"
            for text in step.arguments
        )
        held = any("+" in text for text in self.environment.constraints)
        fixed = {*TORCH_FAMILY, "torch"} if held else set()
        names = sorted({*planned, *map(distribution_of, self.locked())} - fixed - but)
        script = shlex.quote(RELEASE_DATES.read_text(encoding="utf-8"))
        text = f"python -I -c {script} {shlex.join([day, python, *names])}"
        lines = (
            self.sandbox.run(Command(text=text, timeout=180, install=True)).stdout.split()
            if names and self.may_install
            else ()
        )
        return tuple(line for line in lines if _BOUND.fullmatch(line))

    def beyond(self, bounds: Sequence[str]) -> tuple[str, ...]:
        """Those of the bounds that what is installed does not keep to."""
        versions = {distribution_of(line): line.partition("==")[2] for line in self.locked() if "==" in line}
        return tuple(text for text in bounds if not _allows(text, versions.get(distribution_of(text))))

    def install_system(self, packages: tuple[str, ...], why: str) -> bool:
        """Install Debian packages, where the sandbox can."""
        if self.shop is None or not self.may_install:
            return False
        response = self.shop.install_system(packages)
        if response.ok:
            self.environment.done.append(SetupAction(command="", system=packages, why=why))
        else:
            self._note(response.why or "system packages cannot be installed")
        return response.ok

    def lacking(self, requirements: Sequence[str]) -> tuple[str, ...]:
        """Those of the requirements whose distributions are asked for by the plan, and are not there all the same."""
        planned = {distribution_of(text) for step in self.environment.planned for text in step.arguments}
        there = {distribution_of(line) for line in self.locked()}
        return tuple(text for text in requirements if distribution_of(text) in planned - there)

    def locked(self) -> tuple[str, ...]:
        """What is installed, as `pip freeze` writes it; nothing where nothing was. It is asked once after each thing that was done.

        A program that runs later may change what `pip` says: nobody asks it then.
        """
        count = len(self.environment.done)
        if count != self._locked[0]:
            self._locked = (count, self._frozen())
        return self._locked[1]

    def _frozen(self) -> tuple[str, ...]:
        """`pip freeze` leaves out setuptools and wheel where an environment begins with them: told where the set-up asked for one."""
        asked = " ".join(done.command for done in self.environment.done)
        if "pip install" not in asked:
            return ()
        tools = tuple(f"{name}==" for name in LEFT_OUT_BY_FREEZE if name in asked)
        pinned = [line for line in self._freeze("--all") if line.startswith(tools)] if tools else []
        return tuple(dict.fromkeys([*self._freeze(), *pinned]))

    def _freeze(self, option: str = "") -> list[str]:
        lines = self.sandbox.run(Command(text=f"python -I -m pip freeze {option}", timeout=60)).stdout.splitlines()
        return [line for line in lines if "==" in line or " @ " in line]

    def _note_failure(self, requirements: Sequence[str], result: InstallResult) -> None:
        kind, reason = "nothing", "nothing was left to install"
        if result.failure is not None:
            kind, reason = result.failure.kind, result.failure.line
        self._note(f"not installed: {reason}")
        self.environment.passing = self.environment.passing or kind in PASSING
        for text in requirements:
            self.environment.left_out.setdefault(text, reason)
        if result.changed:
            self._roll_back()

    def _roll_back(self) -> None:
        """A failed installation left something behind: begin anew and do again what had worked."""
        self.sandbox.stop()
        self.sandbox.start()
        if self._filled_from is not None:
            self.fill(self._filled_from)
        for done in self.environment.done:
            if done.system and self.shop is not None:
                self.shop.install_system(done.system)
            elif done.command:
                self.sandbox.run(Command(text=done.command, folder=done.folder, timeout=1800, install=True))

    def _keep_torch(self, result: InstallResult) -> None:
        """What follows must not replace the build of torch that was found."""
        if any(distribution_of(text) == "torch" for text in result.requirements):
            ask = "python -I -c 'import importlib.metadata as m; print(m.version(\"torch\"))'"
            response = self.sandbox.run(Command(text=ask, timeout=60))
            if response.ok and _VERSION.fullmatch(response.stdout.strip()):
                self._hold(f"torch=={response.stdout.strip()}")

    def _hold(self, text: str) -> None:
        kept = [other for other in self.environment.constraints if distribution_of(other) != distribution_of(text)]
        self.environment.constraints = [*kept, text]

    def _keep(self) -> None:
        state = self.environment
        if self.shop is not None and self._filled_from is None and state.done and not state.passing:
            steps = [step for step in state.planned if step.kind == "install"]
            self.shop.keep_setup(self._key(steps), msgspec.json.encode(state).decode())

    def _key(self, steps: Sequence[SetupStep]) -> str:
        """The name of an environment: the sandbox's kind, Python, base and index, and what was asked for."""
        shop = self.shop
        place = [
            KEPT_FORMAT,
            self.sandbox.name,
            shop.base if shop else "",
            list(shop.python_version()) if shop else [],
            shop.policy.gpus if shop else "",
            repr(read_pip_settings()),
            self._given,
        ]
        content = json.dumps([place, [[step.arguments, step.pins] for step in steps]])
        return hashlib.sha256(content.encode()).hexdigest()[:24]


def _same(one: SetupStep, other: SetupStep) -> bool:
    """Whether two steps do the same, wherever each was read."""
    return (one.kind, one.arguments, one.pins) == (other.kind, other.arguments, other.pins)


def _allows(bound: str, version: str | None) -> bool:
    from packaging.requirements import Requirement  # needed for one repair

    return version is None or Requirement(bound).specifier.contains(version, prereleases=True)


def _names(steps: Sequence[SetupStep]) -> str:
    return " ".join(text for step in steps for text in step.arguments)
