"""Runs delivery rows with a scripted model, whose answers are the references: shows that rows, sandboxes and judges work here.

    python -m ml_agent.benchmarks.form_d [NAME...] --work DIR [--agent NAME] [--jobs N] [--sandbox NAME]

Ends with 1 where a reference did not deliver, or nobody can say. What is done stays: run again to go on.
"""

import argparse
import json
import re
import shlex
import sys
import threading
from collections.abc import Mapping
from contextlib import AbstractContextManager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import TracebackType
from typing import Any

from ml_agent.benchmarks.engines.local import LocalEngine
from ml_agent.benchmarks.form_d.rows import FOLDER, Row, load_rows
from ml_agent.benchmarks.form_d.run import JUDGE, DeliveringAgent, Delivery, Plan, run, with_compiler
from ml_agent.benchmarks.subjects.agents import agents_home, subject
from ml_agent.benchmarks.subjects.install import install
from ml_agent.benchmarks.subjects.places import Place
from ml_agent.benchmarks.work import CLAIM, LIMITS, SCRIPT, Terms
from ml_agent.model.endpoint import Endpoint
from ml_agent.sandbox.interpreters import pick_interpreter
from ml_agent.sandbox.uv_program import uv_program

MODEL = "references"
LAST = {"finish": {"message": "done"}, "submit": {}}
"""Tools by which agents end, and what they want."""


def command_of(row: Row) -> str:
    """What delivers a row in a shell: the reference, in a new environment. A single command: some agents take no more."""
    major, minor = map(int, row.python.split("."))
    interpreter = pick_interpreter((major, minor))
    python = shlex.quote(str(interpreter.executable) if interpreter else f"python{row.python}")
    uv = shlex.quote(str(uv_program()))
    reference = (FOLDER / "references" / f"{row.name}.sh").read_text(encoding="utf-8")
    return (
        f'{{\nexport VIRTUAL_ENV="$(cd .. && pwd)/environment"; {uv} venv -q --clear -p {python} "$VIRTUAL_ENV"\n'
        f'export PATH="$VIRTUAL_ENV/bin:$(dirname {uv}):$PATH"\n'
        f"cat > ../reference.sh <<'REFERENCE'\n{reference}REFERENCE\n"
        f"if bash -euo pipefail ../reference.sh; then echo done; else echo failed; fi > ../word; mv ../word {CLAIM}\n}}\n"
    )


class ScriptedModel(AbstractContextManager["ScriptedModel"]):
    """An endpoint at `url` that answers a row's first request by its reference, and any later one by the end."""

    def __init__(self) -> None:
        self._rows = load_rows().values()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))
        self._server.daemon_threads = True

    @property
    def url(self) -> str:
        """Its base."""
        return f"http://127.0.0.1:{self._server.server_address[1]}/v1"

    def __enter__(self) -> "ScriptedModel":
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.shutdown()
        self._server.server_close()

    def reply(self, asked: Mapping[str, Any]) -> dict[str, Any]:
        """A chat completion."""
        message = self._message(asked)
        usage = {"prompt_tokens": len(json.dumps(asked)) // 4, "completion_tokens": len(json.dumps(message)) // 4}
        ending = "tool_calls" if "tool_calls" in message else "stop"
        choice = {"index": 0, "finish_reason": ending, "message": {"role": "assistant", "content": "", **message}}
        head = {"id": "reply", "object": "chat.completion", "created": 0, "model": MODEL}
        return {**head, "choices": [choice], "usage": {**usage, "total_tokens": sum(usage.values())}}

    def _message(self, asked: Mapping[str, Any]) -> dict[str, Any]:
        said = [(message["role"], json.dumps(message)) for message in asked["messages"]]
        asks = [
            (number, row)
            for number, (_, text) in enumerate(said)
            for row in self._rows
            if json.dumps(row.instruction)[1:-1] in text
        ]
        at, row = asks[-1] if asks else (-1, None)
        began = any(role != "user" for role, _ in said[at + 1 :])
        tools = {tool["function"]["name"]: tool["function"]["parameters"] for tool in asked.get("tools", [])}
        shell = next((name for name, known in tools.items() if "command" in known.get("properties", {})), "")
        if row and not began:
            command = command_of(row)
            return _call(shell, {"command": command}) if shell else {"content": f"{SCRIPT}\n```\n{command}```\n"}
        last = next((name for name in tools if name in LAST), "")
        if last:
            return _call(last, LAST[last])
        ended = re.search(r"echo (COMPLETE_TASK\w*)", "".join(text for _, text in said))
        return _call(shell, {"command": f"echo {ended[1]}"}) if ended and shell else {"content": "TERMINATE"}


def _call(name: str, arguments: Mapping[str, str]) -> dict[str, Any]:
    function = {"name": name, "arguments": json.dumps(arguments)}
    return {"tool_calls": [{"id": "call", "type": "function", "function": function}]}


def _handler(model: ScriptedModel) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self._write({"object": "list", "data": [{"id": MODEL, "object": "model"}]})

        def do_POST(self) -> None:
            self._write(model.reply(json.loads(self.rfile.read(int(self.headers["content-length"])))))

        def _write(self, value: Mapping[str, Any]) -> None:
            body = json.dumps(value).encode()
            self.send_response(200)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: Any) -> None:
            """Keep quiet."""

    return Handler


def main() -> int:
    """Run the rows that were named, or all."""
    parser = argparse.ArgumentParser(prog="python -m ml_agent.benchmarks.form_d", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--work", type=Path, required=True, help="folder for archives and results")
    parser.add_argument("--agent", default="least", help="who asks the model")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--sandbox", default="auto")
    options = parser.parse_args()
    rows = load_rows()
    if unknown := set(options.names) - set(rows):
        parser.error(f"no such row: {', '.join(sorted(unknown))}")
    home, who = agents_home(), subject(options.agent)
    with ScriptedModel() as model:
        terms = Terms(
            endpoint=Endpoint(model=MODEL, base_url=model.url, timeout=LIMITS["D"].seconds or 0.0),
            limits=LIMITS["D"],
            tries=2,
            place=with_compiler(Place(sandbox=options.sandbox)),
        )
        plan = Plan(
            rows=tuple(rows[name] for name in options.names or rows),
            archives=options.work.absolute() / "archives",
            out=options.work.absolute(),
            agent=DeliveringAgent(who, who.install(home, print)),
            terms=terms,
            judge=install(home, "judge", JUDGE, print),
        )
        done = run(plan, LocalEngine(options.jobs))
    for one in done:
        print(f"{one.row}: {_said(one)}, {one.usage.seconds:.0f} s")
    return 0 if all(one.delivered for one in done) else 1


def _said(one: Delivery) -> str:
    return "delivered" if one.delivered else one.infrastructure or f"{one.refusal} ({one.ended}: {one.error})"


if __name__ == "__main__":
    sys.exit(main())
