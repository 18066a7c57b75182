"""A subject that needs no package: for tests, and to try a machine without installing an agent."""

from importlib import resources
from pathlib import Path

from benchmarks.subjects.install import Needs
from benchmarks.subjects.model import Inside, Launch, Reported, SubjectTask
from benchmarks.subjects.records import read_json
from benchmarks.subjects.subject import PackagedSubject, driver_task

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
        driver = resources.files("benchmarks.subjects.drivers").joinpath("least.py").read_text(encoding="utf-8")
        files = {"run_least.py": driver, "task.json": driver_task(task, inside)}
        return Launch(
            arguments=(
                f"{inside.programs}/python",
                *(f"{inside.files}/{name}" for name in files),
                f"{inside.own}/{RESULT}",
            ),
            environment={"HOME": inside.home, "OPENAI_API_KEY": inside.token},
            files=files,
        )

    def read(self, left: Path, said: str) -> Reported:
        """What its driver wrote."""
        result = read_json(left / RESULT)
        answer = str(result["messages"][-1].get("content") or "")
        status = result["status"]
        return Reported(
            status=status, limited=status == "limit", calls=result["calls"], answer=answer, trajectory=RESULT
        )
