"""The command line. Answers on stdout, everything else on stderr; every error is one line and an exit code."""

import errno
import gc
import os
import signal
import stat
import sys
from contextlib import suppress
from types import FrameType
from typing import NoReturn

import typer

from ml_agent.errors import exit_code_for
from ml_agent.keys import take as take_keys
from ml_agent.terminal import write_error
from ml_agent.tools.errors import ToolError

INTERRUPTED = 130
ENDED_BY = (signal.SIGTERM, signal.SIGHUP)
"""What ends a run like an error; the second comes of a terminal or a connection that is closed."""
_OF_THE_MACHINE = frozenset(
    [
        errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EACCES, errno.EPERM, errno.EMFILE, errno.ENFILE, errno.ENOMEM, errno.EISDIR,
        errno.ENOTDIR, errno.ELOOP, errno.EIO,
    ]
)  # fmt: skip
"""Errors of the system that are no defect of ours: a full or read-only disk, a folder of somebody else's or in a file's place."""


_TRACING = (
    "LANGSMITH_TRACING",
    "LANGSMITH_TRACING_V2",
    "LANGCHAIN_TRACING",
    "LANGCHAIN_TRACING_V2",
    "LANGCHAIN_HANDLER",
)
"""Variables that would make LangGraph send all that a run knows to LangSmith."""
_GONE = {
    "--model-profile": "models are called with tools, or with JSON in text (--model-mode)",
    "--encoder": "the sentence encoder was removed",
    "--runtime": "the container engine's default runtime is used",
    "--many": "call solve from a shell loop, once for each line",
    "solve-many": "call solve from a shell loop, once for each line",
    "--framework": "--filter finds entry points by a word",
    "--markdown": "--json prints the same data",
}
"""Options of earlier versions, and what is in their place."""


def main() -> None:
    """Run the command line and end the process with its exit code."""
    # A run is short and builds many syntax trees: collecting cycles takes a sixth of it. The bench and the server run long.
    if sys.argv[1:2] not in (["bench"], ["mcp"]):
        gc.disable()
    take_keys()
    end_in_order()
    code = run(sys.argv[1:])
    if code == INTERRUPTED:
        _leave(code)
    if not gc.isenabled():
        gc.freeze()  # else the interpreter looks through all objects as it ends, for the system to take back at once anyway
    sys.exit(code)


def _leave(code: int) -> NoReturn:
    """End at once: the interpreter would wait for a thread that goes on, and what is ours was closed on the way here."""
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError):
            stream.flush()
    os._exit(code)


def run(arguments: list[str]) -> int:
    """Run one command line; returns the exit code."""
    _interruptions.clear()
    code = _run(arguments)
    # Libraries in other languages turn an interruption into an error of theirs.
    return _say_interrupted() if _interruptions and code in (2, 3, 70) else code


_interruptions: list[int] = []


def _interrupt(number: int, _frame: FrameType | None) -> None:
    _interruptions.append(number)
    raise KeyboardInterrupt


def _say_interrupted() -> int:
    runs = sys.modules.get("ml_agent.runs")  # whoever did not import it began no run
    begun = runs.unfinished() if runs is not None else []
    said = f"interrupted; `ml-agent resume {begun[-1].id}` continues it" if begun else "interrupted"
    return _say(said, INTERRUPTED)


def _run(arguments: list[str]) -> int:
    # GitPython refuses to be imported without git, but `doctor` has to say so.
    os.environ.setdefault("GIT_PYTHON_REFRESH", "quiet")
    for name in _TRACING:
        os.environ.pop(name, None)
    os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")  # they would see every setting
    from typer.exceptions import TyperException

    from ml_agent.cli.app import app
    from ml_agent.errors import AgentError
    from ml_agent.sandbox.errors import SandboxError

    if any(not _is_text(word) for word in arguments):
        return _say("an argument is not valid UTF-8 text, or contains a NUL character", 2)
    command = typer.main.get_command(app)
    signal.signal(signal.SIGINT, _interrupt)
    try:
        code = command.main(args=arguments, prog_name="ml-agent", standalone_mode=False)
        if code == INTERRUPTED and _interruptions:  # Typer makes a number of it
            return _say_interrupted()
        return code if isinstance(code, int) else 0
    except TyperException as error:
        message = error.format_message()  # empty where no arguments were given: then the help was printed
        advice = next((text for flag, text in _GONE.items() if flag in message), "--help shows how")
        if arguments[0] in ("continue", "resume") and "--model" in message:
            advice = f"{arguments[0]} uses the model of the run"
        message = message.removesuffix(" (Possible options: --help)").rstrip(".")
        return _say(f"{message}; {advice}", error.exit_code) if message else error.exit_code
    except (KeyboardInterrupt, typer.Abort):
        return _say_interrupted()
    except typer.Exit as error:
        return error.exit_code
    except (AgentError, ToolError, SandboxError) as error:
        return _say(str(error), exit_code_for(error))
    except BrokenPipeError:  # whoever read our output has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 128 + signal.SIGPIPE
    except OSError as error:
        return _say_of_a_file(error)
    except Exception as error:  # noqa: BLE001  # the last boundary: a defect of ours becomes one line
        return _internal(error)


def _say_of_a_file(error: OSError) -> int:
    if error.errno == errno.ENAMETOOLONG:
        return _say(f"{str(error.filename)[:60]}...: this name is too long for a file", 2)
    if error.errno not in _OF_THE_MACHINE:
        return _internal(error)
    place = f" ({error.filename})" if error.filename else ""
    return _say(f"{error.strerror}{place}: free disk space, or choose other folders (--out, ML_AGENT_CACHE_DIR)", 3)


def _is_text(word: str) -> bool:
    try:
        return b"\0" not in word.encode()
    except UnicodeEncodeError:
        return False


def end_in_order() -> None:
    """End as after an error where the system orders it: containers and processes of the run are removed on the way out.

    What is told to outlive its terminal (`nohup`) does.
    """
    for number in ENDED_BY:
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, _exit)


def _exit(number: int, _frame: FrameType | None) -> None:
    if number == signal.SIGHUP:  # the shell sends it as well as the system: the second must not cut the way out short
        signal.signal(number, signal.SIG_IGN)
        _write_no_more()
    raise SystemExit(128 + number)


def _write_no_more() -> None:
    """Nothing can be written on a terminal that is closed, and an error of that would come before what is to be removed."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    for number in (1, 2):
        with suppress(OSError):
            if stat.S_ISCHR(os.fstat(number).st_mode):
                os.dup2(nowhere, number)


def _say(message: str, code: int) -> int:
    write_error(f"ml-agent: {' '.join(message.splitlines())}")
    return code


def _internal(error: Exception) -> int:
    import traceback

    from ml_agent.tools.plugins import author_of, shows_tracebacks

    if shows_tracebacks():
        traceback.print_exc()
    author = author_of(error)
    whose = f"in {author}: " if author else ""
    line = f"internal error: {whose}{type(error).__name__}: {error} (ML_AGENT_DEBUG=1 shows where)"
    return _say(line, exit_code_for(error))
