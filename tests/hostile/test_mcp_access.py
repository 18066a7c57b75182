"""The MCP server serves its user alone: a token over HTTP, folders below its roots, and only so much money and time."""

import asyncio
import http.client
import itertools
import json
import os
import re
import socket
import stat
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from ml_agent.sandbox.bubblewrap import find_bubblewrap
from tests.browser import require_browser
from tests.processor_time import WAIT
from tests.servers.git_folders import write_files

mcp = pytest.importorskip("mcp")
pytest.importorskip("uvicorn")

HELD_BY = "ml_agent.mcp_guard"
SERVER = [sys.executable, "-m", "ml_agent", "mcp"]
ASK = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "x", "version": "1"}}}  # fmt: skip


class Served(NamedTuple):
    """A server over HTTP."""

    port: int
    token: str
    file: Path
    root: Path


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Served]:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    root = tmp_path / "root"
    write_files(
        root / "fitting", {"fit.py": "import argparse\np = argparse.ArgumentParser()\np.add_argument('--lr')\n"}
    )
    command = [*SERVER, "--transport", "http", "--port", str(port), "--root", str(root)]
    settings = {"ML_AGENT_SANDBOX": "local", "ML_AGENT_NETWORK": "none"}
    server = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env={**os.environ, **settings})
    try:
        assert server.stderr is not None
        line = server.stderr.readline()
        found = re.search(r"Bearer ([\w-]{40,})`, also in (\S+)", line)
        assert found, line
        until = time.monotonic() + WAIT
        while socket.socket().connect_ex(("127.0.0.1", port)):
            assert time.monotonic() < until and server.poll() is None
            time.sleep(0.1)
        yield Served(port, found[1], Path(found[2]), root)
    finally:
        server.terminate()
        server.wait(60)
    assert not Path(found[2]).exists(), "the token's file outlives the server"


def asked(served: Served, headers: list[tuple[str, str]], method: str = "POST", path: str = "/mcp") -> int:
    """The status of a request with these headers alone."""
    connection = http.client.HTTPConnection("127.0.0.1", served.port, timeout=30)
    body = json.dumps(ASK).encode()
    connection.putrequest(method, path, skip_host=True, skip_accept_encoding=True)
    plain = [("Content-Type", "application/json"), ("Accept", "application/json, text/event-stream")]
    for name, value in [*plain, ("Content-Length", str(len(body))), *headers]:
        connection.putheader(name, value)
    connection.endheaders(body)
    status = connection.getresponse().status
    connection.close()
    return status


def test_only_the_token_opens(served: Served) -> None:
    host = ("Host", f"127.0.0.1:{served.port}")
    right = ("Authorization", f"Bearer {served.token}")
    assert stat.S_IMODE(served.file.stat().st_mode) == 0o600 and served.file.read_text() == f"{served.token}\n"
    assert asked(served, [host, right]) == 200
    assert (
        asked(served, [("Host", f"localhost:{served.port}"), right, ("Origin", f"http://localhost:{served.port}")])
        == 200
    )
    alone = ["Bearer ", "Bearer x", served.token, f"Basic {served.token}"]
    for tokens in ([], *([one] for one in alone), [right[1], right[1]], ["Bearer x", right[1]]):
        assert asked(served, [host, *(("Authorization", token) for token in tokens)]) == 401, tokens
    origins = "http://localhost:3000 http://localhost null https://localhost:443 https://127.0.0.1:{0} http://evil.example:{0}"
    for origin in origins.format(served.port).split():
        assert asked(served, [host, right, ("Origin", origin)]) == 403, origin
    hosts = "evil.example evil.example:{0} 127.0.0.1 127.0.0.1:{0}.evil.example [::1]:{0}"
    for name in hosts.format(served.port).split():
        assert asked(served, [("Host", name), right]) == 421, name
    assert asked(served, [right]) in (400, 421) and asked(served, [host, host, right]) in (400, 421)
    ways = "GET /mcp|DELETE /mcp|OPTIONS /mcp|GET /|GET /.well-known/oauth-protected-resource"
    for method, path in (way.split() for way in ways.split("|")):
        assert asked(served, [host], method, path) == 401, (method, path)
    again = subprocess.run(
        [*SERVER, "--transport", "http", "--port", str(served.port)],
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )
    assert again.returncode == 3 and "Bearer" not in again.stderr and served.file.read_text() == f"{served.token}\n"


