"""One repository in one sandbox: set up, repaired, run; and the record of what was done."""

import os
import re
from collections.abc import Callable, Sequence
from pathlib import Path

import msgspec

from ml_agent.sandbox.abilities import Version
from ml_agent.sandbox.contract import Command, OnOutput, Response, Sandbox
from ml_agent.sandbox.diagnosis import Diagnosis, RunLocation, diagnose
from ml_agent.sandbox.diagnosis.model import Category, Rule
from ml_agent.sandbox.errors import SandboxUnavailableError
from ml_agent.sandbox.repair import Repair
from ml_agent.sandbox.repair_rules import FailureContext, next_repair
from ml_agent.sandbox.script_lines import LOGIN_PATH, exported
from ml_agent.sandbox.setup.executor import Note, Setup, SetupAction
from ml_agent.sandbox.setup.plan import SetupStep, plan_setup
from ml_agent.sandbox.setup.requirements import distribution_of
from ml_agent.sandbox.task import Source, Task
from ml_agent.sandbox.witness.watch import run_watched

FIRST_TIMEOUT = 1800.0
"""Seconds for a command of the repository that must run before the task, such as a download."""

WHOLE = frozenset({"constrain", "python", "by-date"})
"""Repairs that an environment is made with; what others did in it is done again where it is made anew."""
MAX_DEPTH = 3
"""A command may need another one first, and that one another."""


class SessionRecord(msgspec.Struct, frozen=True, kw_only=True):
    """Everything that stands between a fresh clone and the program's end."""

    source: Source
    task: Task
    python: str = "3.11"
    image: str = ""
    done: tuple[SetupAction, ...] = ()
    locked: tuple[str, ...] = ()
    """What was installed in the end, as `pip freeze` writes it."""
    left_out: tuple[tuple[str, str], ...] = ()
    """Requirements that were changed or left out, each with the reason."""
    inputs: tuple[str, ...] = ()
    """Files of the user's that were put where the task runs: paths relative to that folder, and to `inputs_from`."""
    inputs_from: Path = Path()


