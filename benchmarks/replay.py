"""Conversations of form D that were answered by hand, kept with their verdicts, so that anybody can run the comparison again.

`python -m benchmarks.replay collect OUT RECORDS` keeps those of a folder that `ml-agent bench run --form D` wrote: RECORDS/AGENT/ROW.jsonl has one line
a request, the messages that were new in it and the reply; RECORDS/verdicts.jsonl has what came of each row.
`python -m benchmarks.replay run RECORDS --repos DIR --out DIR` gives every agent the same replies again, one after the other, and judges what comes out.
"""

import argparse
import json
import re
import subprocess
import sys
import threading
from collections.abc import Iterator, Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from ml_agent.benchmarks.form_d.run import KEPT
from ml_agent.sandbox.interpreters import find_interpreters
from ml_agent.sandbox.uv_program import uv_program

MODEL = "by-hand"
VERDICTS = "verdicts.jsonl"
_UV = re.compile(r"(?:/[\w.+-]+)+/\.venv/bin/uv\b")
_CACHE = re.compile(r"/root/\.cache")
_INDEX = re.compile(r"file:///[^\s\"'\\]+")


def main(arguments: Sequence[str] | None = None) -> int:
    """Collect, or run again; exit code 1 where a verdict differs from the recorded one."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    verbs = parser.add_subparsers(dest="verb", required=True)
    one = verbs.add_parser("collect")
    one.add_argument("results", type=Path, metavar="OUT")
    one.add_argument("records", type=Path, metavar="RECORDS")
    two = verbs.add_parser("run")
    two.add_argument("records", type=Path, metavar="RECORDS")
    two.add_argument("--repos", required=True, help="folder of the rows' archives")
    two.add_argument("--out", type=Path, required=True)
    two.add_argument("--agent", help="only this one")
    two.add_argument("--rows", default="", help="only these, by name with commas")
    options = parser.parse_args(arguments)
    if options.verb == "collect":
        print(f"{collect(options.results, options.records)} conversations in {options.records}")
        return 0
    wanted = set(filter(None, options.rows.split(",")))
    differing = 0
    for verdict in _verdicts(options.records):
        if options.agent not in (None, verdict["agent"]) or (wanted and verdict["row"] not in wanted):
            continue
        now = replay(options.records, verdict, options.repos, options.out)
        same = now is not None and now["delivered"] == verdict["delivered"]
        differing += not same
        said = "did not run" if now is None else "delivered" if now["delivered"] else f"refused: {now['refusal']}"
        print(f"{verdict['agent']:16}{verdict['row']:18}{'same' if same else 'DIFFERS':9}{said}", flush=True)
    return 1 if differing else 0


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
    replies = [json.loads(line)["reply"] for line in _unmasked(text).splitlines()]
    server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(replies))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    folder = out / verdict["agent"]
    command = [
        sys.executable,
        "-m",
        "ml_agent",
        "bench",
        "run",
        "--form",
        "D",
        "--agent",
        verdict["agent"],
        "--model",
        MODEL,
    ]
    places = ["--tasks", f"delivery:{verdict['row']}", "--repos", repos, "--out", str(folder)]
    try:
        url = f"http://127.0.0.1:{server.server_address[1]}/v1"
        subprocess.run([*command, *places, "--base-url", url], check=False, stdout=subprocess.DEVNULL)
    finally:
        server.shutdown()
        server.server_close()
    return next((one for one in reversed(list(_results(folder))) if one["row"] == verdict["row"]), None)


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
        yield json.loads(line)["result"]


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


def _handler(replies: Sequence[dict[str, Any]]) -> type[BaseHTTPRequestHandler]:
    """Gives the replies in their order; after the last an error that no client tries again."""
    left = iter(replies)

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            self._write(200, {"object": "list", "data": [{"id": MODEL, "object": "model"}]})

        def do_POST(self) -> None:
            self.rfile.read(int(self.headers.get("content-length") or 0))
            reply = next(left, None)
            self._write(200 if reply else 401, reply or {"error": {"message": "the record has no further reply"}})

        def _write(self, status: int, body: dict[str, Any]) -> None:
            sent = json.dumps(body).encode()
            self.send_response(status)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(sent)))
            self.end_headers()
            self.wfile.write(sent)

        def log_message(self, format: str, *args: Any) -> None:
            """Keep quiet."""

    return Handler


if __name__ == "__main__":
    sys.exit(main())
