"""The MCP server as a coding agent meets it: the SDK's own client, over stdio and over HTTP."""

import asyncio
import os
import sys
from pathlib import Path
from typing import Any

import pytest

from ml_agent.sandbox.bubblewrap import find_bubblewrap

TASK = "fit the model with learning rate 0.25"
SANDBOX = {"ML_AGENT_SANDBOX": "local", "ML_AGENT_NETWORK": "none"}
SERVER = [sys.executable, "-m", "ml_agent", "mcp"]


def stdio(root: Path) -> Any:
    """A client with a server process of its own."""
    mcp = pytest.importorskip("mcp")  # a second, not in each process that lists tests
    words = [*SERVER[1:], "--root", str(root)]
    return mcp.Client(mcp.StdioServerParameters(command=SERVER[0], args=words, env={**os.environ, **SANDBOX}))


def content(result: Any) -> Any:
    """What a tool returned."""
    assert not result.is_error, result
    found = result.structured_content
    return found["result"] if set(found) == {"result"} else found


async def a_coding_agent_lists_explains_checks_and_drafts(client: Any, repository: Path) -> None:
    names = {tool.name for tool in (await client.list_tools()).tools}
    assert names == {
        "find_repositories", "explain_entry_points", "check_command", "draft_command", "solve", "continue_run", "run_in_sandbox",
    }  # fmt: skip
    entries = content(await client.call_tool("explain_entry_points", {"repository": str(repository)}))
    assert [entry["entry"] for entry in entries] == ["fit.py"]
    (taken,) = content(
        await client.call_tool("explain_entry_points", {"repository": str(repository), "script": "fit.py"})
    )
    lr = {"flags": ["--lr"], "type": "float", "default": "0.1", "help": "learning rate"}
    assert taken["options"] == [lr], taken
    wrong = {"command": "python fit.py --lrr 1", "repository": str(repository)}
    checked = content(await client.call_tool("check_command", wrong))
    assert not checked["ok"] and checked["findings"][0]["suggestion"] == "--lr"
    drafted = content(await client.call_tool("draft_command", {"instruction": TASK, "repository": str(repository)}))
    assert "--lr 0.25" in drafted["answer"] and drafted["evidence"] == "checked"
    assert drafted["confidence"] in {"sure", "likely", "guess"} and "0.25" not in drafted["not_used"]
    briefing = drafted["briefing"]
    assert "## Options of fit.py\n--lr" in briefing and "python fit.py --lr 0.5" in briefing and TASK in briefing


async def a_run_reports_progress(client: Any, repository: Path) -> None:
    said: list[str] = []

    async def progress(_done: float, _total: float | None, message: str | None) -> None:
        said.append(message or "")

    arguments = {"instruction": TASK, "repository": str(repository), "run": "none"}
    result = content(await client.call_tool("solve", arguments, progress_callback=progress))
    assert result["evidence"] == "checked"
    assert any(line.startswith("check:") for line in said)


async def a_command_runs_in_the_sandbox(client: Any, repository: Path) -> None:
    arguments = {"command": "python fit.py --lr 1 && echo $((6*7))", "repository": str(repository)}
    ran = content(await client.call_tool("run_in_sandbox", arguments))
    assert ran["exit_code"] == 0 and "42" in ran["output"] and ran["evidence"] == "completed"


async def what_goes_wrong_is_one_line_for_the_agent(client: Any, tmp_path: Path) -> None:
    result = await client.call_tool("explain_entry_points", {"repository": str(tmp_path / "nowhere")})
    assert result.is_error and "nowhere" in result.content[0].text
    assert "Traceback" not in result.content[0].text


def test_a_coding_agent_over_stdio(repository: Path, tmp_path: Path) -> None:
    """One server for all: starting it takes longest."""

    async def talk() -> None:
        async with stdio(tmp_path) as client:
            await a_run_reports_progress(client, repository)
            await a_coding_agent_lists_explains_checks_and_drafts(client, repository)
            await what_goes_wrong_is_one_line_for_the_agent(client, tmp_path)
            if find_bubblewrap() is not None:
                await a_command_runs_in_the_sandbox(client, repository)

    asyncio.run(talk())


def test_an_output_that_is_cut_says_so() -> None:
    pytest.importorskip("mcp")
    from ml_agent.mcp_server import MOST_OUTPUT, _end_of

    assert _end_of("x" * MOST_OUTPUT) == "x" * MOST_OUTPUT
    head, _, rest = _end_of("FIRST" + "x" * MOST_OUTPUT).partition("\n")
    assert "5 characters" in head and "log" in head and rest == "x" * MOST_OUTPUT
