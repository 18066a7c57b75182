"""The least agent, of the standard library alone: one bash tool in a loop.  least.py TASK.json  (key: OPENAI_API_KEY)"""

import json
import os
import subprocess
import sys
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any

PARAMETERS = {"type": "object", "properties": {"command": {"type": "string"}}, "required": ["command"]}
TOOL = {
    "type": "function",
    "function": {"name": "bash", "description": "Run a shell command.", "parameters": PARAMETERS},
}


def ask(task: dict[str, Any], messages: list[dict[str, Any]]) -> dict[str, Any]:
    """The model's answer."""
    body = json.dumps({"model": task["model"], "messages": messages, "tools": [TOOL]}).encode()
    headers = {"content-type": "application/json", "authorization": f"Bearer {os.environ['OPENAI_API_KEY']}"}
    request = urllib.request.Request(f"{task['base_url']}/chat/completions", body, headers)
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    with opener.open(request, timeout=300) as reply:
        answer: dict[str, Any] = json.load(reply)
    return answer


def main(task_file: str) -> int:
    """Ask and run until the model calls no tool."""
    task = json.loads(Path(task_file).read_text(encoding="utf-8"))
    messages: list[dict[str, Any]] = [{"role": "user", "content": task["text"]}]
    try:
        for _ in range(task["steps"]):
            message = ask(task, messages)["choices"][0]["message"]
            messages.append(message)
            if not message.get("tool_calls"):
                break
            for call in message["tool_calls"]:
                command = json.loads(call["function"]["arguments"])["command"]
                done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=False)
                print(f"$ {command}\n{done.stdout}{done.stderr}", flush=True)
                messages.append({"role": "tool", "tool_call_id": call["id"], "content": done.stdout + done.stderr})
    except urllib.error.HTTPError as error:
        print(f"Error: {error.read().decode()}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
