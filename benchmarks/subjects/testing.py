"""A subject that needs no package: for tests, and to try a machine without installing an agent."""

from pathlib import Path

from ml_agent.benchmarks.subjects.install import Needs
from ml_agent.benchmarks.subjects.model import Inside, Launch, Reported, SubjectTask
from ml_agent.benchmarks.subjects.records import read_json
from ml_agent.benchmarks.subjects.subject import PackagedSubject, driven

RESULT = "records/least.json"


class LeastAgent(PackagedSubject):
    """One bash tool in a loop; see drivers/least.py."""

    name = "least"
    version = "1"

    @property
    def needs(self) -> Needs:
        """A bare environment."""
        return Needs(requirements=(), pythons=((3, 11), (3, 12), (3, 13), (3, 10)), check="print(1)")

    def launch(self, task: SubjectTask, inside: Inside) -> Launch:
        """Its driver."""
        return driven(self.name, task, inside, [RESULT], {"OPENAI_API_KEY": inside.token})

    def read(self, left: Path, said: str) -> Reported:
        """What its driver wrote."""
        result = read_json(left / RESULT)
        answer = str(result["messages"][-1].get("content") or "")
        status = result["status"]
        return Reported(
            status=status, limited=status == "limit", calls=result["calls"], answer=answer, trajectory=RESULT
        )
