"""Runs an answer under stubs and writes down the calls that it makes; kept on disk, since references are read again and again."""

import ast
import posixpath
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import msgspec

from ml_agent.benchmarks.characters import whole
from ml_agent.benchmarks.kept_rows import read_kept
from ml_agent.benchmarks.same_call import fetched, model, streams, trace, written
from ml_agent.benchmarks.same_call import steps as steps_of
from ml_agent.benchmarks.same_call.model import CodeCall, Observation, Program
from ml_agent.benchmarks.same_call.steps import kept_parents, steps
from ml_agent.benchmarks.same_call.streams import Streams
from ml_agent.benchmarks.same_call.trace import Place, read_trace
from ml_agent.benchmarks.same_call.values import LOOKS_LIKE_PATH, is_there
from ml_agent.benchmarks.strict import execute, on_disk
from ml_agent.benchmarks.strict.bash_text import RUNTIME
from ml_agent.benchmarks.strict.inside.variables import DEVICES
from ml_agent.benchmarks.strict.libraries import of_repository
from ml_agent.benchmarks.strict.reports import Call, Parse, Recorded
from ml_agent.benchmarks.strict.text import kind_of, unfence

APART = 10**9
"""Between the numbers of the calls of two programs."""
_SOURCES = (
    __file__,
    steps_of.__file__,
    fetched.__file__,
    model.__file__,
    streams.__file__,
    trace.__file__,
    written.__file__,
)


def observe(text: str, root: Path, folder: str = ".", prefix_code: str = "") -> Observation:
    """What an answer asks for.

    Args:
        text: the answer, with or without a code fence.
        root: the repository's folder; nothing in it is changed.
        folder: where the answer runs, relative to it.
        prefix_code: what the environment needs before it.
    """
    plain = unfence(text)
    place = on_disk.kept_file("same-call", root, (folder, prefix_code, plain), _SOURCES)
    kept = read_kept(place, Observation)
    if kept is not None:
        return kept
    found = _whole(_look(plain, root.resolve(), folder, prefix_code))
    if is_cut(found):
        found = _whole(_look(plain, root.resolve(), folder, prefix_code))
    if not is_cut(found):  # on a less busy machine there may be more
        on_disk.keep(place, found)
    return found


def _whole(found: Observation) -> Observation:
    """The same, with halves of characters, which no file can hold, joined or marked: code may write an emoji as two escapes."""
    return msgspec.convert(whole(msgspec.to_builtins(found)), Observation)


def is_cut(found: Observation) -> bool:
    """Whether a program was stopped before anything was seen of it."""
    return found.message == execute.STILL_RUNNING and not found.programs and not found.calls


def _look(text: str, root: Path, folder: str, prefix_code: str) -> Observation:
    kind = kind_of(text)
    job = execute.Job(root=root, path=folder, text=text, kind=kind, prefix_code=prefix_code, record=True)
    done = execute.run(job, of_repository(root))
    recorded = [p.recorded for p in done.programs if p.recorded]
    console = frozenset(of_repository(root).console)
    place = Place(
        root=root, folder=folder, console=console, parents=kept_parents(recorded), seen=len(done.programs),
        refused_writes=done.refused_writes,
    )  # fmt: skip
    carried_out = read_trace(text, done.trace, place)
    found = carried_out.steps
    counted = [r for r in recorded if not r["entry"]["own"] or (kind == "bash" and _handed_over(r))]
    streamed = (Streams(found, place), Streams(found, place, through_files=True))
    programs = [_program(r, place, streamed) for r in counted]
    calls = [
        _call(c, APART * n, place)
        for n, r in enumerate(recorded)
        for c in r["calls"]
        if kind != "bash" or _last(c["name"]) not in _handed_over(r)
    ]
    if kind == "bash":
        programs += steps(text, carried_out, place, python_too=not programs and not calls)
    return Observation(
        kind=kind, programs=tuple(programs), calls=tuple(calls),
        constants=tuple(_constants(text)) if kind == "python" else (),
        destroyed=tuple(sorted({path for r in recorded for path in r["destroyed"]})),
        failure="" if done.ok else done.code, message=done.message,
    )  # fmt: skip


def _handed_over(recorded: Recorded) -> set[str]:
    """The functions of the repository by which code of the answer, such as `python -c`, came to a parser of the repository."""
    return {name for parse in recorded["options"] for _, name in parse["chain"]} if recorded["entry"]["own"] else set()