def test_a_page_whose_name_is_led_to_the_server_is_refused(tmp_path: Path) -> None:
    """DNS rebinding in a real browser, in a network of its own."""
    require_browser()
    if find_bubblewrap() is None:
        pytest.skip("bubblewrap does not work here")
    names = tmp_path / "resolv.conf"
    names.write_text("nameserver 127.0.0.1\n")
    (tmp_path / "root").mkdir()
    network = ["--unshare-net", "--unshare-user", "--uid", "0", "--cap-add", "ALL"]
    apart = ["bwrap", "--dev-bind", "/", "/", *network, "--die-with-parent", "--ro-bind"]
    program = [sys.executable, "-m", "tests.hostile.rebound", str(tmp_path / "root"), str(tmp_path / "profile")]
    command = [*apart, str(names), "/etc/resolv.conf", *program, *SERVER, "--transport", "http"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=200, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    said = json.loads(done.stdout)
    assert said["rebound"].pop("socket") == "closed" and set(map(str, said["rebound"].values())) == {"[421, '']"}, said
    elsewhere = said["from elsewhere"]
    assert elsewhere.pop("socket") == "closed" and set(elsewhere.values()) <= {"TypeError", "opaque"}, said


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become somebody else")
def test_another_user_of_the_machine_has_no_way_in(served: Served) -> None:
    program = f"""
import os, socket
os.setgid(65534); os.setuid(65534)
try:
    print(open({str(served.file)!r}).read())
except OSError:
    print("closed")
one = socket.socket()
one.connect(("127.0.0.1", {served.port}))
body = {json.dumps(ASK)!r}
one.sendall(f"POST /mcp HTTP/1.1\\r\\nHost: 127.0.0.1:{served.port}\\r\\nContent-Length: {{len(body)}}\\r\\n\\r\\n{{body}}".encode())
print(one.recv(100).split()[1].decode())
words = ""
for pid in filter(str.isdigit, os.listdir("/proc")):
    try:
        words += open(f"/proc/{{pid}}/cmdline").read() + open(f"/proc/{{pid}}/environ").read()
    except OSError:
        pass
print({served.token!r} in words)
"""
    done = subprocess.run(
        [sys.executable, "-I", "-"], input=program, capture_output=True, text=True, timeout=60, check=False
    )
    assert done.stdout.split() == ["closed", "401", "False"], done


def test_floods_end_in_an_answer(served: Served) -> None:
    """Nobody reads the server's stderr here: what it said of each call would fill the pipe and stop it."""
    right = [("Host", f"127.0.0.1:{served.port}"), ("Authorization", f"Bearer {served.token}")]
    plain = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream", **dict(right)}

    def answered(body: str, **more: str) -> "tuple[int, str, str]":
        connection = http.client.HTTPConnection("127.0.0.1", served.port, timeout=60)
        try:
            connection.request("POST", "/mcp", body, {**plain, **more})
            response = connection.getresponse()
            return response.status, response.headers.get("mcp-session-id", ""), response.read().decode()
        finally:
            connection.close()

    session = {"mcp-session-id": [answered(json.dumps(ASK)) for _ in range(200)][-1][1]}
    answered(json.dumps({"jsonrpc": "2.0", "method": "notifications/initialized"}), **session)

    numbers = itertools.count(2)

    def called(command: str, repository: str) -> "tuple[int, str, str]":
        given = {"name": "check_command", "arguments": {"command": command, "repository": repository}}
        return answered(
            json.dumps({"jsonrpc": "2.0", "id": next(numbers), "method": "tools/call", "params": given}), **session
        )

    fitting = str(served.root / "fitting")
    assert answered("[" * 200_000 + "]" * 200_000, **session)[0] == 400
    assert called("x" * 8_000_000, fitting)[0] == 413 and "too long" in called("a " * 400_000, fitting)[2]
    assert asked(served, right[:1], path=f"/mcp?token={served.token}") == 401
    with ThreadPoolExecutor(150) as pool:
        answers = list(pool.map(lambda _: called("python fit.py", "/"), range(300)))
    assert {status for status, _, _ in answers} <= {200, 503}
    assert "outside the folders" in called("x", "/")[2] and '"ok' in called("python fit.py --lr 1", fitting)[2]


def test_an_id_that_is_used_twice_leaves_nobody_waiting(served: Served) -> None:
    if find_bubblewrap() is None:
        pytest.skip("bubblewrap does not work here")
    plain = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream", "Authorization": f"Bearer {served.token}"}  # fmt: skip

    def answered(said: dict[str, Any], session: str = "") -> "tuple[int, str, str]":
        connection = http.client.HTTPConnection("127.0.0.1", served.port, timeout=WAIT)
        connection.request(
            "POST", "/mcp", json.dumps(said), {**plain, **({"mcp-session-id": session} if session else {})}
        )
        response = connection.getresponse()
        return response.status, response.headers.get("mcp-session-id", ""), response.read().decode()

    def called(session: str, number: Any, seconds: int = 5) -> "tuple[int, str, str]":
        given = {"command": f"sleep {seconds}; echo said {number!r}", "repository": str(served.root / "fitting")}
        named = {"name": "run_in_sandbox", "arguments": given}
        return answered({"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": named}, session)

    first, second = (answered(ASK)[1] for _ in range(2))
    for session in (first, second):
        answered({"jsonrpc": "2.0", "method": "notifications/initialized"}, session)
    with ThreadPoolExecutor() as pool:
        under_way = pool.submit(called, first, 7)
        time.sleep(1)
        assert [called(first, number)[0] for number in (7, "7")] == [409, 409]
        assert answered({"jsonrpc": "2.0", "id": 7, "result": {}}, first)[0] == 202, "an answer is no request"
        other = pool.submit(called, second, 7)
    assert all(one.result()[0] == 200 and "said 7" in one.result()[2] for one in (under_way, other))
    assert "said 7" in called(first, 7, 0)[2]


def http_client(served: Served) -> Any:
    import httpx2
    from mcp.client.streamable_http import streamable_http_client

    headers = {"Authorization": f"Bearer {served.token}"}
    return mcp.Client(
        streamable_http_client(
            f"http://127.0.0.1:{served.port}/mcp", http_client=httpx2.AsyncClient(headers=headers, timeout=60)
        )
    )


async def refused(client: Any, tool: str, **given: str) -> str:
    result = await client.call_tool(tool, given)
    assert result.is_error, result
    return str(result.content[0].text)


OUTSIDE = ["{home}", "{home}/private", "{root}/../home", "{root}/way-out", "~", "../home", "/etc", "{home}/private/plan.txt", "{home}/no-such"]  # fmt: skip


@pytest.mark.parametrize("way", ["http", "stdio"])
def test_only_folders_below_the_roots_are_read(
    way: str, served: Served, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = tmp_path / "home"
    write_files(
        home / "private",
        {"plan.txt": "canary", "fit.py": "print('canary')\n", "list.jsonl": '{"full_name": "a/canary"}\n'},
    )
    (served.root / "way-out").symlink_to(home / "private")
    monkeypatch.setenv("HOME", str(home))
    words = mcp.StdioServerParameters(
        command=SERVER[0], args=[*SERVER[1:], "--root", str(served.root)], env=dict(os.environ)
    )

    async def talk() -> None:
        async with http_client(served) if way == "http" else mcp.Client(words) as client:
            inside = await client.call_tool("explain_entry_points", {"repository": str(served.root / "fitting")})
            assert inside.structured_content["result"][0]["entry"] == "fit.py"
            for name in OUTSIDE:
                place = name.format(home=home, root=served.root)
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
        words = mcp.StdioServerParameters(
            command=SERVER[0], args=[*SERVER[1:], "--root", str(tmp_path / "else")], env=dict(os.environ)
        )
        async with mcp.Client(words, list_roots_callback=roots, mode="legacy") as client:
            given = {"repository": str(tmp_path / "mine/fitting")}
            assert not (await client.call_tool("explain_entry_points", given)).is_error
            assert "outside" in await refused(client, "explain_entry_points", repository=str(tmp_path / "else"))

    asyncio.run(talk())


def test_money_and_time_have_an_end(tmp_path: Path) -> None:
    from ml_agent.errors import UsageError
    from ml_agent.mcp_guard import Allowance, Share

    held = Allowance(4.0, 100.0)
    first, second = held.take(None, None), held.take(10.0, 10.0)
    assert (first, second) == (Share(2.0, 50.0), Share(2.0, 10.0)), "what runs is counted with all that it may take"
    with pytest.raises(UsageError, match="money or time"):
        held.take(None, None)
    held.give_back(first, Share(0.5, 70.0))
    assert held.take(9.0, 90.0) == Share(1.5, 20.0)


def test_a_run_gets_no_more_time_than_is_left(tmp_path: Path) -> None:
    if find_bubblewrap() is None:
        pytest.skip("bubblewrap does not work here")
    write_files(tmp_path / "fitting", {"fit.py": "import time\ntime.sleep(600)\n"})

    async def talk() -> None:
        words = [*SERVER[1:], "--root", str(tmp_path), "--session-seconds", "10"]
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
            assert "money or time" in await refused(client, "run_in_sandbox", **given)

    asyncio.run(talk())
