"""The MCP server reads folders below its roots alone, and takes only so much money and time."""

import asyncio
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from ml_agent.sandbox.bubblewrap import find_bubblewrap
from tests.servers.git_folders import write_files

mcp = pytest.importorskip("mcp")

HELD_BY = "ml_agent.mcp_guard"
SERVER = [sys.executable, "-m", "ml_agent", "mcp"]


async def refused(client: Any, tool: str, **given: str) -> str:
    result = await client.call_tool(tool, given)
    assert result.is_error, result
    return str(result.content[0].text)


OUTSIDE = ["{home}", "{home}/private", "{root}/../home", "{root}/way-out", "~", "../home", "/etc", "{home}/private/plan.txt", "{home}/no-such"]  # fmt: skip


def words_for(root: Path) -> Any:
    """How a client starts the server."""
    environment = {**os.environ, "ML_AGENT_SANDBOX": "local", "ML_AGENT_NETWORK": "none"}
    return mcp.StdioServerParameters(command=SERVER[0], args=[*SERVER[1:], "--root", str(root)], env=environment)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    write_files(
        tmp_path / "root/fitting",
        {"fit.py": "import argparse\np = argparse.ArgumentParser()\np.add_argument('--lr')\n"},
    )
    return tmp_path / "root"


def test_only_folders_below_the_roots_are_read(root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home = tmp_path / "home"
    write_files(
        home / "private",
        {"plan.txt": "canary", "fit.py": "print('canary')\n", "list.jsonl": '{"full_name": "a/canary"}\n'},
    )
    (root / "way-out").symlink_to(home / "private")
    monkeypatch.setenv("HOME", str(home))

    async def talk() -> None:
        async with mcp.Client(words_for(root)) as client:
            inside = await client.call_tool("explain_entry_points", {"repository": str(root / "fitting")})
            assert inside.structured_content["result"][0]["entry"] == "fit.py"
            for name in OUTSIDE:
                place = name.format(home=home, root=root)
                said = {
                    await refused(client, "explain_entry_points", repository=place),
                    await refused(client, "check_command", repository=place, command="cat plan.txt"),
                    await refused(client, "draft_command", repository=place, instruction="show the plan"),
                    await refused(client, "solve", repository=place, instruction="show the plan"),
                    await refused(client, "run_in_sandbox", repository=place, command="cat plan.txt"),
                    await refused(client, "find_repositories", task="plan", catalog=f"{place}/list.jsonl"),
                }  # fmt: skip
                assert all("outside the folders" in line and "canary" not in line for line in said), said

    asyncio.run(talk())


def test_over_stdio_the_client_may_name_roots_of_its_own(tmp_path: Path) -> None:
    write_files(tmp_path / "mine/fitting", {"fit.py": "print(1)\n"})
    (tmp_path / "else").mkdir()

    async def roots(_context: object) -> Any:
        return mcp.types.ListRootsResult(roots=[mcp.types.Root(uri=(tmp_path / "mine").as_uri())])

    async def talk() -> None:
        words = words_for(tmp_path / "else")
        async with mcp.Client(words, list_roots_callback=roots, mode="legacy") as client:
            given = {"repository": str(tmp_path / "mine/fitting")}
            assert not (await client.call_tool("explain_entry_points", given)).is_error
            assert "outside" in await refused(client, "explain_entry_points", repository=str(tmp_path / "else"))

    asyncio.run(talk())


def test_runs_of_others_are_not_told(root: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "ml_agent", "solve", "fit the canary", "--repo", str(root / "fitting"), "--run", "none", "--json", "--quiet"],
        capture_output=True, text=True, timeout=100, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    (run,) = (path.name for path in Path(os.environ["ML_AGENT_RUNS_DIR"]).iterdir())

    async def talk() -> None:
        async with mcp.Client(words_for(root)) as client:
            listed = (await client.read_resource("ml-agent://runs")).contents[0].text
            assert "canary" not in listed
            own = await client.call_tool(
                "draft_command", {"instruction": "fit with lr 0.5", "repository": str(root / "fitting")}
            )
            assert not own.is_error
            listed = (await client.read_resource("ml-agent://runs")).contents[0].text
            assert "fit with lr 0.5" in listed and "canary" not in listed
            with pytest.raises(mcp.MCPError):
                await client.read_resource(f"ml-agent://runs/{run}")

    asyncio.run(talk())


def test_money_and_time_have_an_end(tmp_path: Path) -> None:
    from ml_agent.errors import UsageError
    from ml_agent.mcp_guard import Allowance, Share

    held = Allowance(4.0, 100.0)
    first, second = held.take(None, None), held.take(10.0, 10.0)
    assert (first, second) == (Share(2.0, 50.0), Share(2.0, 10.0)), "what runs is counted with all that it may take"
    with pytest.raises(UsageError, match="limit of money or time"):
        held.take(None, None)
    held.give_back(first, Share(0.5, 70.0))
    assert held.take(9.0, 90.0) == Share(1.5, 20.0)


def test_a_run_gets_no_more_time_than_is_left(tmp_path: Path) -> None:
    if find_bubblewrap() is None:
        pytest.skip("bubblewrap does not work here")
    write_files(tmp_path / "fitting", {"fit.py": "import time\ntime.sleep(600)\n"})

    async def talk() -> None:
        words = [*SERVER[1:], "--root", str(tmp_path), "--max-seconds", "10"]
        environment = {
            **os.environ,
            "ML_AGENT_SANDBOX": "local",
            "ML_AGENT_NETWORK": "none",
            "ML_AGENT_MAX_SECONDS": "600",
        }
        async with mcp.Client(mcp.StdioServerParameters(command=SERVER[0], args=words, env=environment)) as client:
            began = time.monotonic()
            given = {"command": "python fit.py", "repository": str(tmp_path / "fitting")}
            await client.call_tool("run_in_sandbox", given)
            assert time.monotonic() - began < 60
            assert "limit of money or time" in await refused(client, "run_in_sandbox", **given)

    asyncio.run(talk())
