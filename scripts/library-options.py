"""Reads option classes, parsers and launchers of known libraries out of wheels and git clones, and writes them as data.

    python scripts/library-options.py [--wheels DIR] [--checkouts DIR] [--out FILE] [--only DISTRIBUTION ...]

Wheels are downloaded with pip, without their dependencies, and read with our own static readers: nothing of them is run.
Libraries that publish no wheel are read from the release tags of a git clone, DIR/DISTRIBUTION; without it what is known is kept.
A class is told by the library's top-level package and its own name, because it can be imported from many places.
"""

import argparse
import io
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import msgspec

from ml_agent.sandbox.unpack import unpack_tar, unpack_zip
from ml_agent.tools.signatures.argparse_reader import Parser, as_parser
from ml_agent.tools.signatures.dataclass_reader import FieldParser
from ml_agent.tools.signatures.fields import foreign_bases, option_of, parameters
from ml_agent.tools.signatures.frameworks import factories
from ml_agent.tools.signatures.interpreter import Interpreter
from ml_agent.tools.signatures.known_classes import DATA, KnownClass, KnownOption, known_classes, write
from ml_agent.tools.signatures.model import Option
from ml_agent.tools.signatures.read import SignatureReader
from ml_agent.tools.signatures.sources import Sources
from ml_agent.tools.signatures.values import Arguments, Class, Function, Value


class Library(NamedTuple):
    """What is read of a distribution."""

    versions: tuple[str, ...]
    classes: Mapping[str, str] = {}
    """Classes whose fields or parameters become options, and the file that defines each."""
    parsers: Mapping[str, tuple[str, str]] = {}
    """A name, the file that makes the parser, and the function that returns it, "" for any."""
    dashed: bool = False
    """Its launchers take options with dashes and with underscores."""
    tags: bool = False
    """It publishes no wheel, and is read from the tags of a git clone."""
    wheel: tuple[str, ...] = ()
    """Which of its wheels is read, in pip's words, where the usual one is large."""


LIBRARIES = {
    "transformers": Library(
        ("4.6.1", "4.20.1", "4.30.2", "4.40.2", "4.46.3", "4.57.1"),
        classes={
            "TrainingArguments": "transformers/training_args.py",
            "Seq2SeqTrainingArguments": "transformers/training_args_seq2seq.py",
        },
    ),
    "trl": Library(
        ("0.9.6", "0.15.2", "0.24.0"),
        classes={
            "SFTConfig": "trl/trainer/sft_config.py",
            "DPOConfig": "trl/trainer/dpo_config.py",
            "RewardConfig": "trl/trainer/reward_config.py",
            "KTOConfig": "trl/trainer/kto_config.py",
            "ModelConfig": "trl/trainer/model_config.py",
            "GRPOConfig": "trl/trainer/grpo_config.py",
            "ScriptArguments": "trl/scripts/utils.py",
        },
    ),
    "pytorch-lightning": Library(
        ("0.7.6", "1.0.8", "1.3.8", "1.6.5", "1.9.5", "2.0.9", "2.5.5"),
        classes={"Trainer": "pytorch_lightning/trainer/trainer.py"},
    ),
    "torch": Library(
        ("1.13.1", "2.3.1", "2.9.1"),
        parsers={
            "torchrun": ("torch/distributed/run.py", "get_args_parser"),
            "launch": ("torch/distributed/launch.py", ""),
        },
        dashed=True,
        wheel=("--platform", "macosx_11_0_arm64", "--python-version", "3.10"),
    ),
    "accelerate": Library(
        ("0.20.3", "0.34.2", "1.2.1", "1.12.0"),
        parsers={"accelerate": ("accelerate/commands/launch.py", "launch_command_parser")},
        dashed=True,
    ),
    "detectron2": Library(
        ("0.1", "0.1.3", "0.3", "0.6"),
        parsers={"default_argument_parser": ("detectron2/engine/defaults.py", "default_argument_parser")},
        tags=True,
    ),
    "deepspeed": Library(
        ("0.3.16", "0.6.7", "0.9.5", "0.12.6", "0.15.4", "0.19.5"),
        parsers={
            "deepspeed": ("deepspeed/launcher/runner.py", ""),
            "add_config_arguments": ("deepspeed/__init__.py", "add_config_arguments"),
        },
        tags=True,
    ),
}
"""By distribution."""
Options = dict[str, Option]


