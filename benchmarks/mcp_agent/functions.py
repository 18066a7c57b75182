"""The agent's functions: a shell in an isolated copy of the repository, and what the MCP server offers."""

import asyncio
import json
import os
import sys
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any

import msgspec

from ml_agent.assemble import assemble
from ml_agent.benchmarks.mcp_agent.agent import Function
from ml_agent.errors import ConfigurationError
from ml_agent.job import Job
from ml_agent.navigator import Given
from ml_agent.run_job import config_of
from ml_agent.runs import new_run
from ml_agent.settings import load_settings
from ml_agent.tools.candidates import Candidate


@contextmanager
def shell(repository: Path, path: str, work: Path) -> Iterator[Function]:
    """A shell in the task's folder of a copy; without network, and without what a set-up would install.

    Raises ConfigurationError where nothing isolates here.
    """
    settings = load_settings(run="probe", network="none", runs_dir=work / "runs", cache_dir=work / "cache")
    job = Job(instruction="look around", repository=str(repository), path=path)
    services = assemble(job, settings, new_run(settings.runs_dir, None, config_of(job, settings)))
    try:
        executor = services.executor
        if executor is None:
            raise ConfigurationError(services.no_executor)
        candidate = Candidate(full_name=repository.name, url=str(repository))
        checkout = services.workspaces.checkout(candidate)
        candidate = msgspec.structs.replace(candidate, url=checkout.url)
        workspace = services.workspaces.open(candidate, checkout.root, checkout.version, Given(path=path))

        async def act(given: Mapping[str, Any]) -> str:
            return await asyncio.to_thread(executor.look, workspace, str(given.get("command", "")))

        yield Function(
            name="shell",
            description="Run a bash command in the task's folder of the repository; nothing that it writes stays.",
            parameters={"type": "object", "properties": {"command": {"type": "string"}}, "required": ["command"]},
            act=act,
        )
    finally:
        services.close()


@asynccontextmanager
async def served() -> AsyncIterator[tuple[list[Function], str]]:
    """The tools of `ml-agent mcp`, over stdio, and the server's instructions, as an agent's client sees them."""
    import mcp

    command = mcp.StdioServerParameters(command=sys.executable, args=["-m", "ml_agent", "mcp"], env=dict(os.environ))
    async with mcp.Client(command) as client:
        listed = (await client.list_tools()).tools
        functions = [_function(client, tool.name, tool.description or "", tool.input_schema) for tool in listed]
        yield functions, client.instructions or ""


def _function(client: Any, name: str, description: str, parameters: dict[str, Any]) -> Function:
    async def act(given: Mapping[str, Any]) -> str:
        result = await client.call_tool(name, dict(given))
        if result.structured_content is not None:
            return json.dumps(result.structured_content, ensure_ascii=False)
        return "\n".join(getattr(block, "text", "") for block in result.content)

    return Function(name=name, description=description, parameters=parameters, act=act)
