"""How true are the signatures? Runs every parser of a folder of repositories for real, under stubs, and compares option by option.

    python -m benchmarks.signature_truth DIR... [--jobs N]

DIR is a repository or a folder of repositories. For each file it compares what `tools.signatures` reads of it without running it with the
parsers that it makes when it runs: the share of equal options is what a user may believe of `ml-agent explain`. A file counts as a candidate where its text holds `ArgumentParser(` or
`flags.DEFINE`, or where its signature was read from argparse or absl. Each is run in the sandbox of `benchmarks.observation`: first
as a script, then, where it does not parse a command line, function by function.
"""

import argparse
import re
import shlex
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import msgspec

from ml_agent.benchmarks.observation.inside import FUNCTIONS
from ml_agent.benchmarks.observation.model import Report
from ml_agent.benchmarks.observation.repository import Libraries, libraries_of
from ml_agent.benchmarks.observation.run import Job, run_answer
from ml_agent.benchmarks.repositories import repositories_in
from ml_agent.tools.files import Tree
from ml_agent.tools.signatures.model import SETTINGS_FILE, Option, Signature
from ml_agent.tools.signatures.read import SignatureReader

MAKES_PARSER = re.compile(r"(?<![A-Za-z])ArgumentParser\(|flags\.DEFINE")
FIELDS = ("flags", "nargs", "type", "choices", "required", "default")
WORD = "--of-the-command-line"
"""What a program is given, so that a parser which gets words of the program's own is told apart."""
Key = tuple[tuple[str, ...], str, tuple[str, ...]]


class Difference(msgspec.Struct, frozen=True, kw_only=True):
    """One option that is not the same."""

    path: str
    option: str
    field: str
    """One of FIELDS, or "missing" (the static signature lacks it), "invented" (the real parser lacks it)."""
    real: Any = None
    static: Any = None
    sure: bool = True


class FileTruth(msgspec.Struct, frozen=True, kw_only=True):
    """What came out for one file."""

    path: str
    makes_parser: bool
    """Its text makes a parser or defines flags; other candidates only use one."""
    reason: str = ""
    """Why it could not be run; empty where a real parser was seen."""
    options: int = 0
    equal: int = 0
    foreign: int = 0
    """Options that a library adds which is only a stub here: not compared."""
    differences: tuple[Difference, ...] = ()


def candidates(reader: SignatureReader) -> Iterator[tuple[str, bool]]:
    """Files worth running, and whether they make a parser themselves."""
    for path in sorted(reader.sources.files):
        if not path.endswith(".py"):
            continue
        makes = bool(MAKES_PARSER.search(reader.sources.text(path) or ""))
        own = (s for s in reader.read(path) if s.framework in ("argparse", "absl"))
        if makes or any(option.path for s in own for option in s.options):
            yield path, makes


def run_really(root: Path, path: str, libraries: Libraries) -> tuple[Report, Report]:
    """What a file did as a script, and function by function where that led to no parser; else twice the first."""
    first = _describe(root, f"python {shlex.quote(path)} {WORD}", ".", libraries)
    if "relative import" in first.message:
        folder, module = _as_module(root, path)
        first = _describe(root, f"python -m {module} {WORD}", folder, libraries)
    if first.described and (first.asked or first.outcome == "finished"):
        return first, first
    return first, _describe(root, f"python {FUNCTIONS} {shlex.quote(path)}", ".", libraries)


def _describe(root: Path, text: str, folder: str, libraries: Libraries) -> Report:
    """The parsers of what a command starts."""
    done = run_answer(Job(root=root, folder=folder, text=text, kind="bash", describe=True), libraries)
    nothing = Report(outcome="failed", code=done.code, message=done.message)
    return done.reports[-1] if done.reports else nothing


def _as_module(root: Path, path: str) -> tuple[str, str]:
    """The folder that holds the outermost package of a file, and the file's name as a module from there."""
    folder = (root / path).parent
    while (folder / "__init__.py").exists() and folder != root:
        folder = folder.parent
    module = (root / path).relative_to(folder).with_suffix("").as_posix().replace("/", ".")
    return folder.relative_to(root).as_posix(), module


def truth_of(
    candidate: tuple[str, bool], runs: tuple[Report, Report], root: Path, reader: SignatureReader
) -> FileTruth:
    """Compare what a file did with its signatures."""
    (path, makes), (first, report) = candidate, runs
    if not report.described:
        reason = f"{first.message[:150] or first.outcome} {first.place}".strip()
        return FileTruth(path=path, makes_parser=makes, reason=reason)
    static = reader.read(path) if report is first else reader.parsers(path)
    real = dict(_real_options(report.described))
    ours = dict(_static_options(static))
    handed = any(parser["handed"] for parser in report.described)
    differences: list[Difference] = []
    equal = foreign = 0
    for key, facts in real.items():
        option = ours.get(key)
        found = [Difference(path=path, option=_name(key), field="missing", real=facts["action"])]
        if option is not None:
            found = [
                Difference(path=path, option=_name(key), field=field, real=a, static=b, sure=option.sure)
                for field, a, b in _fields(facts, option, root)
                if a != b
            ]
        differences += found
        equal += not found
    for key, option in ours.items():
        if key not in real:
            if (handed and option.path != path) or _of_configuration(option, ours):
                foreign += 1
            else:
                differences.append(
                    Difference(path=path, option=_name(key), field="invented", static=option.path, sure=option.sure)
                )
    return FileTruth(
        path=path, makes_parser=makes, options=len(real.keys() | ours.keys()) - foreign, equal=equal,
        foreign=foreign, differences=tuple(differences),
    )  # fmt: skip


