"""Watches a command in a sandbox."""

import msgspec

from ml_agent.sandbox.contract import Command, OnOutput, Response, Sandbox
from ml_agent.sandbox.packed import unpacked
from ml_agent.sandbox.witness.notes import judge
from ml_agent.sandbox.witness.shell import BEGIN, READ, install

SECONDS = 60.0
MOST_BYTES = 2_000_000
"""Of notes; whoever can write them could pack any amount into little."""


def run_watched(sandbox: Sandbox, command: Command, on_output: OnOutput | None = None) -> Response:
    """Run a command and see what its programs did. Raises SandboxLostError.

    Where the watch cannot be set up, or its notes cannot be read, the response says nothing of it.
    """
    installed = sandbox.run(Command(text=f"{install()}\ncat root", timeout=SECONDS))
    if not installed.ok:
        return sandbox.run(command, on_output)
    response = sandbox.run(msgspec.structs.replace(command, text=BEGIN + command.text), on_output)
    if response.ended != "exited":
        return response
    notes = unpack(sandbox.run(Command(text=READ, timeout=SECONDS)).stdout)
    if not notes:
        return response
    said = judge(notes, installed.stdout.strip(), f"{response.stdout}\n{response.stderr}", command.text)
    return msgspec.structs.replace(response, seen=said)


def unpack(said: str) -> str:
    """The notes as they were printed; "" where they are none."""
    try:
        return unpacked(said, MOST_BYTES).decode("utf-8", "replace")
    except ValueError:
        return ""
