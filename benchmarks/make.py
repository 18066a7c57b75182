"""Makes rows for any repository: documented commands with other values, which the repository's own parser takes as they are meant.

Nothing of a repository is installed; its parsers run in isolation.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from random import Random
from typing import Any

import msgspec

from ml_agent.benchmarks.data import LOCAL
from ml_agent.benchmarks.errors import BenchError
from ml_agent.benchmarks.observation import observe
from ml_agent.benchmarks.observation.model import Program
from ml_agent.benchmarks.same_call.options import options_of
from ml_agent.benchmarks.same_call.values import same
from ml_agent.settings import load_settings
from ml_agent.tools.commandline.invocation import Invocation
from ml_agent.tools.commandline.render import render_command
from ml_agent.tools.commandline.shell import parse_command
from ml_agent.tools.commandline.words import choose, parse_call
from ml_agent.tools.errors import RenderError, RepositoryError
from ml_agent.tools.index import RepoIndex
from ml_agent.tools.signatures.model import Option, Signature
from ml_agent.tools.usage.entry import Example
from ml_agent.tools.versions import local_version
from ml_agent.tools.work_tree import WorkTree
from ml_agent.workspaces import repository_cache

FIRST_ID = 1000
"""Numbers of made repositories begin above those of the published rows and of `wild`."""
TRIES = 4
"""Attempts at a row for each that is wanted."""
MOST_ADDED = 2
"""Options that a row has and its document does not."""
FACTORS = (0.1, 0.5, 2.0, 5.0)
LEFT_OUT = re.compile(
    r"(?:^|/)(?:tests?|unit_?tests?|testing|docs?|\.github|ci|third_party|vendor|conda|docker)(?:/|$)"
    r"|(?:^|/)(?:setup|conftest|test_\w+|\w+_test)\.py$"
)
"""Files that are no entry point for a user."""
INFRASTRUCTURE = re.compile(
    r"(?:local_?rank|rank|world_?size|dist_\w+|node_?rank|master_\w+|multiprocessing\w*|n?gpus?|help|version|debug|v|verbose|quiet|q)$"
)
"""Options that a launcher or a developer sets."""
INTERNAL = re.compile(
    r"==SUPPRESS==|deprecated|do not (?:set|use|modify)|internal|unused|don't use|todo", re.IGNORECASE
)
OPEN = re.compile(
    r"[$<>{}\[\]*`…]|\.\.\.|YOUR|[Yy]our[_-]|\bmy[_-]|path[/_-]to|PATH_TO|xxx|XXX|placeholder|[-_]or[-_]path"
)
"""A value that stands for one of the reader's own."""
HARMLESS = re.compile(r"(?:CUDA|HIP)_|OMP_|MKL_|PYTHON|TOKENIZERS_|TORCH_|TF_CPP|NCCL_|HF_HUB")
"""Environment that a program runs without as well."""
HELP = frozenset({"-h", "--help", "--version", "help", "list"})
"""Words that ask what there is, and not for a run: what else is given then does nothing."""
_NOUN = re.compile(r"(?:the |path to the |path to |specify the )?([a-z][a-z -]{3,40}?)(?=[.,;:(\n]|$)", re.IGNORECASE)
_NO_NOUN = frozenset({"choices", "default", "example", "examples", "option", "options", "values"})
_NAME = re.compile(r"[\w.-]+/[\w.-]+$")
_COMMIT = re.compile(r"[0-9a-f]{40}$")


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


class RefusedCommand(Exception):
    """The repository does not take the command, or takes it for something else."""


def make(given: Sequence[RowSource], cache: Path, most: int, say: Callable[[str], None]) -> Iterator[MadeRows]:
    """The rows of each repository, at most so many; `cache` is the folder of indexes. Says how many there are."""
    for source in given:
        made = make_rows(source, RepoIndex.open(source.root, local_version(source.root), cache), most)
        say(f"{source.name}: {len(made.rows)} rows")
        yield made


