"""One of everything that ML-Agent can be extended with; docs/extending.md tells it piece by piece."""

import re
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

import msgspec

from ml_agent.benchmarks.data import Task
from ml_agent.benchmarks.subjects.agents import LeastAgent
from ml_agent.draft import Draft
from ml_agent.navigator import Workspace
from ml_agent.offline.navigator import OfflineNavigator
from ml_agent.request import Request
from ml_agent.sandbox.choose import choose
from ml_agent.sandbox.contract import Policy, Sandbox
from ml_agent.sandbox.diagnosis.model import Category, Rule
from ml_agent.settings import Settings
from ml_agent.tools.signatures.interpreter import Factory, Interpreter
from ml_agent.tools.signatures.model import Option, OptionType, Signature
from ml_agent.tools.signatures.values import UNKNOWN, Arguments, Native, Value

_TYPES: dict[type, OptionType] = {int: "int", float: "float", bool: "bool"}


# A framework: tinyargs.read(lr=0.1, epochs=10) reads --lr and --epochs.
class TinyArgs(Native):
    """What `tinyargs.read` was called with."""

    def __init__(self, run: Interpreter, arguments: Arguments) -> None:
        self.run, self.arguments = run, arguments
        self.path, self.line = arguments.path, arguments.line
        run.made.append(self)

    def signatures(self) -> list[Signature]:
        """One option a keyword; its default says its type."""
        options = tuple(
            Option(
                dest=name, flags=(f"--{name}",), type=_TYPES.get(type(value), "str"), default=str(value),
                path=self.path, line=self.line,
            )
            for name, value in self.arguments.named.items()
        )  # fmt: skip
        return [Signature(path=self.run.script, framework="tinyargs", options=options, line=self.line)]


def _read(run: Interpreter, name: str, arguments: Arguments) -> Value:
    run.note_parsed(TinyArgs(run, arguments), strict=True)
    return UNKNOWN


FACTORIES: dict[str, Factory] = {"tinyargs.read": _read}


# A navigator: --navigator first. Ours, but it never tries a second answer.
class FirstNavigator(OfflineNavigator):
    """The first draft of the navigator without a model alone."""

    name = "first"

    def drafts(self, request: Request, workspace: Workspace) -> Iterator[Draft]:
        """At most one."""
        return islice(super().drafts(request, workspace), 1)


def first_navigator(settings: Settings, offline: OfflineNavigator) -> FirstNavigator:
    """Made at the start of each run."""
    return FirstNavigator()


# A sandbox: --sandbox small. Whatever isolates here, with half a gigabyte of memory.
def small_sandbox(policy: Policy, logs: Path) -> Sandbox:
    """Not yet started."""
    limits = msgspec.structs.replace(policy.limits, memory_bytes=512 * 1024**2)
    return choose("auto", msgspec.structs.replace(policy, limits=limits), logs)


# A diagnosis: what a failure of your own tools means.
RULES: tuple[tuple[Category, Rule], ...] = (
    ("environment", Rule(code="no-seat", pattern=re.compile(r"NoSeatError: (?P<subject>\S+)"), message="all seats of {subject} are taken")),
)  # fmt: skip


# An agent for `bench run --agent`, and a scorer: bench score --mode same-text.
class Echo(LeastAgent):
    """The agent that needs no package, under another name."""

    name = "echo"


def same_text(task: Task, answer: str, repository: Path) -> tuple[bool, str]:
    """Whether an answer is the reference, word for word."""
    same = answer.split() == task.output.split()
    return same, "" if same else "another text"
