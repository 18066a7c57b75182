"""Runs an answer under stubs and says what it asks for: which programs with which options, which calls of the repository's code.

`observe` is kept on disk, since references are looked at again and again. `run` carries an answer out in a sandbox, `inside` is the
part that runs there; `steps` reads what the shell did.
"""

import ast
import contextlib
import functools
import hashlib
import posixpath
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import msgspec

from ml_agent.benchmarks.data import Kind, whole
from ml_agent.benchmarks.observation.model import Observation, Program, Recorded
from ml_agent.benchmarks.observation.repository import libraries_of
from ml_agent.benchmarks.observation.run import STILL_RUNNING, Job, run_answer
from ml_agent.benchmarks.observation.steps import Place, steps
from ml_agent.benchmarks.results import read_kept
from ml_agent.files import write_atomically
from ml_agent.settings import load_settings
from ml_agent.tools.commandline.shell import parse_command
from ml_agent.tools.errors import RepositoryError
from ml_agent.tools.versions import local_version

__all__ = ["Observation", "is_cut", "kind_of", "observe", "unfence"]

_OF_THE_RUN_TIME = re.compile(
    r"(CUDA|NCCL|OMP|MKL|TF|TORCH|PYTORCH|HF|TRANSFORMERS|WANDB|XLA|NVIDIA|PYTHON|LD)_?\w*$|MASTER_(ADDR|PORT)$|WORLD_SIZE$|RANK$|(OLD)?PWD$|HOME$|PATH$|LANG$"
)
"""Variables that say how a program runs, and not what it does."""
_FENCE = re.compile(r"^[ \t]*```[ \t]*([\w+-]*)[ \t]*\n(.*?)^[ \t]*```[ \t]*$", re.DOTALL | re.MULTILINE)
_PYTHON_LINE = re.compile(
    r"^(import \w|from [\w.]+ import |def \w+\(|class \w+|with .*:$|for .* in .*:$|\w+(\.\w+)* = )"
)
_HEREDOC = re.compile(r"<<-?[ \t]*(['\"]?)(\w+)\1[^\n]*\n(?:(?!\s*\2[ \t]*$)[^\n]*\n)*\s*\2[ \t]*$", re.MULTILINE)
"""A text within a shell's, which may well be Python."""
DEVICES = ("CUDA_VISIBLE_DEVICES", "HIP_VISIBLE_DEVICES", "ROCR_VISIBLE_DEVICES", "ASCEND_RT_VISIBLE_DEVICES")
"""Those that decide which devices a program sees."""


def observe(text: str, root: Path, folder: str = ".", prefix_code: str = "") -> Observation:
    """What an answer asks for. BenchError where answers cannot be run here.

    Args:
        text: the answer, with or without a code fence.
        root: the repository's folder; nothing in it is changed.
        folder: where the answer runs, relative to it.
        prefix_code: what the environment needs before it.
    """
    plain, root = unfence(text), root.resolve()
    parts = (_source_version(), _repository_version(root), str(root), folder, prefix_code, plain)
    key = hashlib.sha256("\0".join(parts).encode(errors="surrogatepass")).hexdigest()
    place = load_settings().cache_dir / "observations" / key[:2] / f"{key}.json"
    if found := read_kept(place, Observation):
        return found
    found = _look(plain, root, folder, prefix_code)
    if is_cut(found):
        return _look(plain, root, folder, prefix_code)
    with contextlib.suppress(OSError):  # a cache that cannot be written
        place.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(place, msgspec.json.encode(found).decode())
    return found


def is_cut(found: Observation) -> bool:
    """Whether a program was stopped before anything was seen of it: on a less busy machine there may be more."""
    return found.message == STILL_RUNNING and not found.programs and not found.calls


@functools.lru_cache(maxsize=256)
def _repository_version(root: Path) -> str:
    try:
        return local_version(root)
    except RepositoryError:
        return ""


@functools.cache
def _source_version() -> str:
    """Changes with the source of what looks at answers, and with what reads shell text for it."""
    files = sorted(Path(__file__).parent.rglob("*.py"))
    return hashlib.sha256(b"".join(f.read_bytes() for f in files)).hexdigest()