def _last(name: str) -> str:
    return name.rpartition(".")[2]


def _program(recorded: Recorded, place: Place, both: tuple[Streams, Streams]) -> Program:
    """A Python program; of several parses the later ones add to the earlier."""
    parses = recorded["options"]
    entry = recorded["entry"]
    variables = recorded["environment"]
    read = {name: pair for name, pair in variables.items() if not RUNTIME.match(name)}
    devices = {name: _devices(str(variables[name][0])) for name in DEVICES & variables.keys()}
    chain = next((tuple((f, n) for f, n in p["chain"]) for p in reversed(parses) if p["chain"]), ())
    (reads, writes), piped = ((one.source(recorded["streams"][0]), one.sinks(recorded["streams"][1])) for one in both)
    return Program(
        file=entry["file"] or (chain[0][0] if chain else "") or _file_of(entry["module"], place),
        name=entry["module"],
        words=tuple(entry["words"]),
        chain=chain,
        parsed=_is_read(parses, entry["words"]),
        values={k: v for p in parses for k, v in p["values"].items()},
        given={k: tuple(v) for p in parses for k, v in p["given"].items()},
        defaults={k: v for p in parses for k, v in p["defaults"].items()},
        subcommand=next((tuple(p["subcommand"]) for p in reversed(parses) if p["subcommand"]), ()),
        settings=recorded["settings"],
        rest=tuple(parses[-1]["rest"]) if parses else (),
        folder=entry["folder"],
        environment=devices | {name: str(value) for name, (value, _) in read.items()},
        reads=reads,
        writes=writes,
        piped=piped,
        unset={name: other for name, (_, other) in read.items()},
    )


def _devices(value: str) -> str:
    """A list of devices as it is compared: no number and -1 both choose none."""
    numbers = value.replace(" ", "")
    return "" if numbers == "-1" else numbers


def _file_of(module: str, place: Place) -> str:
    """The file that `python -m` runs, where the package around it ended before it was reached."""
    stem = posixpath.normpath(posixpath.join(place.folder, module.replace(".", "/")))
    found = (path for path in (f"{stem}.py", f"{stem}/__main__.py") if module and (place.root / path).is_file())
    return next(found, "")


def _is_read(parses: Sequence[Parse], words: Sequence[str]) -> bool:
    """Whether a parser said what it made of the words; one that is not installed says nothing of any."""
    return any(one["values"] or one["given"] or one["rest"] for one in parses) or bool(parses and not words)


def _call(recorded: Call, before: int, place: Place) -> CodeCall:
    """A call of one of several programs; `before` is behind all numbers of those before it."""
    call = msgspec.convert(recorded, CodeCall)
    return msgspec.structs.replace(
        call,
        arguments={name: _from_start(value, recorded["folder"], place) for name, value in call.arguments.items()},
        number=before + call.number,
        again=before + call.again,
        gives=tuple(before + n for n in call.gives),
        objects={name: tuple(before + n for n in made_by) for name, made_by in call.objects.items()},
    )


def _from_start(value: Any, folder: str, place: Place) -> Any:
    """A relative path to what is there, written from where the answer began, where its code has gone elsewhere."""
    if isinstance(value, list):
        return [_from_start(one, folder, place) for one in value]
    began = place.folder or "."
    if not isinstance(value, str) or not LOOKS_LIKE_PATH.search(value) or posixpath.normpath(began) == folder:
        return value
    inside = posixpath.normpath(posixpath.join(folder, value))
    is_path = any(is_there(place.root / one) for one in (inside, posixpath.join(began, value)))
    return posixpath.relpath(inside, began) if is_path and not value.startswith("/") else value


def _constants(text: str) -> Iterable[Any]:
    """The literals of a program, texts that stand alone left out."""
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError):
        return []
    alone = {id(n.value) for n in ast.walk(tree) if isinstance(n, ast.Expr)}
    found = [n.value for n in ast.walk(tree) if isinstance(n, ast.Constant) and id(n) not in alone]
    negative = [
        -n.operand.value
        for n in ast.walk(tree)
        if isinstance(n, ast.UnaryOp)
        and isinstance(n.op, ast.USub)
        and isinstance(n.operand, ast.Constant)
        and isinstance(n.operand.value, (int, float))
    ]
    return [v for v in [*found, *negative] if isinstance(v, (str, int, float)) and not isinstance(v, bool)]