def main(words: Sequence[str] | None = None) -> int:
    """Download, read, write."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("--wheels", type=Path, help="folder in which wheels are kept")
    parser.add_argument(
        "--checkouts", type=Path, help="folder with a git clone of each library that publishes no wheel"
    )
    parser.add_argument("--out", type=Path, default=DATA)
    known = list(LIBRARIES)
    parser.add_argument(
        "--only", nargs="+", choices=known, help="distributions that are read; others are kept as known"
    )
    args = parser.parse_args(words)
    wanted = [name for name in args.only or known if args.checkouts or not LIBRARIES[name].tags]
    kept = [cls for cls in known_classes() if cls.package not in {name.replace("-", "_") for name in wanted}]
    with tempfile.TemporaryDirectory() as folder:
        found = [cls for name in wanted for cls in read(name, args.wheels or Path(folder), args.checkouts)]
    write([*kept, *found], args.out)
    for cls in found:
        print(f"{cls.package}.{cls.name}: {len(cls.options)} options, {cls.versions[0]} to {cls.versions[-1]}")
    return 0


def read(name: str, wheels: Path, clones: Path) -> list[KnownClass]:
    """The classes and parsers of one library over its versions."""
    library, package = LIBRARIES[name], name.replace("-", "_")
    seen: dict[str, dict[str, Options]] = {}
    bases: dict[str, tuple[str, ...]] = {}
    for version in library.versions:
        with tempfile.TemporaryDirectory() as place:
            folder = Path(place)
            if library.tags:
                check_out(clones / name, version, package, folder)
            else:
                with wheel(name, version, wheels).open("rb") as packed:
                    unpack_zip(packed, folder, lambda path: path.endswith(".py"))
            read_now = {cls: options_of(folder, path, cls) for cls, path in library.classes.items()}
            for parser, (path, function) in library.parsers.items():
                options = parser_options(folder, path, function)
                read_now[parser] = {one.dest: _sure(one, dashed=library.dashed) for one in options}, ()
            for one, (options_now, bases_now) in read_now.items():
                if options_now:
                    seen.setdefault(one, {})[version], bases[one] = options_now, bases_now
    return [joined(package, one, found, bases[one]) for one, found in seen.items()]


def parser_options(root: Path, path: str, function: str) -> tuple[Option, ...]:
    """The options of the parser that a function returns (given one where it asks for it), or of the first that a file makes."""
    if not function:
        found = SignatureReader(root, _files(root)).parsers(path)
        return found[0].options if found else ()
    run = _patient(root, path)
    parser = as_parser(_call(run, path, function))
    return tuple(parser.options) if parser is not None else ()


def _call(run: Interpreter, path: str, name: str) -> Value:
    """What a function gives; one that asks for a parser is given one."""
    module = run.module(path, "__config__")
    run.run_module(module)
    function = module.env.get(name)
    asks = isinstance(function, Function) and "parser" in {a.arg for a in function.node.args.args}
    return run.call(function, Arguments([Parser(run, Arguments([], {}))] if asks else [], {}))


def _sure(option: Option, *, dashed: bool) -> Option:
    """As it is, or with dashes and with underscores; the defaults come out of the environment."""
    if not dashed:
        return msgspec.structs.replace(option, sure=True)
    both = [
        spelling for flag in option.flags for spelling in (flag, "--" + flag[2:].replace("_", "-")) if len(flag) > 2
    ]
    flags = tuple(dict.fromkeys([*option.flags, *both]))
    return msgspec.structs.replace(option, flags=flags, sure=True)


def wheel(name: str, version: str, folder: Path) -> Path:
    """The wheel of one version, downloaded where it is missing."""
    pattern = f"{name.replace('-', '_')}-{version}-*.whl"
    if not list(folder.glob(pattern)):
        command = [sys.executable, "-m", "pip", "download", "-q", "--no-deps", "--only-binary=:all:"]
        command += [*LIBRARIES[name].wheel, f"{name}=={version}", "-d", str(folder)]
        subprocess.run(command, check=True, timeout=600)
    return next(folder.glob(pattern))


def check_out(clone: Path, version: str, package: str, folder: Path) -> None:
    """The Python files of a library's package at the tag of a version."""
    command = ["git", "-C", str(clone), "archive", f"v{version}", package]
    packed = subprocess.run(command, check=True, capture_output=True, timeout=600).stdout
    unpack_tar(io.BytesIO(packed), folder, lambda name: name.endswith(".py"))


def _files(root: Path) -> frozenset[str]:
    return frozenset(p.relative_to(root).as_posix() for p in root.rglob("*.py"))


def _patient(root: Path, path: str) -> Interpreter:
    """An interpreter with as much time as it takes."""
    run = Interpreter(Sources(root, _files(root)), path, factories())
    run.budget.steps, run.budget.deadline = 10**9, float("inf")
    return run


def options_of(root: Path, path: str, name: str) -> tuple[Options, tuple[str, ...]]:
    """The options that the fields of a dataclass, or the parameters of a class, become, and its bases from elsewhere."""
    run = _patient(root, path)
    module = run.module(path, path.removesuffix(".py").replace("/", "."))
    run.run_module(module)
    cls = module.env.get(name)
    if not isinstance(cls, Class):
        return {}, ()
    initialiser = cls.find("__init__")
    if isinstance(initialiser, Function):
        fields, _ = parameters(run, initialiser)
        return {field.name: option_of(run, field, field.name, (f"--{field.name}",)) for field in fields}, ()
    parser = FieldParser(run, Arguments([], {}))
    parser.take(cls)
    return {option.dest: option for option in parser.options}, tuple(foreign_bases(cls))


def joined(package: str, name: str, seen: dict[str, Options], bases: tuple[str, ...]) -> KnownClass:
    """One class over its versions; each option as its newest version has it."""
    versions = tuple(seen)
    options: dict[str, KnownOption] = {}
    for place, version in enumerate(versions):
        for dest, option in seen[version].items():
            since = options[dest].since if dest in options else place
            choices = option.choices
            if dest in options and choices:
                older = options[dest].option.choices
                choices = tuple(dict.fromkeys([*older, *choices])) if older else ()
            # no file of the repository that uses it
            plain = msgspec.structs.replace(option, choices=choices, path="", line=0)
            options[dest] = KnownOption(since=since, until=place, option=plain)
    return KnownClass(package=package, name=name, versions=versions, options=tuple(options.values()), bases=bases)


if __name__ == "__main__":
    sys.exit(main())
