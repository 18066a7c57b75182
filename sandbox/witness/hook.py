"""Notes that a Python program began and how it ended. Runs inside, in every interpreter of a watched command, before its program.

The status that a shell hands on is that of its last command: `python train.py || true` ends well whatever became of train.py. The
interpreter itself knows. Standard library only, for any Python 3; it must never disturb the program, so it keeps silent about its own errors.
"""

# It starts with every interpreter: without pathlib and contextlib that takes half the time.
# ruff: noqa: PTH123, PTH109, PTH113, BLE001, SIM105, RUF100

import atexit
import gc
import json
import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

MOST_FILES = 40
MOST_NAMES = 300


class Witness:
    """One interpreter from its start to its end."""

    def __init__(self, notes: str, root: str) -> None:
        self.notes, self.root = notes, root
        self.process = os.getpid()
        self.status = 0
        """What a SystemExit that ended the program asked for."""

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

    def note_exit(self) -> None:
        """Note the status that the interpreter, which alone has no frame of its own, takes from a SystemExit at its end; in threads nobody takes it.

        A built-in type takes no attributes; its table does, and has room for what stands for `code`.
        """
        table = gc.get_referents(SystemExit.__dict__)[0]
        code = table["code"]

        def get(error: SystemExit) -> object:
            status = code.__get__(error)
            if sys._getframe().f_back is None:
                self.status = number_of(status)
            return status

        table["code"] = property(get, code.__set__, code.__delete__)

    def end(self, **said: object) -> None:
        """One line, by the process itself and not by its forks."""
        try:
            if os.getpid() == self.process:
                self.write("X", said or self.outcome())
        except Exception:
            pass

    def outcome(self) -> "dict[str, Any]":
        error = getattr(sys, "last_value", None)
        said: dict[str, Any] = {"status": self.status, "error": "", "files": [], "names": []}
        if error is not None and went_through(error) and not lost_reader(error):
            said["status"], said["error"] = 1, f"{type(error).__name__}: {error}".split("\n")[0][:300]
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


def lost_reader(error: BaseException) -> bool:
    """Whether an exception only says that the reader of the output had enough, as `head` has: other programs end there by SIGPIPE."""
    if not isinstance(error, BrokenPipeError):
        return False
    import select

    look = select.poll()
    look.register(1, 0)
    return any(events & select.POLLERR for _, events in look.poll(0))


def number_of(status: object) -> int:
    """The exit status that an argument of sys.exit makes."""
    if status is None:
        return 0
    return status & 0xFF if isinstance(status, int) else 1


def leave(status: "Any" = None) -> None:
    """Stands for sys.exit, which leaves the making of the SystemExit to an interpreter that then looks at none."""
    raise SystemExit(status)


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
    witness.note_exit()
    sys.exit = leave  # type: ignore[assignment]
    os._exit = noting(witness, os._exit)
    os.execv, os.execve = noting(witness, os.execv, exec=True), noting(witness, os.execve, exec=True)
    atexit.register(witness.end)


try:
    watch()
except Exception:
    pass
