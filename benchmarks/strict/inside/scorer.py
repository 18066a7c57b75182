"""The scorer at the other end of a socket: it sends the job, and is told what became of the program."""

import _socket
import json
import os
import struct
from pathlib import Path
from typing import Any

SECONDS = 60.0
LENGTH = struct.Struct(">I")


class Scorer:
    """A connection, made before connecting is forbidden; programs see no module of ours that speaks."""

    def __init__(self, place: str) -> None:
        """`place` is the path of the socket. Raises OSError."""
        path = Path(place)
        folder = os.open(
            path.parent, os.O_RDONLY
        )  # a path of any length: the name of a socket may have 107 characters only
        name = f"/proc/self/fd/{folder}/{path.name}" if Path("/proc/self/fd").exists() else place
        self._socket = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM)
        self._socket.settimeout(SECONDS)
        self._socket.connect(name)
        os.close(folder)
        self._ticket = ""

    def job(self) -> dict[str, Any]:
        """What is to be done."""
        job: dict[str, Any] = json.loads(self._read(LENGTH.unpack(self._read(LENGTH.size))[0]))
        self._ticket = job.pop("ticket")
        return job

    def tell(self, report: dict[str, Any]) -> None:
        """Hand the report over, and wait until it is noted: the next program's comes after it."""
        said = f"{self._ticket}\n{json.dumps(report)}".encode()
        self._socket.sendall(LENGTH.pack(len(said)) + said)
        self._socket.recv(1)

    def _read(self, size: int) -> bytes:
        data = b""
        while len(data) < size:
            part = self._socket.recv(size - len(data))
            if not part:
                raise OSError("the scorer is gone")
            data += part
        return data
