"""One task with the OpenHands SDK's default agent, in the current folder.  openhands.py TASK.json   (key: LLM_API_KEY)"""

import json
import os
import sys
from pathlib import Path

from openhands.sdk import LLM, Conversation  # type: ignore[import-not-found]
from openhands.tools.preset.default import get_default_agent  # type: ignore[import-not-found]
from pydantic import SecretStr


def main(task_file: str) -> None:
    """Work on it until the agent ends, or has had all its steps."""
    task = json.loads(Path(task_file).read_text(encoding="utf-8"))
    llm = LLM(
        model=f"openai/{task['model']}",
        base_url=task["base_url"],
        api_key=SecretStr(os.environ["LLM_API_KEY"]),
        usage_id="agent",
        num_retries=1,
        timeout=int(task["seconds"]),
    )
    conversation = Conversation(
        agent=get_default_agent(llm, cli_mode=True),
        workspace=str(Path.cwd()),
        max_iteration_per_run=task["steps"],
        visualizer=None,
        delete_on_close=False,
    )
    conversation.send_message(task["text"])
    conversation.run()


if __name__ == "__main__":
    main(sys.argv[1])
