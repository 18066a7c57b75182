"""Many instructions in one call: a JSON Lines file in, one result a line out, resumable."""

import gc
import json
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import msgspec

from ml_agent.errors import ConfigurationError, ProviderError, RunLockedError, UsageError, exit_code_for
from ml_agent.files import locked, read_small, whole_lines, write_atomically
from ml_agent.job import Job
from ml_agent.run_job import begin_job
from ml_agent.sandbox.errors import SandboxError
from ml_agent.settings import Settings

MOST_BYTES = 64 * 1024**2
"""Size of a file of instructions."""
MOST = 100_000
"""Instructions of a file; at seconds each, more of them take days."""
OF_THE_SURROUNDINGS = frozenset({ConfigurationError.exit_code, ProviderError.exit_code})
"""Exit codes that say nothing of a task: a key, an engine, a network that was not there may be there at the next call."""


class Instruction(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One line of the file."""

    instruction: str
    id: str = ""
    """Names the line in the results; its number where empty."""
    repo: str = ""
    commit: str = ""
    path: str = ""
    catalog: str = ""
    arguments: dict[str, str] = {}

    def job(self) -> Job:
        """What a run is told."""
        return Job(
            instruction=self.instruction,
            repository=self.repo,
            commit=self.commit or None,
            path=self.path,
            catalog=self.catalog,
            arguments=tuple(self.arguments.items()),
            show_inputs=True,
        )


def read_instructions(path: Path) -> list[Instruction]:
    """The lines of a file: JSON objects, or bare sentences. UsageError with the line that is wrong."""
    try:
        lines = read_small(path, MOST_BYTES).split("\n")
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"{path} cannot be read: {error}") from error
    if len(lines) > MOST:
        raise UsageError(f"{path} has {len(lines):,} lines, {MOST:,} are read; split it")
    found = [_parse(path, number, line) for number, line in enumerate(lines, 1) if line.strip()]
    name, count = next(iter(Counter(one.id for one in found).most_common(1)), ("", 0))
    if count > 1:
        raise UsageError(f"{path}: two lines have the same id {name!r}")
    return found


def _parse(path: Path, number: int, line: str) -> Instruction:
    if "\0" in line or "\\u0000" in line:
        raise UsageError(f"{path}:{number}: holds a NUL")
    if not line.lstrip().startswith("{"):
        return Instruction(instruction=line.strip(), id=str(number))
    try:
        found = msgspec.json.decode(line, type=Instruction)
    except msgspec.DecodeError as error:
        raise UsageError(f"{path}:{number}: {error}") from error
    return found if found.id else msgspec.structs.replace(found, id=str(number))


def solve_many(
    instructions: list[Instruction], settings: Settings, out: Path, jobs: int, say: Callable[[str], None]
) -> int:
    """Answer every instruction that has no result in `out` yet; one failure stops no other. Returns the number that failed.

    Args:
        instructions: with distinct ids.
        settings: of every run; limits hold for each of them.
        out: JSON Lines, appended to as results come; what the surroundings prevented is taken out and tried again.
        jobs: how many runs at once.
        say: called with a line for each new result, in the order in which they end, and one for what is tried again.
    """
    names = {one.id for one in instructions}
    with ExitStack() as held, ThreadPoolExecutor(jobs) as pool:
        held.enter_context(_alone(out))
        codes = {name: code for name, code in _earlier_results(out).items() if name in names}
        again = {name for name, code in codes.items() if code in OF_THE_SURROUNDINGS}
        if again:
            say(f"retrying after network or machine errors: {', '.join(sorted(again))}")
            _take_out(out, again)
            held.enter_context(_alone(out))  # it is another file now
        failed = sum(code != 0 for name, code in codes.items() if name not in again)
        running = [pool.submit(_result, one, settings) for one in instructions if one.id not in codes.keys() - again]
        try:
            for future in as_completed(running):
                failed += _keep(future.result(), out, say) != 0
                gc.collect()  # here alone: while a thread makes a syntax tree, Python before 3.11.8 cannot bear it
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise
    return failed


def _keep(result: dict[str, Any], out: Path, say: Callable[[str], None]) -> int:
    """Add a result; its exit code."""
    with out.open("a", encoding="utf-8") as file:
        file.write(json.dumps(result, ensure_ascii=False) + "\n")
    say(f"{result['id']}\t{result['ending']}\t{result['message']}")
    return int(result["exit_code"])


def _take_out(out: Path, names: set[str]) -> None:
    """Take the results of some tasks out of the file."""
    lines = out.read_text(encoding="utf-8", errors="replace").split("\n")
    write_atomically(out, "\n".join(line for line in lines if not line or str(json.loads(line)["id"]) not in names))


@contextmanager
def _alone(out: Path) -> Iterator[None]:
    """Hold the file of results for this process."""
    with ExitStack() as stack:
        try:
            stack.enter_context(locked(out))
        except BlockingIOError as error:
            raise RunLockedError(f"{out} is in use by another process") from error
        except OSError as error:
            raise ConfigurationError(f"{out} cannot be written ({error.strerror}): choose another --out") from error
        yield


def _earlier_results(out: Path) -> dict[str, int]:
    """The exit code of each earlier result. UsageError for a file of something else: nothing is taken from it or added."""
    *lines, cut = out.read_text(encoding="utf-8", errors="replace").split("\n")
    done = dict(_result_of(line, f"{out}:{number}") for number, line in enumerate(lines, 1))
    if cut.lstrip()[:1] not in ("", "{"):
        raise UsageError(f"{out} contains something other than results: choose another --out")
    whole_lines(out)  # what a kill cut short is answered again
    return done


def _result_of(line: str, place: str) -> tuple[str, int]:
    try:
        row = json.loads(line)
        return str(row["id"]), int(row["exit_code"])
    except (ValueError, LookupError, TypeError, RecursionError) as error:
        raise UsageError(f"{place} is not a result: choose another --out") from error


def _result(one: Instruction, settings: Settings) -> dict[str, Any]:
    try:
        result = begin_job(one.job(), settings)
    except Exception as error:  # noqa: BLE001 - whatever it is, it is this line's result and not the end of the others
        code = 3 if isinstance(error, SandboxError | OSError) else exit_code_for(error)
        return {
            "id": one.id,
            "instruction": one.instruction,
            "ending": "error",
            "exit_code": code,
            "message": str(error),
        }
    answer = result.get("answer") or {}
    kept = ("ending", "exit_code", "message", "evidence", "usd", "folder")
    return {
        "id": one.id,
        "instruction": one.instruction,
        **{name: result[name] for name in kept},
        "kind": answer.get("kind"),
        "answer": answer.get("text"),
        "workdir": answer.get("workdir"),
        "confidence": answer.get("level"),
        "not_used": answer.get("unplaced"),
        "repository": (result.get("repository") or {}).get("name"),
    }
