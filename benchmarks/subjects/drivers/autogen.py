"""One task with AutoGen AgentChat, in the current folder.  autogen.py TASK.json MESSAGES.json   (key: OPENAI_API_KEY)

With tool calls: one assistant with a bash tool. With text: an assistant whose fenced blocks a second agent runs.
"""

import asyncio
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from autogen_agentchat.agents import AssistantAgent, CodeExecutorAgent  # type: ignore[import-not-found]
from autogen_agentchat.base import TaskResult  # type: ignore[import-not-found]
from autogen_agentchat.conditions import TextMentionTermination  # type: ignore[import-not-found]
from autogen_agentchat.teams import RoundRobinGroupChat  # type: ignore[import-not-found]
from autogen_ext.code_executors.local import LocalCommandLineCodeExecutor  # type: ignore[import-not-found]
from autogen_ext.models.openai import OpenAIChatCompletionClient  # type: ignore[import-not-found]

COMMAND_SECONDS = 60
OUTPUT_CHARACTERS = 8000
LANGUAGES = ["bash", "sh", "shell", "python"]
BY_TOOL = "Solve the task with the bash tool. When it is done, answer TERMINATE."
BY_TEXT = (
    "Solve the task step by step. Put shell commands into one ```bash block and Python into one ```python block; they are run "
    "in the task's folder and you are shown the output. When the task is done, answer TERMINATE without a block."
)


def bash(command: str) -> str:
    """Run a shell command and return its exit code and output."""
    done = subprocess.run(
        ["timeout", "-k", "2", str(COMMAND_SECONDS), "bash", "-c", command],
        capture_output=True,
        text=True,
        errors="replace",
        stdin=subprocess.DEVNULL,
        check=False,
    )
    return f"exit code {done.returncode}\n{(done.stdout + done.stderr)[-OUTPUT_CHARACTERS:]}"


def team(task: dict[str, Any]) -> Any:
    """Who works on it, for at most `steps` requests to the model."""
    native = task["calling"] == "native"
    info = {
        "vision": False,
        "function_calling": native,
        "json_output": False,
        "family": "unknown",
        "structured_output": False,
    }
    client = OpenAIChatCompletionClient(
        model=task["model"],
        base_url=task["base_url"],
        api_key=os.environ["OPENAI_API_KEY"],
        model_info=info,
        max_retries=1,
        timeout=task["seconds"],
    )
    tools = [bash] if native else None
    coder = AssistantAgent("coder", model_client=client, tools=tools, system_message=BY_TOOL if native else BY_TEXT)
    stop = TextMentionTermination("TERMINATE", sources=["coder"])
    if native:
        return RoundRobinGroupChat([coder], termination_condition=stop, max_turns=task["steps"])
    # Python blocks run with the task's interpreter, not with the one of this environment
    python = Path(shutil.which("python3") or sys.executable)
    own = SimpleNamespace(env_exe=str(python), bin_path=str(python.parent))
    executor = LocalCommandLineCodeExecutor(timeout=COMMAND_SECONDS, work_dir=Path.cwd(), virtual_env_context=own)
    hands = CodeExecutorAgent("executor", code_executor=executor, sources=["coder"], supported_languages=LANGUAGES)
    return RoundRobinGroupChat([coder, hands], termination_condition=stop, max_turns=2 * task["steps"])


async def main(task_file: str, messages_file: str) -> None:
    """Write every message as it comes, and why it stopped."""
    task = json.loads(Path(task_file).read_text(encoding="utf-8"))
    said: list[dict[str, Any]] = []
    result: dict[str, Any] = {"stop_reason": "", "messages": said}
    try:
        async for message in team(task).run_stream(task=task["text"]):
            if isinstance(message, TaskResult):
                result["stop_reason"] = message.stop_reason or ""
            else:
                said.append(message.model_dump(mode="json"))
                print(f"{message.source}: {message.to_text()}", flush=True)
    except BaseException as error:  # whatever ends it, what was said so far is kept
        result["stop_reason"] = f"{type(error).__name__}: {error}"
        raise
    finally:
        Path(messages_file).write_text(json.dumps(result), encoding="utf-8")


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:3]))