class Session:
    """`sandbox` is started by `prepare` and stopped by `close`; `note` gets one line a step."""

    rules: Sequence[tuple[Category, Rule]] = ()
    """Rules of diagnosis that are tried before ours."""

    def __init__(
        self, sandbox: Sandbox, source: Source, on_output: OnOutput | None = None, note: Note | None = None
    ) -> None:
        self.sandbox, self.source = sandbox, source
        self._on_output, self._note = on_output, note or (lambda line: None)
        self._setup = Setup(sandbox, self._note, on_output)
        self._started = False
        self._applied: list[Repair] = []
        self._depth = 0
        self._plan: tuple[Task, tuple[SetupStep, ...]] | None = None

    def prepare(self, task: Task, constraints: Sequence[str] = ()) -> None:
        """Make the environment that the task needs; nothing is done twice.

        Raises SandboxUnavailableError, SandboxLostError. What cannot be installed is left out and recorded: running shows
        whether it was needed.
        """
        if self._plan is None or self._plan[0] != task:
            self._plan = (task, plan_setup(self.source, task, self._setup.host()))
        steps = self._plan[1]
        if self._started:
            self._setup.do(steps)
            return
        self._setup.start(steps, constraints)
        self._started = True
        self._setup.do(steps)
        self._setup.fill(self.source.root)

    def run(self, task: Task, repairs: Sequence[Repair] = ()) -> Response:
        """Apply the repairs that are new, then run the task. Raises SandboxUnavailableError, SandboxLostError."""
        self.settle(task, repairs)
        return run_watched(self.sandbox, self.command(repaired(task, repairs)), self._on_output)

    def lay(self, put: Callable[[], None]) -> None:
        """Do what puts the task's own files into the workspace, now and whenever a repair has it filled anew."""
        self._setup.after_fill = put
        put()

    def settle(self, task: Task, repairs: Sequence[Repair] = ()) -> None:
        """All that comes before the task itself: the environment, then the repairs that are new."""
        self.prepare(task)
        while new := [repair for repair in repairs if repair not in self._applied]:
            self.apply(new[0], task, repairs)
        self._setup.locked()  # asked before a program of others ran

    def apply(self, repair: Repair, task: Task, repairs: Sequence[Repair] = ()) -> bool:
        """Do one repair; whether it could be done."""
        self._applied.append(repair)
        self._note(f"repairing: {repair.why or ' '.join(repair.arguments)}")
        setup, arguments, why = self._setup, repair.arguments, repair.why
        match repair.kind:
            case "python":
                return self._switch_python(repair, task)
            case "install":
                return setup.install(arguments, why)
            case "constrain":
                return setup.constrain(arguments, why)
            case "by-date":
                return self._as_of(repair, task)
            case "system":
                return setup.install_system(arguments, why)
            case "first":
                return all(self._first(text, repaired(task, repairs), why) for text in arguments)
            case _:
                return True

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
        place = RunLocation(
            root=self.source.root.resolve(), folder=scene.task.folder, entry=scene.entry, named=scene.task.named
        )
        return diagnose(response, scene.task.text, place, self.rules)

    def scene(self, task: Task, repairs: Sequence[Repair] = ()) -> FailureContext:
        """Where a failure of this task happened, for `next_repair`."""
        shop = self._setup.shop
        return FailureContext(
            source=self.source,
            task=repaired(task, repairs),
            python=shop.python_version() if shop else (3, 11),
            pythons=shop.pythons() if shop else (),
            left_out=tuple(self._setup.environment.left_out),
            constraints=tuple(self._setup.environment.constraints),
        )

    def record(self, task: Task, repairs: Sequence[Repair] = ()) -> SessionRecord:
        """What was done, with what is installed now. Raises SandboxLostError."""
        final = repaired(task, repairs)
        environment = self._setup.environment
        return SessionRecord(
            source=self.source,
            task=msgspec.structs.replace(final, text=_prelude(self._paths(final), final.folder) + final.text),
            python=".".join(map(str, self._setup.host().python)),
            image=getattr(self.sandbox, "image", None) or "",
            done=tuple(environment.done),
            locked=self._setup.locked(),
            left_out=tuple(environment.left_out.items()),
        )

    def left_out(self) -> dict[str, str]:
        """Requirements that were changed or could not be installed, with the reasons."""
        return dict(self._setup.environment.left_out)

    def as_of(self) -> str:
        """Of which day the libraries are, in words; "" where they are today's."""
        return self._setup.environment.as_of

    def close(self) -> None:
        """Stop the sandbox; repeatable."""
        self.sandbox.stop()
        self._started = False

    def _first(self, text: str, task: Task, why: str) -> bool:
        """A command of the set-up, so it gets the network where the policy gives it to set-ups.

        What it lacks itself is repaired, too; undone when it fails all the same.
        """
        self._depth += 1
        kept = f"~/workspace-before-{self._depth}"
        keep = f"{LOGIN_PATH}; rm -rf {kept} && cp -a . {kept}"
        if not self.sandbox.run(Command(text=keep, timeout=FIRST_TIMEOUT)).ok:
            self._note(f"{text} is not run: what it changes could not be undone")
            self._depth -= 1
            return False
        first = msgspec.structs.replace(task, text=text, entry="", code="", timeout=FIRST_TIMEOUT, probe_seconds=None)
        final = self._run_first(first)
        if final is not None:
            self._setup.environment.done.append(SetupAction(command=_script(final), folder=final.folder, why=why))
        else:
            self.sandbox.run(Command(text=f"find . -mindepth 1 -delete; cp -a {kept}/. .", timeout=FIRST_TIMEOUT))
        self._depth -= 1
        return final is not None

    def _run_first(self, first: Task) -> Command | None:
        """The command as it worked in the end; None where rules do not bring it to its end."""
        repairs: list[Repair] = []
        while True:
            command = msgspec.structs.replace(self.command(repaired(first, repairs)), install=True)
            response = self.sandbox.run(command, self._on_output)
            if response.ok:
                return command
            diagnosis = self.diagnose(response, first, repairs)
            self._note(f"{first.text} failed: {diagnosis.message}")
            repair = next_repair(diagnosis, repairs, self.scene(first, repairs))
            if repair is None or repair.kind in ("python", "by-date") or self._depth > MAX_DEPTH:
                return None
            repairs.append(repair)
            self.apply(repair, first, repairs)

    def _switch_python(self, repair: Repair, task: Task) -> bool:
        """Begin again with another Python; where it does not work, with the one there was."""
        wanted = repair.arguments[1:]
        return self._set_up_anew(repair.arguments[0], wanted, [*self._kept_constraints(wanted), *wanted], task)

    def _as_of(self, repair: Repair, task: Task) -> bool:
        """Begin again with the libraries of one day; what only they bring along is held to it afterwards."""
        day, python = repair.arguments
        setup, kept = self._setup, self._kept_constraints()
        held, there = set(map(distribution_of, kept)), set(map(distribution_of, setup.locked()))
        bounds = [text for text in setup.bounds(day, python) if distribution_of(text) not in held]
        if not bounds:
            self._note(f"the package index does not say what was out on {day}")
            return False
        needed = [text for text in bounds if distribution_of(text) in there]
        if not self._set_up_anew(python, needed, [*kept, *bounds], task):
            return False
        known = held | set(map(distribution_of, bounds))
        if beyond := setup.beyond(setup.bounds(day, python, known)):
            setup.constrain(beyond, repair.why)
        setup.environment.as_of = repair.why
        return True

    def _set_up_anew(self, python: str, needed: Sequence[str], constraints: Sequence[str], task: Task) -> bool:
        """Begin again with a Python and constraints; as before where what is needed cannot be had so."""
        shop = self._setup.shop
        if shop is None:
            return False
        before, kept = shop.python_version(), self._kept_constraints()
        major, minor = python.split(".")
        try:
            self._begin_again((int(major), int(minor)), constraints, task)
            lacking = self._setup.lacking(needed)
            if not lacking:
                return True
            self._note(f"not to be had for Python {python}: {' '.join(lacking)}")
        except SandboxUnavailableError as error:
            self._note(str(error))
        self._begin_again(before, kept, task)
        return False

    def _kept_constraints(self, but: Sequence[str] = ()) -> list[str]:
        """What earlier repairs hold to, but for the distributions of some requirements."""
        wanted = {text for one in self._applied for text in one.arguments if one.kind in ("constrain", "python")}
        names = {distribution_of(text) for text in but}
        held = self._setup.environment.constraints
        return [text for text in held if text in wanted and distribution_of(text) not in names]

    def _begin_again(self, python: Version, constraints: Sequence[str], task: Task) -> None:
        """What was planned and done for one Python is planned and done anew for another."""
        self.close()
        self._plan = None
        self._applied = [repair for repair in self._applied if repair.kind in WHOLE]
        if self._setup.shop is not None:
            self._setup.shop.use_python(python)
        self.prepare(task, constraints)

    def _paths(self, task: Task) -> tuple[str, ...]:
        planned = [path for step in self._setup.environment.planned if step.kind == "path" for path in step.arguments]
        return tuple(dict.fromkeys([*planned, *task.paths]))


