"""One repository in one sandbox: set up, repaired, run; and the record of what was done.

What the graph and the model use of this room. `prepare` makes the environment (`setup.executor`), `run` applies repairs and runs a task in a clean
workspace, `install` is what a model asks for, `diagnose` and `scene` are for what failed, `record` is what reproduce.sh is written from.
"""

import os
import re
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path

import msgspec

from ml_agent.sandbox.contract import Command, OnOutput, Response, Sandbox
from ml_agent.sandbox.diagnosis import Diagnosis, RunLocation, diagnose
from ml_agent.sandbox.diagnosis.model import Category, Rule
from ml_agent.sandbox.output import ErrorLines
from ml_agent.sandbox.repair import Repair
from ml_agent.sandbox.repair_rules import FailureContext
from ml_agent.sandbox.script_lines import folders_made
from ml_agent.sandbox.setup.builder import Note
from ml_agent.sandbox.setup.check import Needs, needs_of
from ml_agent.sandbox.setup.executor import DEBIAN, Asked, Attempt, Environment, Setup
from ml_agent.sandbox.setup.executor import OWN_PACKAGE as OWN
from ml_agent.sandbox.setup.uv import Package
from ml_agent.sandbox.steps import KeptSteps
from ml_agent.sandbox.task import Source, Task

MOST_SHOWN = 40
"""Lines of a failed set-up that are told."""
MOST_PACKAGES = 25
"""That a summary names."""
MOST_WRITTEN = 20_000
"""Bytes that are read of the end of a file into which errors went."""
OWN_PACKAGE = "-e ."
_ERRORS_INTO = re.compile(
    r"(?:&>>?|(?<!\d)>&(?!\d)|2>>?(?!&))[ \t]*['\"]?(?P<first>[\w./-]+)|(?<!\d)>>?[ \t]*['\"]?(?P<then>[\w./-]+)['\"]?[ \t]+2>&1"
)


class SessionRecord(msgspec.Struct, frozen=True, kw_only=True):
    """Everything that stands between a fresh clone and the program's end."""

    source: Source
    task: Task
    python: str = "3.11"
    image: str = ""
    system: tuple[str, ...] = ()
    """Debian packages that were installed."""
    packages: tuple[Package, ...] = ()
    """What is installed from the index."""
    project: str = ""
    """Folder of the repository, relative to its root, whose package is installed; "" where none is."""
    built_with: tuple[str, ...] = ()
    """Pins of what that was built with."""
    attempts: tuple[Attempt, ...] = ()
    """The ways to an environment that were tried."""
    left_out: tuple[tuple[str, str], ...] = ()
    """Requirements that were changed or left out, each with the reason."""
    inputs: tuple[str, ...] = ()
    """Files of the user's that were put where the task runs: paths relative to that folder, and to `inputs_from`."""
    inputs_from: Path = Path()

    @property
    def locked(self) -> tuple[str, ...]:
        """Pins of all that is installed from the index."""
        return tuple(package.pin for package in self.packages)


class Installed(msgspec.Struct, frozen=True, kw_only=True):
    """What came of asking for packages."""

    ok: bool
    failed: tuple[str, ...] = ()
    """Lines about what of it failed although the rest was done."""
    said: tuple[str, ...]
    """Lines for a person or a model: how the environment is now, and the last meaningful ones of what failed."""
    repairs: tuple[Repair, ...] = ()
    """What has to be done again for it elsewhere."""


