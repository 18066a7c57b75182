"""The state of a run on disk: plain JSON values in SQLite, and nothing that could be turned into an object."""

import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from langgraph.checkpoint.sqlite import SqliteSaver

from ml_agent.errors import UsageError

KIND = "json"
MAX_BYTES = 64 * 1024 * 1024
"""One value above this size is no state of ours."""


class PlainJson:
    """LangGraph's serializer as plain JSON. Its own one rebuilds objects by name, which runs code that a file chose."""

    def dumps_typed(self, obj: Any) -> tuple[str, bytes]:
        """The value as JSON; TypeError for what is no plain value."""
        return KIND, json.dumps(obj, ensure_ascii=False, default=_error_text).encode("utf-8", "surrogatepass")

    def loads_typed(self, data: tuple[str, bytes]) -> Any:
        """The value again; UsageError for anything but JSON."""
        kind, content = data
        if kind != KIND:
            raise UsageError(f"the state of this run is stored as {str(kind)[:20]!r}, not JSON: start the run again")
        if len(content) > MAX_BYTES:
            raise UsageError("the state of this run is too large: start the run again")
        try:
            return json.loads(content.decode("utf-8", "surrogatepass"))
        except (ValueError, RecursionError) as error:
            raise UsageError(f"the state of this run is damaged ({error}): start the run again") from error


def _error_text(value: Any) -> str:
    """LangGraph records the error that ended a node; its text is all that is kept."""
    if isinstance(value, BaseException):
        return f"{type(value).__name__}: {value}"
    raise TypeError(f"{type(value).__name__} is no plain value")


@contextmanager
def saver(path: Path) -> Iterator[SqliteSaver]:
    """The checkpoints in that file; UsageError where it is damaged."""
    try:
        with closing(sqlite3.connect(path, check_same_thread=False)) as connection:
            connection.execute("PRAGMA trusted_schema = OFF")
            yield SqliteSaver(connection, serde=PlainJson())
    except sqlite3.OperationalError as error:
        if "full" not in str(error) and "readonly" not in str(error) and "I/O" not in str(error):
            raise UsageError(f"{path} is damaged ({error}): start the run again") from error
        raise OSError(28, str(error), str(path)) from error
    except sqlite3.DatabaseError as error:
        raise UsageError(f"{path} is damaged ({error}): start the run again") from error
