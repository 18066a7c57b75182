"""One of everything that ML-Agent can be extended with; docs/extending.md explains each."""

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
from ml_agent.tools.signatures.added import UNKNOWN, Arguments, CommandLine, Value, option


# A framework: the library tinyargs, which scripts use like this:
#     parser = tinyargs.Parser()
#     parser.opt("data")                                            a positional argument
#     parser.opt("--lr", default=0.1, help="learning rate")         its default says its type
#     parser.opt("--loss", default="l2", among=["l1", "l2"])        choices
#     parser.opt("--plot", switch=True)                             takes no value
#     args = parser.go()
class Parser(CommandLine):
    """What `tinyargs.Parser()` makes. A method `do_opt` models `.opt(…)`."""

    def do_opt(self, call: Arguments) -> Value:
        """`call.get(place, name, default)` gives an argument by its place (None: only by name)."""
        self.declare(
            option(
                call.get(0, "name"),
                call.get(None, "default"),
                choices=call.get(None, "among"),
                switch=call.get(None, "switch"),
                help=call.get(None, "help"),
            ),
            call,
        )
        return UNKNOWN

    def do_go(self, call: Arguments) -> Value:
        """The script parses its command line here: the reading ends."""
        self.parse()
        return UNKNOWN


FACTORIES = {"tinyargs.Parser": Parser}


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