def sources(given: Sequence[str]) -> tuple[RowSource, ...]:
    """The repositories in the order in which they were given. BenchError for one that cannot be had."""
    found: list[RowSource] = []
    for number, text in enumerate(given):
        if Path(text).is_dir() and any(one.root == Path(text).resolve() for one in found):
            continue
        if Path(text).is_dir():
            found.append(_folder(Path(text).resolve(), FIRST_ID + number))
        elif _NAME.match(text):
            found.append(_github_source(text, FIRST_ID + number))
        else:
            raise BenchError(f"{text} is neither a folder nor OWNER/NAME")
    names = Counter(one.name for one in found)
    if twice := [name for name, number in names.items() if number > 1]:
        raise BenchError(
            f"two repositories are called {twice[0]}, and rows are matched by that name: make their rows separately"
        )
    return tuple(found)


def _folder(root: Path, number: int) -> RowSource:
    version = local_version(root)
    commit = version if _COMMIT.match(version) else ""
    return RowSource(root=root, name=root.name.lower(), github=_origin(root), commit=commit, github_id=number)


def _origin(root: Path) -> str:
    """Where a folder was cloned from, without what stands before an @; for any other folder a made address of its name."""
    try:
        address = WorkTree(root).origin()
    except RepositoryError:  # no work tree of git
        address = ""
    match = re.search(r"github\.com[:/]([\w.-]+/[\w.-]+)$", address.removesuffix(".git"))
    return f"https://github.com/{match[1]}" if match else LOCAL + root.name


def _github_source(text: str, number: int) -> RowSource:
    try:
        found = repository_cache(load_settings()).get(f"https://github.com/{text}", None)
    except RepositoryError as error:
        raise BenchError(f"{text}: {error}") from error
    name = text.rpartition("/")[2].lower()
    return RowSource(
        root=found.root, name=name, github=f"https://github.com/{text}", commit=found.version, github_id=number
    )


class Seed(msgspec.Struct, frozen=True, kw_only=True):
    """An entry point and one way in which documents use it."""

    signature: Signature
    shown: Mapping[str, Any]
    """dest -> value."""
    workdir: str
    example: Example

    @property
    def options(self) -> dict[str, Option]:
        """The options that a request may ask for, by name."""
        return {o.dest: o for o in self.signature.options if _is_usable(o)}


def seeds(index: RepoIndex) -> list[Seed]:
    """All seeds of a repository, each way of use once."""
    found: dict[tuple[str, ...], Seed] = {}
    for example in index.examples:
        known = index.signatures.get(example.entry, ())
        if example.kind == "bash" and not LEFT_OUT.search(example.path) and not LEFT_OUT.search(example.entry):
            for seed in _seeds_of(example, known):
                signature = seed.signature
                key = (signature.path, signature.name, *signature.subcommand, str(sorted(seed.shown.items(), key=str)))
                found.setdefault(key, seed)
    return list(found.values())


def _seeds_of(example: Example, known: Sequence[Signature]) -> Iterator[Seed]:
    for call in parse_command(example.text).invocations:
        signature = _signature(known, call) if _is_plain(call) else None
        if signature is None or not any(map(_is_usable, signature.options)):
            continue
        parsed = parse_call(signature, call.words)
        findings = [one for one in parsed.findings if one.severity == "error"]
        if not parsed.unknown and not findings and not any(map(_is_open, parsed.values.values())):
            yield Seed(signature=signature, shown=parsed.values, workdir=example.workdir, example=example)


def _is_plain(call: Invocation) -> bool:
    """Whether a call says all that the program gets: no launcher, no environment, nothing from outside, and no help asked for."""
    outside = any(sign.startswith("<") for sign, _ in call.redirects)
    needs = any(not HARMLESS.match(name) for name, _ in call.environment)
    return not (call.launcher or outside or needs or HELP & set(call.words))


def _signature(found: Sequence[Signature], call: Invocation) -> Signature | None:
    """The signature that a documented call means."""
    if call.target == "module":
        files = [msgspec.structs.replace(s, kind="module", name=call.name) for s in found if s.kind == "python"]
        return choose(files, call.words)
    kind = "console" if call.target == "console" else "python"
    return choose([s for s in found if s.kind == kind and (kind == "python" or s.name == call.name)], call.words)


def _is_open(value: Any) -> bool:
    return OPEN.search(" ".join(map(str, value)) if isinstance(value, list) else str(value)) is not None


