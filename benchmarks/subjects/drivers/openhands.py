"""One task with the OpenHands SDK's default agent, in the current folder.  openhands.py TASK.json RESULT.json EVENTS
(key: LLM_API_KEY)"""

import json
import os
import sys
from pathlib import Path
from typing import Any

from openhands.sdk import LLM, Conversation  # type: ignore[import-not-found]
from openhands.tools.preset.default import get_default_agent  # type: ignore[import-not-found]
from pydantic import SecretStr


def main(task_file: str, result_file: str, events: str) -> None:
    """Write how it ended; its events are written by itself."""
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
        persistence_dir=events,
        max_iteration_per_run=task["steps"],
        visualizer=None,
        delete_on_close=False,
    )
    problem = ""
    try:
        conversation.send_message(task["text"])
        conversation.run()
    except BaseException as error:  # whatever ends it, how it ended is kept
        problem = f"{type(error).__name__}: {error}"
        raise
    finally:
        Path(result_file).write_text(json.dumps(_result(conversation, problem)), encoding="utf-8")


def _result(conversation: Any, problem: str) -> dict[str, Any]:
    status = conversation.state.execution_status
    return {"status": problem or str(getattr(status, "value", status)), "conversation": str(conversation.id)}


if __name__ == "__main__":
    main(*sys.argv[1:4])
