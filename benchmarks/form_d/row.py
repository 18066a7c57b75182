"""One delivery row: an agent at work in a sandbox, then the row's judge in another one, which sees nothing but what came out."""

import shlex
import shutil
from pathlib import Path
from typing import Protocol

import msgspec

from ml_agent.benchmarks.errors import AgentMissingError
from ml_agent.benchmarks.form_d.inputs import make_inputs
from ml_agent.benchmarks.form_d.rows import FOLDER, Row, bring_repository
from ml_agent.benchmarks.subjects.install import Installed, Needs
from ml_agent.benchmarks.subjects.model import REPLY_TOKENS, Ended, SubjectRun
from ml_agent.benchmarks.subjects.places import Place, open_place
from ml_agent.benchmarks.subjects.workplace import clear
from ml_agent.model.budget import Limits
from ml_agent.model.endpoint import Endpoint
from ml_agent.sandbox.contract import Command, Policy
from ml_agent.sandbox.errors import SandboxError
from ml_agent.sandbox.temporary import lent

LIMITS = Limits(calls=40, seconds=1800.0)
JUDGE = Needs(
    requirements=("numpy>=2.0", "pillow>=11.0"),
    pythons=((3, 12), (3, 11), (3, 13)),
    check="import numpy, PIL; print(numpy.__version__)",
)
"""What judges run with."""
JUDGE_SECONDS = 120.0
MESSAGE = 400
"""Characters that are kept of what a judge says."""


class Terms(msgspec.Struct, frozen=True, kw_only=True):
    """How rows are done, the same for every agent."""

    endpoint: Endpoint
    judge: Installed
    limits: Limits = LIMITS
    """Of one try."""
    reply_tokens: int = REPLY_TOKENS
    place: Place = Place()
    tries: int = 2
    """How often a row is begun where the infrastructure fails it."""


class Attempt(msgspec.Struct, frozen=True, kw_only=True):
    """What an agent did."""

    run: SubjectRun
    claim: bool | None
    """Its own word: whether the results are there and right; None where it gives none."""
    cached_tokens: int = 0


class Agent(Protocol):
    """Whoever does rows."""

    label: str

    def work(self, row: Row, root: Path, terms: Terms, records: Path) -> Attempt:
        """Do the row in its repository, which holds inputs/, and leave what came out in `records`/outputs.

        Raises SandboxError where the sandbox fails, AgentMissingError where the agent cannot be started in it.
        """


class Delivery(msgspec.Struct, frozen=True, kw_only=True):
    """What came of a row."""

    row: str
    agent: str
    delivered: bool = False
    refusal: str = ""
    """Why not, in the judge's words."""
    claim: bool | None = None
    ended: Ended | None = None
    """None where the agent never ran."""
    error: str = ""
    """The agent's."""
    infrastructure: str = ""
    """Why nobody can say what the agent delivers: the last try failed for a reason that is not the agent's."""
    calls: int = 0
    prompt_tokens: int = 0
    cached_tokens: int = 0
    """Part of the prompt tokens."""
    completion_tokens: int = 0
    seconds: float = 0.0
    tries: int = 0


def do_row(row: Row, agent: Agent, terms: Terms, archives: Path, records: Path) -> Delivery:
    """Do a row, again where the infrastructure fails; `records` gets one folder a try, and the cost of every try counts."""
    done = Delivery(row=row.name, agent=agent.label)
    for number in range(1, terms.tries + 1):
        done = msgspec.structs.replace(done, tries=number, infrastructure="")
        try:
            done = _try(row, agent, terms, archives, records / f"try-{number}", done)
        except (AgentMissingError, SandboxError, OSError, ValueError) as error:
            done = msgspec.structs.replace(done, infrastructure=f"{type(error).__name__}: {error}")
        if not done.infrastructure:
            break
    return done


def _try(row: Row, agent: Agent, terms: Terms, archives: Path, records: Path, before: Delivery) -> Delivery:
    clear(records)
    with lent("row") as place:
        root = place / row.name
        bring_repository(row, root, archives)
        make_inputs(row.name, place / "inputs")
        shutil.copytree(place / "inputs", root / "inputs")
        (root / "outputs").mkdir(exist_ok=True)
        attempt = agent.work(row, root, terms, records)
        run = attempt.run
        done = msgspec.structs.replace(
            before,
            claim=attempt.claim,
            ended=run.ended,
            error=run.error,
            infrastructure=run.trouble or (run.error if run.ended == "lost" else ""),
            calls=before.calls + run.calls,
            prompt_tokens=before.prompt_tokens + run.prompt_tokens,
            cached_tokens=before.cached_tokens + attempt.cached_tokens,
            completion_tokens=before.completion_tokens + run.completion_tokens,
            seconds=round(before.seconds + run.seconds, 1),
        )
        if done.infrastructure:
            return done
        refusal = judge_apart(row, place / "inputs", records, terms)
        return msgspec.structs.replace(done, delivered=not refusal, refusal=refusal)


def judge_apart(row: Row, inputs: Path, records: Path, terms: Terms) -> str:
    """Run the row's judge in a sandbox without network that holds the inputs as they were made and what came out.

    Says why the outputs are refused, "" where they are right. Raises SandboxError.
    """
    place = msgspec.structs.replace(terms.place, policy=Policy(network="none"))
    sandbox = open_place(place, records / "judge", terms.judge.mounts())
    sandbox.start()
    try:
        sandbox.put(FOLDER / "judges.py", "judges.py")
        sandbox.put(inputs, "inputs")
        sandbox.run(Command(text="mkdir -p outputs"))
        sandbox.put(records / "outputs", "outputs")
        python = shlex.quote(str(terms.judge.venv / "bin/python"))
        text = f"{python} -I judges.py {row.name} inputs outputs"
        response = sandbox.run(Command(text=text, timeout=JUDGE_SECONDS))
    finally:
        sandbox.stop()
    if response.ok:
        return ""
    said = [line for line in (response.stdout + "\n" + response.stderr).splitlines() if line.strip()]
    return (said[-1] if said else f"the judge ended: {response.ended}")[:MESSAGE]
