"""The name that a TLS client asks for, read from its first message; standard library only."""

import struct
from collections.abc import Callable
from typing import NamedTuple

MAX_HELLO = 64 * 1024
HANDSHAKE, CHANGE_CIPHER = 22, 20
CLIENT_HELLO, SERVER_HELLO = 1, 2
SERVER_NAME = 0
ENCRYPTED = frozenset({0xFE0D, 0xFE0C, 0xFE0B, 0xFE0A, 0xFE09, 0xFE08, 0xFFCE})
"""Extensions that hide the name: Encrypted Client Hello and its drafts."""
RETRY = bytes.fromhex("cf21ad74e59a6111be1d8c021e65b891c2a211167abb8c5e079e09e2c8a8339c")
"""What a server says in the place of its random number where the client shall say its first message again."""

Take = Callable[[int], bytes]
"""The next bytes of a stream, just so many; OSError where it ends before."""


class Message(NamedTuple):
    """The first message of one side."""

    raw: bytes
    """As it came, with the records around it."""
    body: bytes


class HelloError(OSError):
    """Not the beginning of a connection that may be let through."""


def first_message(take: Take, kind: int) -> Message:
    """The first handshake message of one side, of one kind. Raises HelloError, OSError."""
    raw = body = b""
    while len(body) < 4 or len(body) < 4 + int.from_bytes(body[1:4]):
        header = take(5)
        content, length = header[0], int.from_bytes(header[3:5])
        if header[1] != 3 or not 0 < length <= 2**14 + 256 or len(raw) + length > MAX_HELLO:
            raise HelloError("the connection does not use TLS")
        part = take(length)
        raw += header + part
        if content == CHANGE_CIPHER and not body and part == b"\x01" and len(raw) == 6:
            continue
        if content != HANDSHAKE or (body + part)[0] != kind:
            raise HelloError("the connection does not use TLS")
        body += part
    return Message(raw, body[4 : 4 + int.from_bytes(body[1:4])])


def asks_again(server_hello: bytes) -> bool:
    """Whether the server wants another first message of the client."""
    return server_hello[2:34] == RETRY


def name_in(client_hello: bytes) -> str:
    """The one server that the message names, "" where it names none. Raises HelloError for what hides another."""
    try:
        extensions = _extensions(client_hello)
        names = _names(extensions[SERVER_NAME]) if SERVER_NAME in extensions else [""]
    except (IndexError, struct.error, UnicodeDecodeError) as error:
        raise HelloError("a TLS message of the connection is incomplete") from error
    if len(names) != 1 or ENCRYPTED & set(extensions):
        raise HelloError("the connection does not say which server it is for (TLS server name)")
    return names[0]


def _extensions(body: bytes) -> dict[int, bytes]:
    at = 34  # version and random number
    at += 1 + body[at]
    at += 2 + struct.unpack_from(">H", body, at)[0]
    at += 1 + body[at]
    if at == len(body):
        return {}
    (size,) = struct.unpack_from(">H", body, at)
    at += 2
    if at + size != len(body):
        raise HelloError("a TLS message of the connection is incomplete")
    found: dict[int, bytes] = {}
    while at < len(body):
        kind, length = struct.unpack_from(">HH", body, at)
        at += 4
        if kind in found or at + length > len(body):
            raise HelloError("a TLS message of the connection is incomplete")
        found[kind] = body[at : at + length]
        at += length
    return found


def _names(extension: bytes) -> list[str]:
    (size,) = struct.unpack_from(">H", extension, 0)
    at, names = 2, []
    if size + 2 != len(extension):
        raise HelloError("a TLS message of the connection is incomplete")
    while at < len(extension):
        kind, length = struct.unpack_from(">BH", extension, at)
        at += 3
        if kind != 0 or not 0 < length <= len(extension) - at:
            raise HelloError("a TLS message of the connection is incomplete")
        names.append(extension[at : at + length].decode("ascii").lower())
        at += length
    return names
