"""A stand-in for GitHub in one process: the REST API that we use, and git over http.

with GitHubServer(folder) as github:
    sha = github.publish(About(full_name="owner/name"), {"README.md": "# Name"})
    github.fail(Fault(status=403, headers={"Retry-After": "1"}))
    Github(base_url=github.url) …
"""

import base64
import hashlib
import json
import math
import os
import re
import subprocess
import threading
import time
from collections.abc import Callable, Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import TracebackType
from typing import Any, NamedTuple, Self
from urllib.parse import parse_qs, quote_plus, unquote, urlsplit

import msgspec

from tests.servers.git_folders import commit_files
from tests.servers.github_search import About, Search

__all__ = ["About", "Fault", "GitHubServer", "Request"]

WINDOW = 60.0
"""Seconds in which requests are counted."""
MAX_HITS = 1000
"""GitHub shows no more hits of one search."""
_API = re.compile(r"/repos/([^/]+/[^/]+?)(?:/(readme|git/trees)(?:/(.*))?)?")
_GIT = re.compile(r"/([\w.-]+/[\w.-]+?)(?:\.git)?/(info/refs|git-upload-pack)")


class Fault(msgspec.Struct, kw_only=True):
    """An answer given instead of the right one."""

    status: int = 500
    times: int = 1
    path: str = "/"
    """Only for paths that start so."""
    headers: dict[str, str] = msgspec.field(default_factory=dict)
    body: Any = msgspec.field(default_factory=dict)
    """JSON, or bytes as they are."""
    stall: bool = False
    """Say nothing until the server stops."""


class Request(NamedTuple):
    """A request that was received."""

    method: str
    path: str
    authorization: str


class Entry(NamedTuple):
    """A file or folder in a git tree."""

    kind: str
    """blob, tree or commit."""
    sha: str
    path: str


class Reply(NamedTuple):
    """What is sent."""

    status: int
    body: Any
    """JSON, or bytes as they are."""
    headers: Mapping[str, str] = {}


