"""A package index over HTTP that says when each file was uploaded, as PEP 700 has it."""

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

KIND = "application/vnd.pypi.simple.v1+json"


@contextmanager
def dated_index(folder: Path, uploaded: Mapping[str, str]) -> Iterator[str]:
    """The address of an index of the files that lie in a folder; `uploaded` has the day of each by its name."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            name = self.path.strip("/").rpartition("/")[2]
            if self.path.startswith("/files/"):
                return self._send((folder / name).read_bytes(), "application/octet-stream")
            plain = name.replace("-", "_")
            files = [
                {"filename": file, "url": f"/files/{file}", "hashes": {}, "upload-time": f"{day}T00:00:00Z"}
                for file, day in uploaded.items()
                if file.startswith(f"{plain}-")
            ]
            if not files:
                return self.send_error(404)
            page = {"meta": {"api-version": "1.1"}, "name": name, "versions": [], "files": files}
            return self._send(json.dumps(page).encode(), KIND)

        def _send(self, content: bytes, kind: str) -> None:
            self.send_response(200)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, format: str, *args: object) -> None:
            """Nothing: the test's output is not the place for it."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/simple"
    finally:
        server.shutdown()
        server.server_close()