def _look(text: str, root: Path, folder: str, prefix_code: str) -> Observation:
    kind = kind_of(text)
    libraries = libraries_of(root)
    done = run_answer(Job(root=root, folder=folder, text=text, kind=kind, prefix_code=prefix_code), libraries)
    recorded = [report.recorded for report in done.reports if report.recorded]
    place = Place(
        root=root, folder=folder, console=frozenset(libraries.console),
        parents=tuple(words for one in recorded for words in one.parents),
    )  # fmt: skip
    programs = [_program(r.program, place) for r in recorded if not r.own or (kind == "bash" and _handed_over(r))]
    calls = [c for r in recorded for c in r.calls if kind != "bash" or c.name.rpartition(".")[2] not in _handed_over(r)]
    shown = text if kind == "bash" else ""
    programs += steps(shown, done.trace, place, python_too=kind == "bash" and not programs and not calls)
    found = Observation(
        kind=kind, programs=tuple(programs), calls=tuple(calls), constants=tuple(_constants(text)) if kind == "python" else (),
        failure=done.code, message=done.message,
    )  # fmt: skip
    # halves of characters, which no file can hold: code may write an emoji as two escapes
    return msgspec.convert(whole(msgspec.to_builtins(found)), Observation)


def _handed_over(recorded: Recorded) -> set[str]:
    """The functions of the repository by which code of the answer, such as `python -c`, came to a parser of the repository."""
    return {name for _, name in recorded.program.chain} if recorded.own else set()


def _program(seen: Program, place: Place) -> Program:
    """A Python program with the file that it is, and the variables that say what it does."""
    file = seen.file or (seen.chain[0][0] if seen.chain else "") or _file_of(seen.name, place)
    kept = {n: v for n, v in seen.environment.items() if n in DEVICES or not _OF_THE_RUN_TIME.match(n)}
    return msgspec.structs.replace(seen, file=file, environment=kept)


def _file_of(module: str, place: Place) -> str:
    """The file that `python -m` runs, where the package around it ended before it was reached."""
    stem = posixpath.normpath(posixpath.join(place.folder, module.replace(".", "/")))
    found = (path for path in (f"{stem}.py", f"{stem}/__main__.py") if module and (place.root / path).is_file())
    return next(found, "")


def _constants(text: str) -> Iterable[Any]:
    """The literals of a program, texts that stand alone left out."""
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError):
        return []
    alone = {id(n.value) for n in ast.walk(tree) if isinstance(n, ast.Expr)}
    found = [n.value for n in ast.walk(tree) if isinstance(n, ast.Constant) and id(n) not in alone]
    negated = (n.operand for n in ast.walk(tree) if isinstance(n, ast.UnaryOp) and isinstance(n.op, ast.USub))
    negative = [-n.value for n in negated if isinstance(n, ast.Constant) and isinstance(n.value, (int, float))]
    return [v for v in [*found, *negative] if isinstance(v, (str, int, float)) and not isinstance(v, bool)]


def unfence(answer: str) -> str:
    """The content of the fenced blocks where there are any, else the answer itself."""
    blocks = [m.group(2) for m in _FENCE.finditer(answer.replace("\r\n", "\n"))]
    if blocks:
        return "\n".join(blocks)
    text = answer.strip()
    if len(text) > 1 and text[0] == text[-1] == "`" and text.count("`") == 2:
        return text[1:-1]
    return answer


def kind_of(text: str) -> Kind:
    """Python where it parses as Python and does something; else shell, unless most lines read like Python."""
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError):
        lines = [s for line in _HEREDOC.sub("", text).splitlines() if (s := line).strip() and s.lstrip()[0] != "#"]
        like = sum(bool(_PYTHON_LINE.match(line)) for line in lines)
        return "python" if like and like * 4 >= len(lines) else "bash"
    does = (ast.Import, ast.ImportFrom, ast.Call, ast.Assign, ast.FunctionDef, ast.ClassDef)
    acts = any(isinstance(n, does) for n in ast.walk(tree))
    return "python" if acts or not parse_command(text, prompts=False).invocations else "bash"