class GitHubServer:
    """GitHub, as far as we use it. Its repositories lie in `root/OWNER/NAME` as git work trees."""

    def __init__(self, root: Path, token: str | None = None, limits: dict[str, int] | None = None) -> None:
        """With a `token`, private repositories are shown to those who send it, and wrong tokens are refused.

        `limits`: requests in `WINDOW` seconds of the resources "search" and "core"; none where it is not given.
        """
        self.root, self.token, self.limits = root, token, dict(limits or {})
        self._served: dict[str, list[float]] = {"search": [], "core": []}
        self.requests: list[Request] = []
        self.abouts: dict[str, About] = {}
        self._faults: list[Fault] = []
        self._lock = threading.Lock()
        self.stopping = threading.Event()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)

    @property
    def url(self) -> str:
        """Of the API and of the web site; PyGithub wants the same host in every answer."""
        return f"http://localhost:{self._server.server_port}"

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stopping.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def publish(self, about: About, files: Mapping[str, str | bytes] | None = None) -> str:
        """List a repository, and commit files to it; gives the commit's SHA, "" for one without files."""
        readme = next((text for name, text in (files or {}).items() if name.lower().startswith("readme")), about.readme)
        readme = readme if isinstance(readme, str) else readme.decode(errors="replace")
        self.abouts[about.full_name] = msgspec.structs.replace(about, readme=readme)
        return commit_files(self.root / about.full_name, files) if files is not None else ""

    def fail(self, fault: Fault) -> None:
        """Answer the next requests wrongly."""
        with self._lock:
            self._faults.append(fault)

    def fault_for(self, path: str) -> Fault | None:
        """The fault that is due, if any; it is used up."""
        with self._lock:
            due = next((fault for fault in self._faults if fault.times > 0 and path.startswith(fault.path)), None)
            if due:
                due.times -= 1
            return due

    def used_up(self, resource: str) -> Reply | None:
        """The refusal where a resource's limit is reached; else the request is counted."""
        limit = self.limits.get(resource)
        if limit is None:
            return None
        with self._lock:
            now = time.time()
            served = self._served[resource] = [one for one in self._served[resource] if one > now - WINDOW]
            if len(served) < limit:
                served.append(now)
                return None
            left = {"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": str(math.ceil(served[0] + WINDOW))}
            return Reply(403, _problem("API rate limit exceeded for 127.0.0.1."), left)

    def seen(self, about: About | None, authorization: str) -> bool:
        """Whether a repository is shown to the sender."""
        return about is not None and (not about.private or self._knows(authorization))

    def refused(self, authorization: str) -> bool:
        """Whether credentials were sent that are wrong."""
        return bool(self.token and authorization and not self._knows(authorization))

    def _knows(self, authorization: str) -> bool:
        basic = base64.b64encode(f"x-access-token:{self.token}".encode()).decode()
        return bool(self.token) and authorization in {f"token {self.token}", f"Bearer {self.token}", f"Basic {basic}"}

    def answer(self, request: Request, body: bytes, headers: Mapping[str, str]) -> Reply:
        """The right answer."""
        parts = urlsplit(request.path)
        query = {key: values[0] for key, values in parse_qs(parts.query).items()}
        path = unquote(parts.path).removeprefix("/api/v3")
        if match := _GIT.fullmatch(path):
            return self._git(match[1], match[2], request, (body, headers))
        if self.refused(request.authorization):
            return Reply(401, _problem("Bad credentials", status="401"))
        if path == "/rate_limit":
            return Reply(200, _rate_limits())
        if path == "/search/repositories":
            return self._search(query, request.authorization)
        match = _API.fullmatch(path)
        about = self.abouts.get(match[1]) if match else None
        if match is None or about is None or not self.seen(about, request.authorization):
            return _not_found()
        return self._repository(about, match[2] or "", match[3] or "", query)

    def _search(self, query: dict[str, str], authorization: str) -> Reply:
        if not query.get("q", "").strip():
            missing = {"resource": "Search", "field": "q", "code": "missing"}
            return Reply(422, _problem("Validation Failed", errors=[missing]))
        size, page = min(int(query.get("per_page", 30)), 100), int(query.get("page", 1))
        if page * size > MAX_HITS:
            return Reply(422, _problem("Only the first 1000 search results are available"))
        shown = [about for about in self.abouts.values() if self.seen(about, authorization)]
        hits = Search(query["q"]).hits(shown)
        if query.get("sort") == "stars":
            hits.sort(key=lambda about: about.stars, reverse=query.get("order", "desc") == "desc")
        items = [_listed(about, self.url) for about in hits[(page - 1) * size : page * size]]
        found = {"total_count": len(hits), "incomplete_results": False, "items": items}
        last = -(-len(hits) // size)
        link = f"{self.url}/search/repositories?q={quote_plus(query['q'])}&per_page={size}&page="
        more = {"Link": f'<{link}{page + 1}>; rel="next", <{link}{last}>; rel="last"'} if page < last else {}
        return Reply(200, found, more)

    def _repository(self, about: About, what: str, path: str, query: dict[str, str]) -> Reply:
        reference = query.get("ref", "HEAD")
        if not what:
            return Reply(200, _listed(about, self.url))
        if what == "git/trees":
            files = [{"path": one.path, "type": one.kind} for one in self._list(about, path, recursive=True)]
            return Reply(200, {"sha": path, "tree": files, "truncated": False}) if files else _not_found()
        readme = next((one for one in self._list(about, reference) if one.path.lower().startswith("readme")), None)
        data = self._git_output(about, "cat-file", "blob", readme.sha) if readme else about.readme.encode()
        content = {"type": "file", "encoding": "base64", "content": base64.encodebytes(data).decode()}
        return Reply(200, content) if data else _not_found()

    def _list(self, about: About, reference: str, *, recursive: bool = False) -> list[Entry]:
        options = ["-r", "-t"] if recursive else []
        lines = self._git_output(about, "ls-tree", *options, reference).decode().splitlines()
        parted = [line.partition("\t") for line in lines]
        return [Entry(about.split()[1], about.split()[2], path) for about, _, path in parted]

    def _git_output(self, about: About, *arguments: str) -> bytes:
        folder = self.root / about.full_name
        command = ["git", "-c", "safe.directory=*", "--git-dir", str(folder / ".git"), *arguments]
        return subprocess.run(command, capture_output=True, check=False).stdout

    def _git(self, full_name: str, what: str, request: Request, sent: tuple[bytes, Mapping[str, str]]) -> Reply:
        about = self.abouts.get(full_name)
        if self.refused(request.authorization) or (about and not self.seen(about, request.authorization)):
            return Reply(401, b"", {"WWW-Authenticate": 'Basic realm="GitHub"'})
        if about is None or not (self.root / full_name / ".git").is_dir():
            return Reply(404, b"Repository not found.")
        body, headers = sent
        environment = {
            **os.environ,
            "GIT_PROJECT_ROOT": str(self.root / full_name),
            "GIT_HTTP_EXPORT_ALL": "1",
            "PATH_INFO": f"/.git/{what}",
            "QUERY_STRING": urlsplit(request.path).query,
            "REQUEST_METHOD": request.method,
            "CONTENT_TYPE": headers.get("Content-Type", ""),
            "CONTENT_LENGTH": str(len(body)),
            "HTTP_CONTENT_ENCODING": headers.get("Content-Encoding", ""),
            "GIT_PROTOCOL": headers.get("Git-Protocol", ""),
            "REMOTE_ADDR": "127.0.0.1",
            "GIT_CONFIG_COUNT": "1",
            "GIT_CONFIG_KEY_0": "safe.directory",
            "GIT_CONFIG_VALUE_0": "*",
        }
        out = subprocess.run(
            ["git", "http-backend"], input=body, capture_output=True, env=environment, check=False
        ).stdout
        head, _, data = out.partition(b"\r\n\r\n")
        named = dict(line.split(": ", 1) for line in head.decode().split("\r\n") if ": " in line)
        return Reply(int(named.pop("Status", "200").split()[0]), data, named)


def _listed(about: About, base: str) -> dict[str, Any]:
    """A repository as GitHub's search and its own page show it, as far as anybody reads it."""
    web = f"{base}/{about.full_name}"
    licence = {"key": about.licence.lower(), "spdx_id": about.licence} if about.licence else None
    same = ("full_name", "private", "description", "language", "default_branch", "archived", "fork", "size")
    return {
        **{name: getattr(about, name) for name in same},
        "html_url": web,
        "clone_url": f"{web}.git",
        "topics": list(about.topics),
        "stargazers_count": about.stars,
        "pushed_at": about.pushed,
        "license": licence,
    }


def _rate_limits() -> dict[str, Any]:
    limits = {
        name: {"limit": number, "remaining": number, "reset": int(time.time()) + 60, "used": 0}
        for name, number in (("core", 5000), ("search", 30))
    }
    return {"resources": limits, "rate": limits["core"]}


def _problem(message: str, **more: Any) -> dict[str, Any]:
    return {"message": message, "documentation_url": "https://docs.github.com/rest", **more}


def _not_found() -> Reply:
    return Reply(404, _problem("Not Found", status="404"))


def _handler(github: GitHubServer) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, format: str, *args: Any) -> None:  # the base class's name
            """Requests are kept in `github.requests`."""

        def do_GET(self) -> None:
            self._respond(b"")

        def do_POST(self) -> None:
            self._respond(_body(self))

        def _respond(self, body: bytes) -> None:
            request = Request(self.command, self.path, self.headers.get("Authorization", ""))
            github.requests.append(request)
            fault = github.fault_for(urlsplit(self.path).path)
            if fault is None:
                self._send(self._limited(request, body))
            elif fault.stall:
                github.stopping.wait()
                self.close_connection = True
            else:
                self._send(Reply(fault.status, fault.body, fault.headers))

        def _limited(self, request: Request, body: bytes) -> Reply:
            """The answer within the limits; what did not change since is not sent again, and does not count."""
            reply = github.answer(request, body, dict(self.headers.items()))
            path = urlsplit(self.path).path
            if isinstance(reply.body, bytes) or reply.status != 200 or path == "/rate_limit":
                return reply
            tag = f'"{hashlib.sha256(json.dumps(reply.body).encode()).hexdigest()[:32]}"'
            if self.headers.get("If-None-Match") == tag:
                return Reply(304, b"", {"ETag": tag})
            resource = "search" if path.removeprefix("/api/v3").startswith("/search") else "core"
            return github.used_up(resource) or reply._replace(headers={**reply.headers, "ETag": tag})

        def _send(self, reply: Reply) -> None:
            data = reply.body if isinstance(reply.body, bytes) else json.dumps(reply.body).encode()
            resource = "search" if self.path.startswith("/search") else "core"
            headers = {
                "Content-Type": "application/json; charset=utf-8",
                "X-RateLimit-Limit": "30",
                "X-RateLimit-Remaining": "29",
                "X-RateLimit-Reset": str(int(time.time()) + 60),
                "X-RateLimit-Resource": resource,
                **reply.headers,
                "Content-Length": str(len(data)),
            }
            self.send_response(reply.status)
            for name, value in headers.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(data)

    return Handler


def _body(handler: BaseHTTPRequestHandler) -> bytes:
    if handler.headers.get("Transfer-Encoding") != "chunked":
        return handler.rfile.read(int(handler.headers.get("Content-Length") or 0))
    parts: list[bytes] = []
    read: Callable[[], bytes] = handler.rfile.readline
    while size := int(read(), 16):
        parts.append(handler.rfile.read(size))
        read()
    read()
    return b"".join(parts)