class Session:
    """`sandbox` is started by `prepare` and stopped by `close`; `note` gets one line a step."""

    rules: Sequence[tuple[Category, Rule]] = ()
    """Rules of diagnosis that are tried before ours."""
    laid: object = None
    """What tells the task's own files that are laid from others."""

    def __init__(
        self, sandbox: Sandbox, source: Source, on_output: OnOutput | None = None, note: Note | None = None
    ) -> None:
        self.sandbox, self.source = sandbox, source
        self._on_output, self._note = on_output, note or (lambda line: None)
        self._setup = Setup(sandbox, source, self._note, on_output)
        self._applied: list[Repair] = []
        self._is_soiled = False
        """Whether something ran that is none of the recorded steps."""
        self._is_laid = False
        """Whether a task's own files were put there."""
        self._failed: Environment | None = None
        self._met: dict[Needs, None] = {}
        """Needs that the present environment was made or checked for."""
        self._read: dict[tuple[str, ...], Needs] = {}
        self.steps = KeptSteps()
        self._latest = Task(text="")
        """For which the present environment was made or checked last."""

    def prepare(self, task: Task | None = None) -> None:
        """Make the environment that a task needs, or without one what the repository declares; nothing is done twice.

        Raises SandboxUnavailableError, SandboxLostError. What cannot be installed is recorded: running shows whether it was needed.
        """
        if task is None and self._setup.environment is not None:
            return
        self._latest = task or self._latest
        needs = self._needs(self._latest)
        if needs in self._met:
            return
        if self._setup.environment is None:
            self._make(needs, Asked())
        else:
            self.begin_clean()
            self._is_soiled = True  # modules of the repository are imported, to see whether they can be
            known = {(one.error, one.message) for one in self._setup.environment.failures}
            if any((one.error, one.message) not in known for one in self._setup.failing(needs)):
                self._make(needs, self._setup.environment.asked)
        self._met[needs] = None

    def begin_clean(self) -> None:
        """Make workspace, home and environment what the recorded steps make of the checkout, where anything else ran since."""
        if self._is_soiled and self._setup.environment is not None:
            self.sandbox.begin_clean()
            self._setup.fill_anew()
        self._is_soiled = False

    def run(self, task: Task, repairs: Sequence[Repair] = ()) -> Response:
        """Apply the repairs that are new, then run the task. Raises SandboxUnavailableError, SandboxLostError."""
        self.prepare(task)
        self.begin_clean()
        self.settle(task, repairs)
        final = repaired(task, repairs)
        command, state = self.command(final), self._state(final)
        kept = self.steps.find(command, state)
        if kept is not None:
            self._note(kept.said)
            if not self.steps.restore(self.sandbox, kept):
                kept, self._is_soiled = None, True
                self.begin_clean()
                self.settle(task, repairs)
        self._is_soiled = True
        response = self.steps.run(self.sandbox, command, self._on_output, state, kept)
        return response if response.ok else self._with_written_errors(response, final)

    def _state(self, task: Task) -> object:
        """What a command begins with, beside its text: only in the same state the files of an earlier one are kept."""
        made = msgspec.json.encode(self._setup.environment), self._setup.steps.system
        return made, self.laid, task.folder, task.folders, sorted(task.environment.items())

    def _with_written_errors(self, response: Response, task: Task) -> Response:
        """With the end of what went into files together with the error output, where a program said why only there."""
        if any(line.lstrip().startswith("Traceback") for line in response.error_lines):
            return response
        lines, said = ErrorLines(), ""
        for written in _ERRORS_INTO.finditer(task.text):
            path = os.path.normpath(f"{task.folder}/{written['first'] or written['then']}")
            with suppress(OSError, ValueError):
                said += self.sandbox.get(path)[-MOST_WRITTEN:].decode(errors="replace")
        for line in said.splitlines():
            lines.feed(line)
        found = (*response.error_lines, *lines.lines())
        return msgspec.structs.replace(response, stderr=response.stderr + said, error_lines=found) if said else response

    def probe(self, task: Task) -> Response:
        """Run something that is no answer, where a run would begin. Raises SandboxUnavailableError, SandboxLostError."""
        self.prepare(task)
        self.begin_clean()
        self._is_soiled = True
        return self.sandbox.run(self.command(task), self._on_output)

    def lay(self, put: Callable[[], None]) -> None:
        """Begin clean, and do what puts the task's own files into the workspace, now and whenever it is filled anew."""
        self._setup.after_fill = put
        if self._is_soiled or self._is_laid:
            self._is_soiled = True
            self.begin_clean()
        else:
            put()
        self._is_laid = True

    def settle(self, task: Task, repairs: Sequence[Repair] = ()) -> None:
        """All that comes before the task itself: the environment, then the repairs that are new."""
        self.prepare(task)
        while new := [repair for repair in repairs if repair not in self._applied]:
            self.apply(new[0], task, repairs)
        final = repaired(task, repairs)
        if final.folders:
            self.sandbox.run(Command(text=folders_made(final.folders), folder=final.folder, timeout=60))

    def apply(self, repair: Repair, task: Task, repairs: Sequence[Repair] = ()) -> bool:
        """Do one repair; whether it could be done, and what it is to bring is there. Else it is said that it failed."""
        self._applied.append(repair)
        self._note(f"repairing: {repair.why or ' '.join(repair.arguments)}")
        failed = self._failed_repair(repair, task, repairs)
        if failed:
            self._note(f"not repaired: {failed}")
        return not failed

    def _failed_repair(self, repair: Repair, task: Task, repairs: Sequence[Repair]) -> str:
        """Do it; why it failed, "" where it did not."""
        arguments = repair.arguments
        match repair.kind:
            case "afresh":
                self._setup.make_afresh(self._needs(task))
                return ""
            case "install":
                asked = self._asked.more([one for one in arguments if one != OWN_PACKAGE])
                return self._remake(task, asked, repair.module)
            case "system":
                if not self._setup.install_system(arguments, repair.why):
                    return self._setup.hindered or f"{' '.join(arguments)} cannot be installed here"
                environment = self._setup.environment
                if environment is not None and environment.failures:  # what came may be what an import lacked
                    self._make(self._needs(task), environment.asked)
                return ""
            case _:
                return ""

    def install(self, words: Sequence[str], why: str, system: Sequence[str] = ()) -> Installed:
        """What is asked for, in one resolution with all that the repository declares.

        Args:
            words: Requirements by name; `--python 3.8`; `-e .` for the repository's own package, which is always tried.
            why: One line for the record.
            system: Debian packages.

        Raises SandboxUnavailableError, SandboxLostError. Where it cannot be had, the environment stays as it was.
        """
        words = [" ".join(word.split()) for word in words]
        if refused := [one for one in words if "://" in one or one.startswith((".", "/"))]:
            return Installed(ok=False, said=(f"only the package index can be reached, no other address: {refused[0]}",))
        if refused := [one for one in words if not _WORD.fullmatch(one)]:
            return Installed(ok=False, said=(f"not a requirement with a package name: {refused[0]}",))
        if refused := [one for one in system if not DEBIAN.fullmatch(one)]:
            return Installed(ok=False, said=(f"not the name of a Debian package: {refused[0]}",))
        wanted = [
            *([Repair(kind="system", arguments=tuple(system), why=why)] if system else []),
            *([Repair(kind="install", arguments=tuple(words), why=why)] if words else []),
        ]
        self.prepare()
        for repair in wanted:
            known = (
                repair.kind == "install"
                and self._asked.more([one for one in words if one != OWN_PACKAGE]) == self._asked
            )
            if not known and not self.apply(repair, self._latest):
                return Installed(ok=False, said=(*self.trouble(), *self.summary()))
        unbuilt = self.left_out().get(OWN, "") if OWN_PACKAGE in words else ""
        if unbuilt and words == [OWN_PACKAGE] and not system:
            return Installed(ok=False, said=(*self.trouble(), *self.summary()))
        failed = (f"{OWN} is not installed: {unbuilt.splitlines()[-1]}",) if unbuilt else ()
        return Installed(ok=True, failed=failed, said=(*self.summary(), *self.trouble()), repairs=tuple(wanted))

    def summary(self) -> tuple[str, ...]:
        """At most three lines about the environment: Python and how it came about, what is installed, what failed."""
        environment = self._setup.environment
        if environment is None:
            return ("there is no environment yet",)
        packages = [one.pin for one in environment.packages]
        own = "the repository's own package, " if environment.project else ""
        if substitute := self._setup.substitute():
            own = f"{substitute}, "
        shown = ", ".join(packages[:MOST_PACKAGES]) + (
            f" and {len(packages) - MOST_PACKAGES} more" * (len(packages) > MOST_PACKAGES)
        )
        failed = [one.said for one in environment.failures[:3]]
        failed += [f"{name}: {why.splitlines()[-1][:150]}" for name, why in list(environment.left_out.items())[:3]]
        lines = (
            environment.rung.said,
            f"installed: {own}{shown or ('no other packages' if own else 'no packages')}",
            "; ".join(failed) and f"not: {'; '.join(failed)}",
        )
        return tuple(filter(None, lines))

    def trouble(self) -> tuple[str, ...]:
        """The last meaningful lines of what failed while the environment was made; none where nothing did."""
        environment = self._failed or self._setup.environment
        if environment is None:
            return ()
        lines = [f"{one.rung.said}: {one.ended}" for one in environment.attempts if one.ended != "works"]
        for name, why in environment.left_out.items():
            lines += why.splitlines() if "\n" in why else [f"{name}: {why}"]
        for failure in environment.failures[:1]:
            lines += failure.traceback.splitlines()
        return tuple(lines[-MOST_SHOWN:])

    def command(self, task: Task) -> Command:
        """What the sandbox is asked to run for a task."""
        return Command(
            text=_prelude(self._paths(task), task.folder) + task.text,
            folder=task.folder,
            timeout=task.timeout,
            environment=dict(task.environment),
            probe_seconds=task.probe_seconds,
        )

    def diagnose(self, response: Response, task: Task, repairs: Sequence[Repair] = ()) -> Diagnosis:
        """Why the task did not end well, with what the repository's files add to its output."""
        scene = self.scene(task, repairs)
        place = RunLocation(root=self.source.root.resolve(), folder=scene.task.folder, entry=scene.entry)
        return diagnose(response, scene.task.text, place, self.rules)

    def scene(self, task: Task, repairs: Sequence[Repair] = ()) -> FailureContext:
        """Where a failure of this task happened, for `next_repair`."""
        environment = self._setup.environment
        return FailureContext(
            source=self.source,
            task=repaired(task, repairs),
            python=self.sandbox.python_version(),
            pythons=self.sandbox.pythons(),
            left_out=tuple(environment.left_out) if environment else (),
            installed=tuple(package.name for package in environment.packages) if environment else (),
            taken=self._setup.taken,
            day=environment.rung.day if environment else "",
        )

    def record(self, task: Task, repairs: Sequence[Repair] = ()) -> SessionRecord:
        """What was done, with what is installed now."""
        final = repaired(task, repairs)
        environment = self._setup.environment
        record = SessionRecord(
            source=self.source,
            task=msgspec.structs.replace(final, text=_prelude(self._paths(final), final.folder) + final.text),
            python=".".join(map(str, self.sandbox.python_version())),
            image=getattr(self.sandbox, "image", None) or "",
            system=self._setup.steps.system,
        )
        if environment is None:
            return record
        return msgspec.structs.replace(
            record,
            packages=environment.packages,
            project=environment.project,
            built_with=environment.built_with,
            attempts=environment.attempts,
            left_out=tuple(environment.left_out.items()),
        )

    def left_out(self) -> dict[str, str]:
        """Requirements that were changed or could not be installed, with the reasons."""
        return dict(self._setup.environment.left_out) if self._setup.environment is not None else {}

    def made_as(self) -> str:
        """How the environment was made, its Python, and what was asked for beyond what the repository declares; in words."""
        environment = self._setup.environment
        if environment is None:
            return ""
        asked = ", ".join(environment.asked.requirements)
        more = ", ".join(filter(None, [self._setup.substitute(), asked]))
        return environment.rung.said + (f", with {more}" if more else "")

    def close(self) -> None:
        """Stop the sandbox; repeatable."""
        self._setup.closed = True
        self.sandbox.stop()
        self._setup.environment = None
        self._met.clear()

    def _make(self, needs: Needs, asked: Asked) -> Environment:
        """An environment; what was imported to see whether it works left its traces where nothing was kept."""
        made = self._setup.make(needs, asked)
        self._is_soiled = bool(self._setup.hindered)
        return made

    @property
    def _asked(self) -> Asked:
        """What the present environment was asked for."""
        return self._setup.environment.asked if self._setup.environment is not None else Asked()

    def _remake(self, task: Task, asked: Asked, module: str) -> str:
        """The environment with something more asked for; as it was where that cannot be had or does not give what is needed.

        Returns why it is as it was.
        """
        before = self._setup.environment
        assert before is not None
        if self._setup.no_room:
            return self._setup.no_room
        if asked == before.asked:
            return "that is installed already"
        if asked.python is None and not asked.day:  # as far as the way that led here is the right one
            asked = msgspec.structs.replace(asked, python=before.rung.python, day=before.rung.day)
        own, needs = self._needs(task), self._needs(task, module)
        made = self._make(needs, asked)
        self._met = dict.fromkeys((own, needs))
        self._failed = None
        lacking = [one for one in made.failures if one.module == module and one.error == "ModuleNotFoundError"]
        others = [one for one in made.failures if one.module != module]
        if not made.passing and not lacking and len(others) <= len(before.failures):
            return ""
        self._failed = made
        self._make(own, before.asked)
        seen = [one.said for one in (*lacking, *others)]
        return next(iter([*filter(None, [self._setup.hindered]), *seen, *(one.ended for one in made.attempts[-1:])]))

    def _needs(self, task: Task, module: str = "") -> Needs:
        """What a task imports, and a module that it turned out to need."""
        key = (task.text, task.folder, task.entry, task.code)
        if key not in self._read:
            self._read[key] = needs_of(self.source, task)
        needs = self._read[key]
        return msgspec.structs.replace(needs, modules=(*needs.modules, (module, ()))) if module else needs

    def _paths(self, task: Task) -> tuple[str, ...]:
        return tuple(dict.fromkeys([*self._needs(task).paths, *task.paths]))


