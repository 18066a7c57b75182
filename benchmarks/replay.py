"""Form D with answers that are known, so that anybody can run it again: those that were given by hand, or the rows' references.

    python -m benchmarks.replay collect OUT RECORDS      keep the conversations of a folder that `ml-agent bench run --form D` wrote
    python -m benchmarks.replay run RECORDS --repos DIR --out DIR      give every agent the same replies again, and judge what comes out
    python -m benchmarks.replay references --work DIR      answer by the rows' references: shows that rows, sandboxes and judges work here

RECORDS/AGENT/ROW.jsonl has one line a request: the messages that were new in it, and the reply. RECORDS/verdicts.jsonl has what came of each row.
"""

import functools
import json
import re
import shlex
import subprocess
import sys
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from email.message import Message
from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from ml_agent.benchmarks.form_d.rows import ARCHIVES, Row
from ml_agent.benchmarks.form_d.run import KEPT, pick_rows
from ml_agent.benchmarks.subjects import meter
from ml_agent.benchmarks.work import CLAIM
from ml_agent.sandbox.interpreters import find_interpreters, pick_interpreter
from ml_agent.sandbox.uv_program import uv_program

MODEL = "by-hand"
VERDICTS = "verdicts.jsonl"
_UV = re.compile(r"(?:/[\w.+-]+)+/\.venv/bin/uv\b")
_CACHE = re.compile(r"/root/\.cache")
_INDEX = re.compile(r"file:///[^\s\"'\\]+")
Reply = dict[str, Any]


app = typer.Typer(add_completion=False, no_args_is_help=True)
Only = Annotated[str, typer.Option(help="Only these rows, by name with commas.")]


@app.command("collect")
def collect_(results: Path, records: Path) -> None:
    """Keep the conversations of results."""
    print(f"{collect(results, records)} conversations in {records}")


@app.command()
def run(
    records: Path,
    repos: Annotated[str, typer.Option(help="Folder of the rows' archives.")],
    out: Annotated[Path, typer.Option()],
    agent: Annotated[str, typer.Option(help="Only this one.")] = "",
    rows: Only = "",
) -> None:
    """Replay the records; exit code 1 where a verdict differs from the recorded one."""
    wanted, differing = list(filter(None, rows.split(","))), 0
    for verdict in _verdicts(records):
        if agent not in ("", verdict["agent"]) or (wanted and verdict["row"] not in wanted):
            continue
        now = replay(records, verdict, repos, out)
        same = now is not None and now["delivered"] == verdict["delivered"]
        differing += not same
        print(f"{verdict['agent']:16}{verdict['row']:18}{'same' if same else 'DIFFERS':9}{_said(now)}", flush=True)
    sys.exit(1 if differing else 0)


def _said(done: dict[str, Any] | None) -> str:
    if done is None:
        return "did not run"
    return "delivered" if done["delivered"] else done["infrastructure"] or f"refused: {done['refusal']}"


def collect(results: Path, records: Path) -> int:
    """Keep the conversations whose rows have a verdict; returns how many."""
    kept = {(one["agent"], one["row"]): one for one in _verdicts(records)}
    for done in _results(results):
        name = _agent_of(done["agent"])
        place = results / "records" / done["agent"].replace(" ", "-") / done["row"] / f"try-{done['tries']}"
        lines = [_masked(json.dumps(one, ensure_ascii=False)) for one in _exchanges(place)]
        if done["infrastructure"] or not lines:
            continue
        target = records / name / f"{done['row']}.jsonl"
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text("\n".join(lines) + "\n", encoding="utf-8")
        names = ("row", "claim", "delivered", "refusal", "usage")
        kept[name, done["row"]] = {"agent": name, "version": done["agent"], **{key: done[key] for key in names}}
    texts = [json.dumps(kept[key], ensure_ascii=False) for key in sorted(kept)]
    (records / VERDICTS).write_text("\n".join(texts) + "\n", encoding="utf-8")
    return len(kept)


def replay(records: Path, verdict: dict[str, Any], repos: str, out: Path) -> dict[str, Any] | None:
    """Run an agent on a row with the recorded replies; what came of it, None where nothing did."""
    text = (records / verdict["agent"] / f"{verdict['row']}.jsonl").read_text(encoding="utf-8")
    replies = iter([json.loads(line)["reply"] for line in _unmasked(text).splitlines()])
    places = ("--agent", verdict["agent"], "--repos", repos, "--out", str(out / verdict["agent"]))
    with serving(lambda _: next(replies, None)) as url:
        _bench(
            "run", "--form", "D", "--tasks", f"delivery:{verdict['row']}", "--model", MODEL, "--base-url", url, *places
        )
    return _newest(out / verdict["agent"], verdict["row"])


