"""What kind of work a model can do, found out once for each endpoint and model: hold a conversation of calls, or fill a form."""

from typing import Literal

from ml_agent.llm.answers import UnusableReply, accepted
from ml_agent.llm.assembly import Prompt
from ml_agent.llm.client import ModelClient
from ml_agent.llm.functions import as_function
from ml_agent.prompts import functions
from ml_agent.prompts.render import render
from ml_agent.prompts.untrusted import PromptText, neutral
from ml_agent.thread import Thread, ToolCall, Turn

Profile = Literal["tools", "form"]
_MOST_REPLIES = 4
_TOKENS = 120
FILES = {"notes.txt": "The address is set in a file of settings.", "server.conf": "base = 8400\nport = base + 21\n"}
"""What the probe's two calls show; the second is only found by the first."""
PORT = "8421"


def profile_of(client: ModelClient) -> Profile:
    """How to work with the model: what is remembered of it, else what a short probe shows.

    Raises EndpointError, BudgetExceededError, ConfigurationError; nothing is remembered then.
    """
    known = client.profile
    if known in ("tools", "form"):
        return "tools" if known == "tools" else "form"
    found: Profile = "tools" if _passes(client) else "form"
    client.learn_profile(found)
    return found


def _passes(client: ModelClient) -> bool:
    """Whether the model makes two calls of which the second uses the result of the first, and reports what follows from both."""
    offered = tuple(as_function(function) for function in functions.probe())
    texts = render("probe")
    prompt = Prompt(phase="probe", system=texts["system"], sections=(), question=texts["question"])
    thread = Thread(opening=neutral(""), task=texts["question"])
    for _ in range(_MOST_REPLIES):
        reply = client.converse(prompt, offered, thread.turns, _TOKENS)
        if not reply.calls:
            return False
        calls, results = [], []
        for raw in reply.calls:
            try:
                call = accepted(raw, offered)
            except UnusableReply:
                return False
            if call.name == "report":
                looked = any(done.name == "read_file" for turn in thread.turns for done in turn.calls)
                return looked and str(call.arguments["port"]).strip() == PORT
            calls.append(ToolCall(name=call.name, arguments=call.arguments))
            results.append(_act(call.name, call.arguments))
        thread = thread.then(Turn(calls=tuple(calls), results=tuple(results)))
    return False


def _act(name: str, arguments: dict[str, str]) -> PromptText:
    if name == "list_files":
        return neutral("\n".join(FILES))
    return neutral(FILES.get(arguments["path"].strip("./ "), "there is no such file"))