def _is_usable(option: Option) -> bool:
    return option.sure and not INFRASTRUCTURE.match(option.dest) and not INTERNAL.search(option.help)


def make_rows(source: RowSource, index: RepoIndex, most: int) -> MadeRows:
    """Up to `most` rows; the same for the same commit."""
    random = Random(source.github)
    found = seeds(index)
    refused: Counter[str] = Counter() if found else Counter({"no documented command that can be read": 1})
    rows: dict[str, dict[str, Any]] = {}
    for attempt in range(most * TRIES if found else 0):
        if len(rows) >= most:
            break
        start = found[attempt % len(found)]
        try:
            row = _row(source, start, random)
        except RefusedCommand as reason:
            refused[str(reason).partition(": ")[0][:60]] += 1
            continue
        if row["output"] in rows:
            refused["an equal command has a row already"] += 1
        rows.setdefault(row["output"], row)
    return MadeRows(rows=tuple({**row, "id": n} for n, row in enumerate(rows.values(), start=1)), refused=dict(refused))


def _row(source: RowSource, start: Seed, random: Random) -> dict[str, Any]:
    """A row with varied values. RefusedCommand where the repository does not take it."""
    call = varied(start, random)
    text = reference(start.signature, call, start.workdir, source.root)
    options = {name: option for name, option in start.options.items() if name in call}
    return {
        "github_id": source.github_id, "id": 0, "github": source.github, "commit": source.commit,
        "path": "./" if start.workdir in ("", ".") else f"./{start.workdir}",
        "instruction": request(start.signature, options, call), "type": "Bash Script", "output": text,
        "arguments": {n: _as_written(o, call[n]) for n, o in options.items()},
        "why": f"{start.example.path}:{start.example.line}",
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
        raise RefusedCommand(f"no command line can be built of these words: {error}") from error
    seen = observe(text, root, workdir)
    if seen.failure:
        raise RefusedCommand(f"{seen.failure}: {seen.message}")
    chains = [(p, {p.file, *(file for file, _ in p.chain)}) for p in seen.programs]
    program = next((p for p, files in chains if signature.path in files), None)
    if program is None:
        raise RefusedCommand("the command starts another program")
    if program.parsed:
        _see_that_it_was_meant(program, call, root)
    elif parse_call(signature, program.words).unknown:
        raise RefusedCommand("the command has an option that the script's signature does not have")
    return text


def _see_that_it_was_meant(program: Program, call: Mapping[str, Any], root: Path) -> None:
    """The parser gives every option the value that was asked for, and no other is set."""
    options = options_of(program, root)
    names = {name if name in options.values else name.replace("-", "_"): value for name, value in call.items()}
    for name, value in names.items():
        if name not in options.values or not same(options.values[name], value):
            raise RefusedCommand(f"the script's parser reads another value for {name}")
    if options.given - names.keys():
        raise RefusedCommand("the script's parser also sets an option that the command does not name")


def _as_written(option: Option, value: Any) -> str:
    """The string that every right answer contains."""
    if option.switch:
        return option.flags[-1].lstrip("-") if option.flags else option.dest
    return " ".join(map(str, value)) if isinstance(value, list) else str(value)


def request(signature: Signature, options: Mapping[str, Option], call: Mapping[str, Any]) -> str:
    """A request that names the program and every value.

    Args:
        signature: of the program.
        options: those that it asks for, by name.
        call: the values by name.
    """
    program = signature.name if signature.kind in ("console", "module") else signature.path
    texts = {name: " ".join(map(str, v)) if isinstance(v := call[name], list) else str(v) for name in options}
    told = [f"{noun(o)} on" if o.switch else f"{noun(o)} {texts[name]}" for name, o in options.items()]
    joined = ", ".join(told[:-1]) + (" and " if told[1:] else "") + "".join(told[-1:])
    return f"Run {' '.join([program, *signature.subcommand])} with {joined}."


def noun(option: Option) -> str:
    """What an option is called: by its help where that begins with a short noun, else by its name."""
    match = _NOUN.match(option.help.strip())
    name = option.dest.rpartition(".")[2].replace("_", " ").replace("-", " ")
    words = match[1].lower().split() if match and not option.switch else []
    return " ".join(words) if words and len(words) <= 4 and not _NO_NOUN & set(words) else name