@app.command()
def references(
    work: Annotated[Path, typer.Option(help="Folder for archives and results.")],
    tasks: Annotated[str, typer.Option(help="`delivery`, or a folder of `bench make --form D`.")] = "delivery",
    agent: Annotated[Literal["least", "llm"], typer.Option(help="Who asks the model; llm: ML-Agent.")] = "least",
    jobs: int = 1,
    rows: Only = "",
) -> None:
    """Run rows with a model that answers by their references; what is done stays: run again to go on. Exit code 1 where one does not deliver."""
    if agent != "llm":
        _bench("agents", "install", agent)
    named = f"{tasks}:{rows}".rstrip(":")
    picked = pick_rows(named)
    archives = picked[0].folder / ARCHIVES if tasks != "delivery" else work / ARCHIVES
    places = ("--agent", agent, "--repos", str(archives), "--out", str(work), "--jobs", str(jobs))
    with serving(functools.partial(answer, picked)) as url:
        _bench("run", "--form", "D", "--tasks", named, "--model", MODEL, "--base-url", url, *places)
    done = [_newest(work, row.name) for row in picked]
    for row, one in zip(picked, done, strict=True):
        print(f"{row.name:18}{_said(one)}")
    sys.exit(0 if all(one is not None and one["delivered"] for one in done) else 1)


def _bench(*words: str) -> None:
    subprocess.run([sys.executable, "-m", "ml_agent", "bench", *words], check=False, stdout=subprocess.DEVNULL)


