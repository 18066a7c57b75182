"""The rows of one repository: documented commands with other values, which its own parser reads as they are meant."""

import hashlib
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from random import Random
from typing import Any

import msgspec

from ml_agent.benchmarks.make.seeds import Seed, seeds
from ml_agent.benchmarks.make.wording import STYLES, request
from ml_agent.benchmarks.observation import observe
from ml_agent.benchmarks.observation.model import Program
from ml_agent.benchmarks.same_call.options import options_of
from ml_agent.benchmarks.same_call.values import same
from ml_agent.tools.commandline.render import render_command
from ml_agent.tools.commandline.words import parse_call
from ml_agent.tools.errors import RenderError
from ml_agent.tools.index import RepoIndex
from ml_agent.tools.signatures.model import Option, Signature

TRIES = 4
"""Attempts at a row for each that is wanted."""
MOST_ADDED = 2
"""Options that a row has and its document does not."""
SPLITS = ((0.2, "test"), (0.35, "dev"), (1.0, "train"))
"""Shares of repositories, added up."""
FACTORS = (0.1, 0.5, 2.0, 5.0)
LOCAL = "https://github.com/local/"
"""Begins the made address of a folder that is from nowhere."""


class RowSource(msgspec.Struct, frozen=True, kw_only=True):
    """One repository to make rows of."""

    root: Path
    name: str
    github: str
    commit: str
    github_id: int


class MadeRows(msgspec.Struct, frozen=True, kw_only=True):
    """What came of one repository."""

    rows: tuple[dict[str, Any], ...]
    refused: dict[str, int]
    """Attempts that gave no row, by reason."""
    wording: dict[str, int] = {}
    """Whose words the requests are, where a model was asked for them."""


class RefusedCommand(Exception):
    """The repository does not take the command, or takes it for something else."""


def make_rows(source: RowSource, index: RepoIndex, most: int, seed: int) -> MadeRows:
    """Up to `most` rows; the same for the same seed and commit."""
    random = Random(f"{seed} {source.github}")
    found = seeds(index)
    refused: Counter[str] = Counter() if found else Counter({"no documented command that can be read": 1})
    rows: dict[str, dict[str, Any]] = {}
    for attempt in range(most * TRIES if found else 0):
        if len(rows) >= most:
            break
        start = found[attempt % len(found)]
        try:
            row = _row(source, start, list(STYLES)[len(rows) % len(STYLES)], random)
        except RefusedCommand as reason:
            refused[str(reason).partition(": ")[0][:60]] += 1
            continue
        if row["output"] in rows:
            refused["the same command again"] += 1
        rows.setdefault(row["output"], row)
    return MadeRows(rows=tuple({**row, "id": n} for n, row in enumerate(rows.values(), start=1)), refused=dict(refused))


def _row(source: RowSource, start: Seed, style: str, random: Random) -> dict[str, Any]:
    """A row with varied values. RefusedCommand where the repository does not take it."""
    call = varied(start, random)
    text = reference(start.signature, call, start.workdir, source.root)
    options = {name: option for name, option in start.options.items() if name in call}
    return {
        "github_id": source.github_id, "id": 0, "github": source.github, "commit": source.commit,
        "path": "./" if start.workdir in ("", ".") else f"./{start.workdir}", "split": split_of(source.github),
        "instruction": request(start.signature, options, call, style, random), "style": style,
        "framework": start.signature.framework, "arguments": {n: _as_written(o, call[n]) for n, o in options.items()},
        "type": "Bash Script", "output": text, "oracle": start.example.text,
        "why": f"{start.example.path}:{start.example.line}", "documented": sorted(start.shown),
        "helps": {n: o.help for n, o in options.items() if o.help},
    }  # fmt: skip


def varied(start: Seed, random: Random) -> dict[str, Any]:
    """The values of a documented command with some changed, and with an option or two that it does not show."""
    call = dict(start.shown)
    options = start.options
    for name in call:
        value = other_value(options[name], call[name], random) if name in options else None
        if value is not None and random.random() < 0.7:
            call[name] = value
    rest = [name for name in options if name not in call]
    random.shuffle(rest)
    more = random.randint(0, MOST_ADDED)
    for name in rest:
        value = other_value(options[name], options[name].default, random) if more else None
        if value is not None:
            call[name], more = value, more - 1
    return call


def other_value(option: Option, value: Any, random: Random) -> Any:
    """Another value of the same kind: another choice, a number of the same size, a switch that is on; None where there is none."""
    if option.switch:
        return True if str(option.default or "False") == "False" and option.switch_value == "True" else None
    if isinstance(value, list) or option.nargs not in (None, "1", "?"):
        return None
    others = [choice for choice in option.choices if choice != str(value)]
    if option.choices:
        return random.choice(others) if others else None
    try:
        number = float(value)
    except (TypeError, ValueError):
        return None
    if option.type not in ("int", "float") or not 0 < number < 1e9:
        return None
    scaled = number * random.choice([f for f in FACTORS if number >= 1 or f < 1 or number * f < 0.5] or [0.5])
    if option.type == "int":
        return max(2, round(scaled)) if max(2, round(scaled)) != number else None
    return float(f"{scaled:.3g}")


def reference(signature: Signature, call: Mapping[str, Any], workdir: str, root: Path) -> str:
    """The command that sets these values, as it is typed in `workdir`. RefusedCommand with the reason."""
    try:
        text = render_command(signature, dict(call), workdir)
    except RenderError as error:
        raise RefusedCommand(f"cannot be written: {error}") from error
    seen = observe(text, root, workdir)
    if seen.failure:
        raise RefusedCommand(f"{seen.failure}: {seen.message}")
    chains = [(p, {p.file, *(file for file, _ in p.chain)}) for p in seen.programs]
    program = next((p for p, files in chains if signature.path in files), None)
    if program is None:
        raise RefusedCommand("another program runs")
    if program.parsed:
        _see_that_it_was_meant(program, call, root)
    elif parse_call(signature, program.words).unknown:
        raise RefusedCommand("the signature does not know it")
    return text


def _see_that_it_was_meant(program: Program, call: Mapping[str, Any], root: Path) -> None:
    """The parser gives every option the value that was asked for, and no other is set."""
    options = options_of(program, root)
    names = {name if name in options.values else name.replace("-", "_"): value for name, value in call.items()}
    for name, value in names.items():
        if name not in options.values or not same(options.values[name], value):
            raise RefusedCommand(f"the parser takes another value: {name}")
    if options.given - names.keys():
        raise RefusedCommand("the parser sets another option, too")


def _as_written(option: Option, value: Any) -> str:
    """The string that every right answer contains."""
    if option.switch:
        return option.flags[-1].lstrip("-") if option.flags else option.dest
    return " ".join(map(str, value)) if isinstance(value, list) else str(value)


def split_of(github: str) -> str:
    """train, dev or test, by the repository alone, so that no repository is in two."""
    place = int(hashlib.sha256(github.lower().encode()).hexdigest()[:8], 16) / 0xFFFFFFFF
    return next(name for share, name in SPLITS if place <= share)
