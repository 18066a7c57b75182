"""Notes that a Python program began and how it ended. Runs inside, in every interpreter of a watched command, before its program.

The status that a shell hands on is that of its last command: `python train.py || true` ends well whatever became of train.py. The
interpreter itself knows. Standard library only, for any Python 3; it must never disturb the program, so it keeps silent about its own errors.
"""

# It starts with every interpreter: without pathlib and contextlib that takes half the time.
# ruff: noqa: PTH123, PTH109, PTH113, BLE001, SIM105, RUF100

import _thread
import atexit
import json
import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import FrameType
    from typing import Any

MOST_FILES = 40
MOST_NAMES = 300


class Witness:
    """One interpreter from its start to its end."""

    def __init__(self, notes: str, root: str) -> None:
        self.notes, self.root = notes, root
        self.process, self.thread = os.getpid(), _thread.get_ident()
        self.asked: tuple[object, FrameType, int] | None = None
        """Status, outermost frame and the instruction there, of the last `sys.exit`."""

    def begin(self) -> None:
        with open("/proc/self/cmdline", "rb") as file:
            words = [os.fsdecode(word) for word in file.read().split(b"\0")[:-1]]
        step, inside = os.environ.get("ML_AGENT_STEP", ""), bool(os.environ.get("ML_AGENT_INSIDE"))
        is_script, said = any(map(self.is_own, words[1:3])), [word[:300] for word in words[:40]]
        own = is_script or self.is_module(words)
        self.write("P", {"own": own, "inside": inside, "step": step, "folder": os.getcwd(), "words": said})
        if is_script:
            os.environ["ML_AGENT_INSIDE"] = "1"

    def is_own(self, path: str) -> bool:
        return os.path.realpath(path).startswith(self.root + "/") and os.path.isfile(path)

    def is_module(self, words: "list[str]") -> bool:
        """Whether `-m` names a module of the repository, from here or on PYTHONPATH."""
        if "-m" not in words[1:-1]:
            return False
        name = words[words.index("-m") + 1].replace(".", "/")
        places = [".", *os.environ.get("PYTHONPATH", "").split(":")]
        return any(self.is_own(f"{place or '.'}/{name}{end}") for place in places for end in (".py", "/__main__.py"))

    def write(self, kind: str, said: "dict[str, Any]") -> None:
        line = f"{kind}\t{self.process}\t{json.dumps(said, ensure_ascii=False)}\n"
        place = os.open(self.notes, os.O_WRONLY | os.O_APPEND)
        try:
            os.write(place, line.encode("utf-8", "replace"))
        finally:
            os.close(place)

    def exit(self, status: "Any" = None, /) -> None:
        """Stands for sys.exit: what was asked for, and where; whether it ended the program shows at the end."""
        if _thread.get_ident() == self.thread:
            frame = sys._getframe()
            while frame.f_back is not None:
                frame = frame.f_back
            self.asked = (status, frame, frame.f_lasti)
        raise SystemExit(status)

    def end(self, **said: object) -> None:
        """One line, by the process itself and not by its forks."""
        try:
            if os.getpid() == self.process:
                self.write("X", said or self.outcome())
        except Exception:
            pass

    def outcome(self) -> "dict[str, Any]":
        error = getattr(sys, "last_value", None)
        said: dict[str, Any] = {"status": 0, "known": True, "error": "", "files": [], "names": []}
        if error is not None and went_through(error):
            said["status"], said["error"] = 1, f"{type(error).__name__}: {error}".split("\n")[0][:300]
        elif self.asked is not None and self.asked[1].f_lasti == self.asked[2]:
            said["status"] = number_of(self.asked[0])
        else:  # a script that ran to the end of its code has lost its name by now; one that `raise SystemExit` ended has it
            said["known"] = not hasattr(sys.modules.get("__main__"), "__file__")
        self.add_modules(said)
        return said

    def add_modules(self, said: "dict[str, Any]") -> None:
        names: set[str] = set()
        for name, module in list(sys.modules.items()):
            try:
                path = vars(module).get("__file__")  # a lazy module must not be woken
            except TypeError:
                continue
            if not isinstance(path, str) or name == "__main__":
                continue
            path = os.path.realpath(path)
            if path.startswith(self.root + "/") and len(said["files"]) < MOST_FILES:
                said["files"].append(path[len(self.root) + 1 :])
            elif "-packages" in path:
                names.add(name.partition(".")[0])
        said["names"] = sorted(names)[:MOST_NAMES]


def went_through(error: BaseException) -> bool:
    """Whether an exception left the program's outermost frame; one that was only printed did not."""
    trace = error.__traceback__
    if trace is None:
        return isinstance(error, SyntaxError)
    return trace.tb_frame.f_back is None and trace.tb_frame.f_lasti == trace.tb_lasti


def number_of(status: object) -> int:
    """The exit status that an argument of sys.exit makes."""
    if status is None:
        return 0
    return status & 0xFF if isinstance(status, int) else 1


def noting(witness: Witness, function: "Any", **fixed: object) -> "Any":
    """A function of `os` that ends the program without the usual end."""

    def ends(*arguments: "Any") -> object:
        witness.end(**(fixed or {"status": arguments[0] & 0xFF}))
        return function(*arguments)

    return ends


def watch() -> None:
    """Begin, where this is a watched command."""
    notes, root = os.environ.get("ML_AGENT_NOTES"), os.environ.get("ML_AGENT_ROOT")
    if not notes or not root:
        return
    witness = Witness(notes, root)
    witness.begin()
    sys.exit = witness.exit  # type: ignore[assignment]
    os._exit = noting(witness, os._exit)
    os.execv, os.execve = noting(witness, os.execv, exec=True), noting(witness, os.execve, exec=True)
    atexit.register(witness.end)


try:
    watch()
except Exception:
    pass
