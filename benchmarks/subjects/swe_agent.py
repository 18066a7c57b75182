"""SWE-agent: an issue-fixing agent with tool bundles, from a checkout (https://github.com/SWE-agent/SWE-agent).

The package of that name in the index is a placeholder; `ml-agent bench agents install swe-agent --from DIR` takes a checkout. Its
"local" deployment runs commands on the machine that it runs on, which here is the sandbox. It keeps files of its own in /root.
"""

import json
from pathlib import Path

from ml_agent.benchmarks.errors import AgentMissingError
from ml_agent.benchmarks.subjects.install import Installed, Needs
from ml_agent.benchmarks.subjects.model import Inside, Launch, Reported, SubjectRun, SubjectTask
from ml_agent.benchmarks.subjects.records import read_json
from ml_agent.benchmarks.subjects.subject import PackagedSubject
from ml_agent.sandbox.contract import Sandbox

OUTPUT = "records/swe-agent"
TASK = "task"
TRAJECTORY = f"{OUTPUT}/{TASK}/{TASK}.traj"
CONFIGS = {"native": "default.yaml", "text": "default_backticks.yaml"}
_START = 'touch /root/.bashrc && exec "$0" "$@"'


class SweAgent(PackagedSubject):
    """`sweagent run` with its default configuration."""

    name = "swe-agent"
    version = "1.1.0"

    def __init__(self, checkout: Path | None = None) -> None:
        self._checkout = checkout

    @property
    def needs(self) -> Needs:
        """It finds its tools and configurations beside its package, so it is installed in place."""
        return Needs(
            requirements=("mcp",),
            pythons=((3, 12), (3, 11)),
            check="import litellm, mcp, sweagent; print(sweagent.__version__)",
            source=self._checkout,
            wants_source=True,
        )

    def launch(self, task: SubjectTask, inside: Inside) -> Launch:
        """Our settings lie over its own in a second file."""
        configs = [f"{inside.source}/config/{CONFIGS[task.calling]}", f"{inside.files}/settings.yaml"]
        arguments = ["bash", "-c", _START, f"{inside.programs}/sweagent", "run"]
        arguments += [word for config in configs for word in ("--config", config)]
        environment = {
            "HOME": inside.home,
            "OPENAI_API_KEY": inside.token,
            "OPENAI_API_BASE": inside.base_url,
            "SWE_AGENT_TRAJECTORY_DIR": f"{inside.own}/records",
            "LITELLM_LOCAL_MODEL_COST_MAP": "True",
        }
        # a JSON document is a YAML document
        return Launch(
            arguments=tuple(arguments),
            environment=environment,
            files={"settings.yaml": json.dumps(_settings(task, inside))},
        )

    def run(self, task: SubjectTask, sandbox: Sandbox, installed: Installed, records: Path) -> SubjectRun:
        """Run it where /root is not this machine's own."""
        if not sandbox.isolated:
            raise AgentMissingError(f"{self.name} writes to /root: it runs in a container or a namespace only")
        return super().run(task, sandbox, installed, records)

    def read(self, left: Path, said: str) -> Reported:
        """Its .traj."""
        return read_trajectory(left, TRAJECTORY)


def read_trajectory(left: Path, name: str) -> Reported:
    """Status, calls, cost and tokens of a SWE-agent trajectory."""
    info = read_json(left / name)["info"]
    stats = info.get("model_stats") or {}
    status = str(info.get("exit_status") or "")
    return Reported(
        status=status,
        limited="exit_cost" in status,
        calls=stats.get("api_calls"),
        prompt_tokens=stats.get("tokens_sent"),
        completion_tokens=stats.get("tokens_received"),
        # it writes 0.0 for a model whose price it does not know
        usd=stats.get("instance_cost") or None,
        answer=str(info.get("submission") or ""),
        trajectory=name,
    )


def _settings(task: SubjectTask, inside: Inside) -> dict[str, object]:
    folder = inside.workspace if task.folder == "." else f"{inside.workspace}/{task.folder}"
    limits = {"per_instance_cost_limit": task.limits.usd or 0, "total_cost_limit": 0}
    model: dict[str, object] = {"name": f"openai/{task.endpoint.model}", "api_base": inside.base_url, **limits}
    model |= {"per_instance_call_limit": task.limits.calls or 0, "temperature": task.endpoint.temperature}
    model["retry"] = {"retries": 3, "min_wait": 1, "max_wait": 10}
    repository = {"type": "preexisting", "repo_name": folder.lstrip("/"), "reset": False}
    return {
        "agent": {"model": model},
        "env": {"deployment": {"type": "local"}, "repo": repository},
        "problem_statement": {"type": "text", "text": task.text, "id": TASK},
        "output_dir": f"{inside.own}/{OUTPUT}",
    }