def answer(rows: Iterable[Row], asked: Mapping[str, Any]) -> Reply:
    """A row's first request is answered by its reference, any later one by the end."""
    message = _message(rows, asked)
    usage = {"prompt_tokens": len(json.dumps(asked)) // 4, "completion_tokens": len(json.dumps(message)) // 4}
    ending = "tool_calls" if "tool_calls" in message else "stop"
    choice = {"index": 0, "finish_reason": ending, "message": {"role": "assistant", "content": "", **message}}
    head = {"id": "reply", "object": "chat.completion", "created": 0, "model": MODEL}
    return {**head, "choices": [choice], "usage": {**usage, "total_tokens": sum(usage.values())}}


def _message(rows: Iterable[Row], asked: Mapping[str, Any]) -> dict[str, Any]:
    """The reply of the row that was asked last: to ML-Agent by its functions, to another agent by one command of its shell, then the end."""
    said = [(message["role"], json.dumps(message)) for message in asked["messages"]]
    asks = [
        (number, row)
        for number, (_, text) in enumerate(said)
        for row in rows
        if json.dumps(row.instruction)[1:-1] in text
    ]
    at, row = asks[-1] if asks else (-1, None)
    turns = sum(role == "assistant" for role, _ in said[at + 1 :])
    tools = {tool["function"]["name"]: tool["function"]["parameters"] for tool in asked.get("tools", [])}
    if row and "answer" in tools:
        return _call(*_own_turns(row)[min(turns, 2)])
    shell = next((name for name, known in tools.items() if "command" in known.get("properties", {})), "")
    return _call(shell, {"command": command_of(row)}) if row and shell and not turns else {"content": "That is all."}


def _own_turns(row: Row) -> list[tuple[str, dict[str, Any]]]:
    """ML-Agent's functions in their order: what the reference installs, the rest of it as the answer, the end."""
    lines = _reference(row).splitlines()
    installs = [line.partition("uv pip install")[2] for line in lines if "uv pip install" in line]
    wanted = [word for line in installs for word in shlex.split(line) if word[0].isalpha()]
    text = "\n".join(line for line in lines if "uv pip install" not in line)
    outputs = [{"path": path} for path in row.outputs]
    return [
        ("install", {"requirements": [*wanted, "-e ."], "why": "as the reference", "python": row.python}),
        ("answer", {"kind": "command", "text": text, "outputs": outputs}),
        ("done", {"what": "the results are there"}),
    ]


def _reference(row: Row) -> str:
    return (row.folder / "references" / f"{row.name}.sh").read_text(encoding="utf-8")


def _call(name: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
    function = {"name": name, "arguments": json.dumps(arguments)}
    return {"tool_calls": [{"id": "call", "type": "function", "function": function}]}


def command_of(row: Row) -> str:
    """What delivers a row in a shell: the reference, in a new environment."""
    major, minor = map(int, row.python.split("."))
    interpreter = pick_interpreter((major, minor))
    python = shlex.quote(str(interpreter.executable) if interpreter else f"python{row.python}")
    uv = shlex.quote(str(uv_program()))
    return (
        f'{{\nexport VIRTUAL_ENV="$(cd .. && pwd)/environment"; {uv} venv -q --clear -p {python} "$VIRTUAL_ENV"\n'
        f'export PATH="$VIRTUAL_ENV/bin:$(dirname {uv}):$PATH"\n'
        f"cat > ../reference.sh <<'REFERENCE'\n{_reference(row)}REFERENCE\n"
        f"if bash -euo pipefail ../reference.sh >&2; then echo done; else echo failed; fi > ../word; mv ../word {CLAIM}\n}}\n"
    )


def _pythons() -> dict[str, str]:
    """This machine's interpreters that other agents are told of, by their placeholders."""
    found = ((one.version, str(one.executable)) for one in find_interpreters())
    return {f"{{python{version[0]}.{version[1]}}}": path for version, path in found if not path.startswith("/usr/")}


def _masked(text: str) -> str:
    """A record without what is true of one machine alone: places of its programs, of its caches and of its package index."""
    for name, path in _pythons().items():
        text = text.replace(path, name)
    text = _UV.sub("{uv}", text)
    return _INDEX.sub("file:///index/", _CACHE.sub("/home/user/.cache", text))


def _unmasked(text: str) -> str:
    text = text.replace("{uv}", str(uv_program()))
    for name, path in _pythons().items():
        text = text.replace(name, path)
    return text


def _results(folder: Path) -> Iterator[dict[str, Any]]:
    file = folder / KEPT
    for line in file.read_text(encoding="utf-8").splitlines() if file.is_file() else ():
        yield json.loads(line)


def _newest(folder: Path, row: str) -> dict[str, Any] | None:
    return next((one for one in reversed(list(_results(folder))) if one["row"] == row), None)


def _verdicts(records: Path) -> list[dict[str, Any]]:
    file = records / VERDICTS
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()] if file.is_file() else []


def _agent_of(label: str) -> str:
    """The name by which `bench run --agent` knows who has a label: "ml-agent llm 0c455e8b" is our own `llm`."""
    words = label.split()
    return words[1] if words[0] == "ml-agent" else words[0]


def _exchanges(place: Path) -> Iterator[dict[str, Any]]:
    """What was new in each request of a try, and its reply as a whole."""
    seen: list[Any] = []
    for request, reply in _calls(place):
        messages = request.get("messages", [])
        same = len(seen) if messages[: len(seen)] == seen else 0
        seen = messages
        yield {"messages": messages[same:], "reply": reply}


def _calls(place: Path) -> Iterator[tuple[dict[str, Any], dict[str, Any]]]:
    journal, own = place / "calls.jsonl", place / "run" / "trajectory.jsonl"
    for line in (journal if journal.is_file() else own).read_text(encoding="utf-8").splitlines():
        one = json.loads(line)
        if "status" in one and one["status"] == 200:
            yield one["request"], one["reply"]
        elif one.get("event") == "model-call":
            reply = {"id": "kept", "object": "chat.completion", "created": 0, "model": MODEL, "choices": one["reply"]}
            yield one["request"], {**reply, "usage": one["usage"]}


@contextmanager
def serving(reply: Callable[[dict[str, Any]], Reply | None]) -> Iterator[str]:
    """The address of an endpoint that answers by a function; where that has no answer, by an error that no client tries again."""

    models = json.dumps({"object": "list", "data": [{"id": MODEL, "object": "model"}]}).encode()

    def made(_path: str, _headers: Message, sent: bytes) -> meter.Reply:
        found = reply(json.loads(sent))
        body = found or {"error": {"message": "there is no further reply"}}
        return meter.Reply(status=200 if found else 401, body=json.dumps(body).encode())

    server = meter.http_server("127.0.0.1", lambda _: meter.Reply(status=200, body=models), made)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}/v1"
    finally:
        server.shutdown()
        server.server_close()


if __name__ == "__main__":
    app()
