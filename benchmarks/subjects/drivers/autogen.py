"""One task with AutoGen AgentChat, in the current folder.  autogen.py TASK.json   (key: OPENAI_API_KEY)

One assistant with a bash tool.
"""

import asyncio
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from autogen_agentchat.agents import AssistantAgent  # type: ignore[import-not-found]
from autogen_agentchat.base import TaskResult  # type: ignore[import-not-found]
from autogen_agentchat.conditions import TextMentionTermination  # type: ignore[import-not-found]
from autogen_agentchat.teams import RoundRobinGroupChat  # type: ignore[import-not-found]
from autogen_ext.models.openai import OpenAIChatCompletionClient  # type: ignore[import-not-found]

COMMAND_SECONDS = 600
OUTPUT_CHARACTERS = 8000
BY_TOOL = "Solve the task with the bash tool. When it is done, answer TERMINATE."


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
    info = {"vision": False, "function_calling": True, "json_output": False, "family": "unknown"}
    info["structured_output"] = False
    client = OpenAIChatCompletionClient(
        model=task["model"],
        base_url=task["base_url"],
        api_key=os.environ["OPENAI_API_KEY"],
        model_info=info,
        max_retries=1,
        timeout=task["seconds"],
    )
    coder = AssistantAgent("coder", model_client=client, tools=[bash], system_message=BY_TOOL)
    stop = TextMentionTermination("TERMINATE", sources=["coder"])
    return RoundRobinGroupChat([coder], termination_condition=stop, max_turns=task["steps"])


async def main(task_file: str) -> None:
    """Say every message as it comes, and why it stopped."""
    task = json.loads(Path(task_file).read_text(encoding="utf-8"))
    async for message in team(task).run_stream(task=task["text"]):
        ended = isinstance(message, TaskResult)
        print(message.stop_reason if ended else f"{message.source}: {message.to_text()}", flush=True)


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1]))