_WORD = re.compile(
    r"-e \.|--python 3\.\d{1,2}|[A-Za-z0-9][\w.-]*(?: ?\[[\w,. -]*\])?(?: ?[<>=!~]=?=? ?[\w.*+!-]+(?: ?, ?[<>=!~]=?=? ?[\w.*+!-]+)*)?(?: ?;[\w\s.<>=!~'\"()-]+)?",
    re.ASCII,
)


def repaired(task: Task, repairs: Sequence[Repair]) -> Task:
    """The task as it is to be run after these repairs."""
    for repair in repairs:
        if repair.kind == "environment":
            pairs = dict(argument.partition("=")[::2] for argument in repair.arguments)
            task = msgspec.structs.replace(task, environment={**task.environment, **pairs})
        elif repair.kind == "path":
            task = msgspec.structs.replace(task, paths=(*task.paths, *repair.arguments))
        elif repair.kind == "made":
            task = msgspec.structs.replace(task, folders=(*task.folders, *repair.arguments))
    return task


def _prelude(paths: Sequence[str], folder: str) -> str:
    """Puts folders of the repository on Python's path, written relative to where the command runs."""
    if not paths:
        return ""
    places = [os.path.normpath(os.path.relpath(path, folder)) for path in paths]
    literal = [re.sub(r'([\\"$`])', r"\\\1", place) for place in places]
    joined = ":".join("$PWD" if place == "." else f"$PWD/{place}" for place in literal)
    return f'export PYTHONPATH="{joined}${{PYTHONPATH:+:$PYTHONPATH}}"\n'
