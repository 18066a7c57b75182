"""Reads, calls and configuration files that may be anything by now: none of them can hang this program or fill its memory.

`read_bytes` is for files of our own that others may have changed; `foreign_files` reads the text files of a repository.
"""

import configparser
import os
import re
import stat
import tomllib
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from io import BufferedReader
from pathlib import Path
from threading import Thread
from typing import Any, TypeVar


def read_bytes(path: Path, most: int) -> bytes:
    """A file of at most `most` bytes; OSError for what is none."""
    with open_bytes(path, most) as file:
        content = file.read(most + 1)
    if len(content) > most:
        raise OSError(27, f"larger than {most} bytes", str(path))
    return content


@contextmanager
def open_bytes(path: Path, most: int) -> Iterator[BufferedReader]:
    """A regular file of at most `most` bytes to read from; OSError for what is none."""
    with os.fdopen(os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC), "rb") as file:
        about = os.fstat(file.fileno())
        if not stat.S_ISREG(about.st_mode):
            raise OSError(22, "not a regular file", str(path))
        if about.st_size > most:
            raise OSError(27, f"larger than {most} bytes", str(path))
        yield file


# A call that is not waited for any longer than allowed.

T = TypeVar("T")


def within(seconds: float, call: Callable[[], T]) -> T:
    """What a call gives. TimeoutError where it takes longer: then it is left behind."""
    return begun(call).result(seconds)


def begun(call: Callable[[], T]) -> Future[T]:
    """What a call will give: it is carried out in a thread for which neither an event loop nor the end of the process waits."""
    answer: Future[T] = Future()

    def carry_out() -> None:
        try:
            answer.set_result(call())
        except BaseException as error:  # noqa: BLE001  # raised again where the answer is awaited
            answer.set_exception(error)

    Thread(target=carry_out, name="ml-agent-waiting", daemon=True).start()
    return answer


# Configuration files of others, TOML and INI: what is made to be long or deep takes no time and no memory.

_MOST_DOTS = 1000
"""In a key: tomllib keeps every beginning of a dotted one, which grows with the square of its parts."""
_BETWEEN = re.compile(r"[,=\[\]{}\n]")
"""What ends a key: numbers in a list are none."""
_BLANKS = re.compile(r"(?<=\S)[^\S\n]{2,}")
"""configparser looks at a row of them once for each of its places."""


def read_toml(text: str) -> dict[str, Any]:
    """The table of a text. Raises ValueError where it is no TOML, or has numbers or keys that nobody writes."""
    if any(part.count(".") > _MOST_DOTS for part in _BETWEEN.split(text)):
        raise ValueError(f"the TOML file has a key with more than {_MOST_DOTS} dots")
    try:
        return tomllib.loads(text)
    except RecursionError as error:
        raise ValueError("the TOML file is nested too deeply") from error


def read_ini(text: str) -> configparser.RawConfigParser:
    """The sections of a text, where rows of blanks are one. Raises configparser.Error where it has none."""
    parser = configparser.RawConfigParser(strict=False)
    parser.read_string(_BLANKS.sub(" ", text))
    return parser
