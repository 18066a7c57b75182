"""A coding agent in a few lines: a conversation of function calls until it answers."""

import json
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

import msgspec
from openai import AsyncOpenAI

from ml_agent.benchmarks.data import Task
from ml_agent.benchmarks.predictions import Usage

MOST_REQUESTS = 20
MOST_CHARACTERS = 8_000
"""Of what one function says."""
ANSWER = "answer"
SYSTEM = (
    "You are a coding agent. Work out the one command that does what the user asks with the repository that is there, with the user's "
    "values. Look with the functions as much as you need, then call `answer` with the command; it is not run for you."
)
Act = Callable[[Mapping[str, Any]], Awaitable[str]]


class Function(msgspec.Struct, frozen=True, kw_only=True):
    """What the agent may call."""

    name: str
    description: str
    parameters: dict[str, Any]
    act: Act

    def offered(self) -> dict[str, Any]:
        """As the endpoint wants it."""
        return {
            "type": "function",
            "function": {"name": self.name, "description": self.description, "parameters": self.parameters},
        }


class ConversationResult(msgspec.Struct, frozen=True, kw_only=True):
    """What came out of one conversation."""

    text: str
    usage: Usage
    called: dict[str, int]
    """How often each function was."""


def request_of(task: Task, repository: str) -> str:
    """What the user says."""
    return f"{task.instruction}\n\nThe repository is {repository}; the command runs in its folder {task.path or '.'}."


async def converse(
    client: AsyncOpenAI, model: str, request: str, functions: list[Function], instructions: str = ""
) -> ConversationResult:
    """Talk until `answer` is called, or the requests are used up; a server's instructions stand with the agent's own."""
    known = {function.name: function for function in functions}
    messages: list[dict[str, Any]] = [
        {"role": "system", "content": f"{SYSTEM}\n\n{instructions}".strip()},
        {"role": "user", "content": request},
    ]
    offered = [*(function.offered() for function in functions), _answer()]
    prompt = completion = 0
    called: dict[str, int] = {}
    create: Any = client.chat.completions.create  # its parameters are typed by role, ours are plain
    for number in range(1, MOST_REQUESTS + 1):
        reply = await create(model=model, messages=messages, tools=offered)
        message = reply.choices[0].message
        if reply.usage is not None:
            prompt, completion = prompt + reply.usage.prompt_tokens, completion + reply.usage.completion_tokens
        usage = Usage(prompt_tokens=prompt, completion_tokens=completion, calls=number)
        calls: list[Any] = list(message.tool_calls or [])
        called_for = {"tool_calls": [call.model_dump() for call in calls]} if calls else {}
        messages.append({"role": "assistant", "content": message.content, **called_for})
        for call in calls:
            called[call.function.name] = called.get(call.function.name, 0) + 1
            given = _arguments(call.function.arguments)
            if call.function.name == ANSWER and isinstance(given.get("command"), str):
                return ConversationResult(text=given["command"], usage=usage, called=called)
            result = await _act(known.get(call.function.name), given)
            messages.append({"role": "tool", "tool_call_id": call.id, "content": result})
        if not calls:
            messages.append({"role": "user", "content": "Call `answer` with the command."})
    return ConversationResult(text="", usage=usage, called=called)


def _answer() -> dict[str, Any]:
    parameters = {"type": "object", "properties": {"command": {"type": "string"}}, "required": ["command"]}
    return {"type": "function", "function": {"name": ANSWER, "description": "The command.", "parameters": parameters}}


def _arguments(text: str) -> dict[str, Any]:
    try:
        found = json.loads(text or "{}")
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}


async def _act(function: Function | None, given: Mapping[str, Any]) -> str:
    if function is None:
        return "there is no such function"
    said = await function.act(given)
    return said if len(said) <= MOST_CHARACTERS else f"{said[:MOST_CHARACTERS]}\n... (cut)"