def _of_configuration(option: Option, ours: Mapping[Key, Option]) -> bool:
    """Whether a library that is a stub here reads it out of a configuration file (`--config`, `--config.lr`)."""
    files = {other.dest for other in ours.values() if other.converter == SETTINGS_FILE}
    return option.dest.partition(".")[0] in files


def _name(key: Key) -> str:
    return " ".join([*key[0], key[2][-1] if key[2] else key[1]])


def _real_options(parsers: Iterable[Mapping[str, Any]]) -> Iterator[tuple[Key, Mapping[str, Any]]]:
    for parser in parsers:
        for option in parser["options"]:
            if option["action"] != "_VersionAction":
                yield (tuple(parser["subcommand"]), option["dest"], tuple(option["flags"])), option
        yield from _real_options(parser["subparsers"])


def _static_options(signatures: Iterable[Signature]) -> Iterator[tuple[Key, Option]]:
    signatures = list(signatures)
    for signature in signatures:
        if _is_understood(signature, signatures):
            continue
        for option in (one for one in signature.options if not one.ends):
            yield (signature.subcommand[: option.level], option.dest, option.flags), option


def _is_understood(signature: Signature, others: Iterable[Signature]) -> bool:
    """Whether it is that of a subcommand which the program puts in where none is named: no parser has it as its own."""
    own = [(option.dest, option.flags) for option in signature.options]
    return (
        bool(own)
        and not signature.subcommand
        and any(
            other.subcommand and own == [(option.dest, option.flags) for option in other.options] for other in others
        )
    )


def _fields(real: Mapping[str, Any], option: Option, root: Path) -> Iterator[tuple[str, Any, Any]]:
    """(field, real value, static value), in comparable form."""
    yield "flags", sorted(real["flags"] + real["negative_flags"]), sorted(option.flags + option.negative_flags)
    yield "nargs", real["nargs"], option.nargs
    if real["type"] != "unknown":
        yield "type", real["type"], option.type
    choices = real["choices"] or []
    if None not in choices:
        yield "choices", sorted(choices), sorted(option.choices)
    optional = not real["flags"] and real["nargs"] in ("*", "...", "?")  # argparse says required, but takes none
    yield "required", real["required"] and not optional, option.required
    default = real["default"].replace(f"{root}/", "") if isinstance(real["default"], str) else None
    if default is not None and re.fullmatch(r"<.* (at 0x|name=).*>", default):
        default = None  # an object that has no spelling, such as standard input
    yield "default", default, option.default


def measure(root: Path, reader: SignatureReader, jobs: int) -> list[FileTruth]:
    """All candidates of one repository."""
    chosen, libraries = list(candidates(reader)), libraries_of(root)
    with ThreadPoolExecutor(jobs) as pool:
        runs = list(pool.map(lambda pair: run_really(root, pair[0], libraries), chosen))
    return [truth_of(one, real, root, reader) for one, real in zip(chosen, runs, strict=True)]


def main(words: Sequence[str] | None = None) -> int:
    """Print the percentages, every difference and every file that could not be run."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("folders", nargs="+", type=Path, metavar="DIR")
    parser.add_argument("--jobs", type=int, default=2)
    args = parser.parse_args(words)
    truths: dict[str, list[FileTruth]] = {}
    for root in repositories_in(p.resolve() for p in args.folders):
        truths[root.name] = measure(root, SignatureReader(root, frozenset(Tree(root).files())), args.jobs)
    sys.stdout.write(report_text(truths))
    return 0


def report_text(truths: Mapping[str, Sequence[FileTruth]]) -> str:
    """The report for a person: what could not be run, what differs, a line for each repository and one for all."""
    lines: list[str] = []
    for name, files in truths.items():
        lines += [f"not run    {name}/{one.path}: {one.reason}" for one in files if one.reason]
        lines += [
            f"differs    {name}/{d.path} {d.option}: {d.field} real={d.real!r} static={d.static!r} sure={d.sure}"
            for one in files
            for d in one.differences
        ]
    every = {**truths, "ALL": [one for files in truths.values() for one in files]}
    return "\n".join([*lines, *(f"{name}: {_figures(files)}" for name, files in every.items())]) + "\n"


def _figures(files: Sequence[FileTruth]) -> str:
    makers = [one for one in files if one.makes_parser]
    fields = dict(Counter(d.field for one in files for d in one.differences))
    return (
        f"{_share(sum(one.equal for one in files), sum(one.options for one in files))} of the options equal; "
        f"{_share(sum(not one.reason for one in makers), len(makers))} of the files that make a parser ran; candidates {len(files)}; "
        f"by a stubbed library and not compared {sum(one.foreign for one in files)}; differing fields {fields}"
    )


def _share(part: int, whole: int) -> str:
    return f"{part}/{whole} ({100 * part / whole:.2f} %)" if whole else "0/0"


if __name__ == "__main__":
    sys.exit(main())
