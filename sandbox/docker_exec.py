"""The output of an exec, without loss.

docker-py reads an exec's output from the raw socket of an upgraded connection, past the buffer that has read the answer's
headers: what a quick command wrote by then is gone (seen under load, 2 of 10 runs). Here the connection is not upgraded, and
the body is read through that buffer.
"""

import io
import struct
import tarfile
import time
from collections.abc import Iterator, Mapping
from typing import Any

import docker
import msgspec
from docker.models.containers import Container
from requests.exceptions import ReadTimeout

from ml_agent.sandbox.output import Stream

CHUNK = 64 * 1024
"""Bytes that are read at once, however long a frame says that it is."""
HEADER = 8
"""Bytes before each frame: the stream's number, three zeros, the length."""
STREAMS: dict[int, Stream] = {1: "stdout", 2: "stderr"}


class Allowed(msgspec.Struct, frozen=True, kw_only=True):
    """What a short command of our own may take; a program that runs beside it as the same user may stop it, or write into its output."""

    seconds: float = 120.0
    """The engine's own limit on an answer."""
    printed: int = 64 * 1024
    """Bytes."""


class ExecResult(msgspec.Struct, frozen=True, kw_only=True):
    """A short command of our own."""

    exit_code: int
    stdout: bytes


class ExecStream:
    """The chunks of one exec as they come. Raises docker's and requests' errors."""

    def __init__(self, client: docker.DockerClient, exec_id: str, quiet_seconds: float) -> None:
        """Start the exec; an engine that sends nothing for `quiet_seconds` is given up."""
        api: Any = client.api
        url = f"{api.base_url}/v{api.api_version}/exec/{exec_id}/start"
        self._response = api.post(url, json={"Detach": False, "Tty": False}, stream=True, timeout=(60, quiet_seconds))
        self._response.raise_for_status()

    def __iter__(self) -> Iterator[tuple[Stream, bytes]]:
        """Until the exec has ended and its streams are closed."""
        while len(header := self._read(HEADER)) == HEADER:
            number, length = struct.unpack(">BxxxL", header)
            while length > 0 and (data := self._read(min(length, CHUNK))):
                length -= len(data)
                if number in STREAMS:
                    yield STREAMS[number], data
            if length > 0:
                return

    def close(self) -> None:
        """Close the connection: a stream left open blocks later execs in the container."""
        self._response.close()

    def _read(self, size: int) -> bytes:
        parts = []
        while size > 0:
            part = self._response.raw.read(size)
            if not part:
                break
            parts.append(part)
            size -= len(part)
        return b"".join(parts)


def run_short(
    client: docker.DockerClient, container: str, arguments: list[str], user: str, allowed: Allowed = Allowed()
) -> ExecResult:
    """Run a command that ends by itself, soon. Raises docker's and requests' errors, also where it takes more than is allowed."""
    made = client.api.exec_create(container, arguments, user=user, stderr=False)
    stream = ExecStream(client, made["Id"], allowed.seconds)
    deadline, out = time.monotonic() + allowed.seconds, bytearray()
    try:
        for name, data in stream:
            out += data if name == "stdout" else b""
            if time.monotonic() > deadline or len(out) > allowed.printed:
                raise ReadTimeout(
                    f"{arguments[0]} took over {allowed.seconds:g} s or printed over {allowed.printed} bytes"
                )
    finally:
        stream.close()
    code = client.api.exec_inspect(made["Id"])["ExitCode"]
    return ExecResult(exit_code=-1 if code is None else int(code), stdout=bytes(out))


# Files of ours for a container, through the engine's API: it may run on another machine.


def copy_in(files: Mapping[str, bytes], container: Container, mode: int = 0o644) -> None:
    """Write files by their absolute names, readable for all, as root's. Raises docker's errors."""
    with io.BytesIO() as archive:
        with tarfile.open(fileobj=archive, mode="w") as tar:
            for name, content in files.items():
                entry = tarfile.TarInfo(name.lstrip("/"))
                entry.size, entry.mode = len(content), mode
                tar.addfile(entry, io.BytesIO(content))
        container.put_archive("/", archive.getvalue())