def repaired(task: Task, repairs: Sequence[Repair]) -> Task:
    """The task as it is to be run after these repairs."""
    for repair in repairs:
        if repair.kind == "environment":
            pairs = dict(argument.partition("=")[::2] for argument in repair.arguments)
            task = msgspec.structs.replace(task, environment={**task.environment, **pairs})
        elif repair.kind == "command":
            task = msgspec.structs.replace(task, text=repair.arguments[0])
        elif repair.kind == "folder":
            task = msgspec.structs.replace(task, folder=repair.arguments[0], text=repair.arguments[1])
        elif repair.kind == "path":
            task = msgspec.structs.replace(task, paths=(*task.paths, *repair.arguments))
    return task


def _script(command: Command) -> str:
    """The command's text with its environment, as a script has it."""
    return "\n".join([*(exported(name, value) for name, value in command.environment.items()), command.text])


def _prelude(paths: Sequence[str], folder: str) -> str:
    """Puts folders of the repository on Python's path, written relative to where the command runs."""
    if not paths:
        return ""
    places = [os.path.normpath(os.path.relpath(path, folder)) for path in paths]
    literal = [re.sub(r'([\\"$`])', r"\\\1", place) for place in places]
    joined = ":".join("$PWD" if place == "." else f"$PWD/{place}" for place in literal)
    return f'export PYTHONPATH="{joined}${{PYTHONPATH:+:$PYTHONPATH}}"\n'
