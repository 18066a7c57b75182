"""mini-SWE-agent: a linear loop, bash only (https://github.com/SWE-agent/mini-swe-agent)."""

from pathlib import Path

from ml_agent.benchmarks.subjects.install import Needs
from ml_agent.benchmarks.subjects.model import Inside, Launch, Reported, SubjectTask
from ml_agent.benchmarks.subjects.records import read_json
from ml_agent.benchmarks.subjects.subject import PackagedSubject

TRAJECTORY = "records/run.traj.json"


class MiniSweAgent(PackagedSubject):
    """Its command line `mini`, without questions, in the sandbox's own shell."""

    name = "mini-swe-agent"
    version = "2.4.6"

    @property
    def needs(self) -> Needs:
        """litellm imports mcp without asking for it."""
        return Needs(
            requirements=(f"mini-swe-agent=={self.version}", "mcp"),
            pythons=((3, 12), (3, 11), (3, 13), (3, 10)),
            check="import litellm, mcp, minisweagent; from importlib.metadata import version; print(version('mini-swe-agent'))",
        )

    def launch(self, task: SubjectTask, inside: Inside) -> Launch:
        """`mini -y`; its own limits are the bench's, so that it ends by itself where it can."""
        text = task.calling == "text"
        settings = ["mini_textbased.yaml" if text else "mini.yaml", f"model.model_kwargs.api_base={inside.base_url}"]
        settings.append(f"agent.step_limit={task.limits.calls or 0}")
        arguments = [f"{inside.programs}/mini", "-y", "--exit-immediately", "-l", str(task.limits.usd or 0)]
        arguments += ["-m", f"openai/{task.endpoint.model}", "-t", task.text]
        arguments += ["-o", f"{inside.own}/{TRAJECTORY}"]
        arguments += [word for setting in settings for word in ("-c", setting)]
        arguments += ["--model-class", "litellm_textbased"] if text else []
        environment = {
            "HOME": inside.home,
            "OPENAI_API_KEY": inside.token,
            "MSWEA_CONFIGURED": "true",
            "MSWEA_COST_TRACKING": "ignore_errors",
            "MSWEA_SILENT_STARTUP": "1",
            "MSWEA_MODEL_RETRY_STOP_AFTER_ATTEMPT": "3",
            "LITELLM_LOCAL_MODEL_COST_MAP": "True",
        }
        return Launch(arguments=tuple(arguments), environment=environment)

    def read(self, left: Path, said: str) -> Reported:
        """Its .traj.json."""
        return read_trajectory(left, TRAJECTORY)


def read_trajectory(left: Path, name: str) -> Reported:
    """Status, calls, cost and tokens of a trajectory of format mini-swe-agent-1.x."""
    whole = read_json(left / name)
    info = whole["info"]
    stats = info.get("model_stats") or {}
    used = [usage for message in whole.get("messages", []) if (usage := _usage(message))]
    status = str(info.get("exit_status") or "")
    return Reported(
        status=status,
        limited=status in ("LimitsExceeded", "TimeExceeded"),
        calls=stats.get("api_calls"),
        prompt_tokens=sum(int(u.get("prompt_tokens") or 0) for u in used) if used else None,
        completion_tokens=sum(int(u.get("completion_tokens") or 0) for u in used) if used else None,
        # it writes 0.0 for a model whose price it does not know
        usd=stats.get("instance_cost") or None,
        answer=str(info.get("submission") or ""),
        trajectory=name,
    )


def _usage(message: dict[str, object]) -> dict[str, int] | None:
    extra = message.get("extra")
    response = extra.get("response") if isinstance(extra, dict) else None
    usage = response.get("usage") if isinstance(response, dict) else None
    return usage if isinstance(usage, dict) else None
