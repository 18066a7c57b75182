"""Runs a task until it ends well or rules know nothing more: set up, run, diagnose, repair, again."""

import msgspec

from ml_agent.sandbox.contract import Response
from ml_agent.sandbox.diagnosis import Diagnosis
from ml_agent.sandbox.repair import MAX_REPAIRS, Repair
from ml_agent.sandbox.repair_rules import next_repair
from ml_agent.sandbox.session import Session
from ml_agent.sandbox.task import Task


class Proof(msgspec.Struct, frozen=True, kw_only=True):
    """How far a task came."""

    response: Response
    diagnosis: Diagnosis
    """Of the last failure; `no-error` when there is none."""
    repairs: tuple[Repair, ...] = ()
    failures: tuple[Diagnosis, ...] = ()
    """All that were met on the way, in order."""

    @property
    def ok(self) -> bool:
        """Whether it ended well, or was at work when its probe ended it."""
        return self.response.ok or self.response.ended == "probe"


def prove(session: Session, task: Task, max_repairs: int = MAX_REPAIRS) -> Proof:
    """Run the task, repairing by rules. Raises SandboxUnavailableError, SandboxLostError."""
    repairs: list[Repair] = []
    failures: list[Diagnosis] = []
    while True:
        response = session.run(task, repairs)
        diagnosis = session.diagnose(response, task, repairs)
        if diagnosis.code == "no-error":
            break
        failures.append(diagnosis)
        if len(repairs) >= max_repairs:
            break
        repair = next_repair(diagnosis, repairs, session.scene(task, repairs))
        if repair is None:
            break
        repairs.append(repair)
    return Proof(response=response, diagnosis=diagnosis, repairs=tuple(repairs), failures=tuple(failures))
