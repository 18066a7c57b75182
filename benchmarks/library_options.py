"""Reads option classes, parsers and launchers of known libraries out of wheels and git clones, and writes them as data.

    python -m benchmarks.library_options [--wheels DIR] [--checkouts DIR] [--out FILE] [--only DISTRIBUTION ...]

Wheels are downloaded with pip, without their dependencies, and read with our own static readers: nothing of them is run.
Libraries that publish no wheel are read from the release tags of a git clone, DIR/DISTRIBUTION; without it what is known is kept.
A class is told by the library's top-level package and its own name, because it can be imported from many places.
"""

import argparse
import io
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

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

TRANSFORMERS = ("4.6.1", "4.20.1", "4.30.2", "4.40.2", "4.46.3", "4.57.1")
TRL = ("0.9.6", "0.15.2", "0.24.0")
LIGHTNING = ("0.7.6", "1.0.8", "1.3.8", "1.6.5", "1.9.5", "2.0.9", "2.5.5")
WANTED: dict[tuple[str, tuple[str, ...]], dict[str, str]] = {
    ("transformers", TRANSFORMERS): {
        "TrainingArguments": "transformers/training_args.py",
        "Seq2SeqTrainingArguments": "transformers/training_args_seq2seq.py",
    },
    ("trl", TRL): {
        "SFTConfig": "trl/trainer/sft_config.py", "DPOConfig": "trl/trainer/dpo_config.py",
        "RewardConfig": "trl/trainer/reward_config.py", "KTOConfig": "trl/trainer/kto_config.py",
        "ModelConfig": "trl/trainer/model_config.py", "GRPOConfig": "trl/trainer/grpo_config.py",
        "ScriptArguments": "trl/scripts/utils.py",
    },
    ("pytorch-lightning", LIGHTNING): {"Trainer": "pytorch_lightning/trainer/trainer.py"},
}  # fmt: skip
"""Distribution and versions: classes, and the file that defines each."""
TORCH = ("1.13.1", "2.3.1", "2.9.1")
ACCELERATE = ("0.20.3", "0.34.2", "1.2.1", "1.12.0")
Parsers = dict[tuple[str, tuple[str, ...]], dict[str, tuple[str, str]]]
"""Distribution and versions: a name, the file that makes the parser and the function that returns it, "" for any."""
LAUNCHERS: Parsers = {
    ("torch", TORCH): {
        "torchrun": ("torch/distributed/run.py", "get_args_parser"),
        "launch": ("torch/distributed/launch.py", ""),
    },
    ("accelerate", ACCELERATE): {"accelerate": ("accelerate/commands/launch.py", "launch_command_parser")},
}
DETECTRON2 = ("0.1", "0.1.3", "0.3", "0.6")
DEEPSPEED = ("0.3.16", "0.6.7", "0.9.5", "0.12.6", "0.15.4", "0.19.5")
CHECKOUTS: Parsers = {
    ("detectron2", DETECTRON2): {
        "default_argument_parser": ("detectron2/engine/defaults.py", "default_argument_parser"),
    },
    ("deepspeed", DEEPSPEED): {
        "deepspeed": ("deepspeed/launcher/runner.py", ""),
        "add_config_arguments": ("deepspeed/__init__.py", "add_config_arguments"),
    },
}
"""The same of libraries that publish no wheel: they are read from the tags of a git clone."""
DASHED = frozenset({"torch", "accelerate"})
"""Their launchers take options with dashes and with underscores."""
SMALLEST = {"torch": ("--platform", "macosx_11_0_arm64", "--python-version", "3.10")}
"""Which of a distribution's wheels is read, where the usual one is large."""


def main(words: Sequence[str] | None = None) -> int:
    """Download, read, write."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("--wheels", type=Path, help="folder in which wheels are kept")
    parser.add_argument(
        "--checkouts", type=Path, help="folder with a git clone of each library that publishes no wheel"
    )
    parser.add_argument("--out", type=Path, default=DATA)
    parser.add_argument("--only", nargs="+", help="distributions that are read; what is known of others is kept")
    args = parser.parse_args(words)
    tables = (*WANTED, *LAUNCHERS, *(CHECKOUTS if args.checkouts else ()))
    wanted = args.only or [name for name, _ in tables]
    if unread := set(wanted) - {name for name, _ in tables}:
        parser.error(f"not known, or read from --checkouts: {', '.join(sorted(unread))}")
    packages = {name.replace("-", "_") for name in wanted}
    kept = [cls for cls in known_classes() if cls.package not in packages]
    with tempfile.TemporaryDirectory() as folder:
        wheels = args.wheels or Path(folder)
        found = [
            *(c for (name, given), of in WANTED.items() if name in wanted for c in read(name, given, of, wheels)),
            *_parsers(LAUNCHERS, wanted, lambda *which: unpack_wheel(wheels, *which)),
            *_parsers(CHECKOUTS, wanted, lambda *which: check_out(args.checkouts, *which)),
        ]
    write([*kept, *found], args.out)
    for cls in found:
        print(f"{cls.package}.{cls.name}: {len(cls.options)} options, {cls.versions[0]} to {cls.versions[-1]}")
    return 0


def read(name: str, versions: Sequence[str], classes: dict[str, str], wheels: Path) -> list[KnownClass]:
    """The classes of one library over several versions."""
    seen: dict[str, dict[str, dict[str, Option]]] = {}
    bases: dict[str, tuple[str, ...]] = {}
    for version in versions:
        with tempfile.TemporaryDirectory() as folder:
            unpack(wheel(name, version, wheels), Path(folder))
            for cls, path in classes.items():
                options, bases[cls] = options_of(Path(folder), path, cls)
                if options:
                    seen.setdefault(cls, {})[version] = options
    package = name.replace("-", "_")
    return [joined(package, cls, found, bases[cls]) for cls, found in seen.items()]


Placed = Callable[[str, str, Path], None]
"""Puts the Python files of a distribution's version into a folder."""


def _parsers(table: Parsers, wanted: Sequence[str], place: Placed) -> list[KnownClass]:
    return [c for (name, given), of in table.items() if name in wanted for c in parsers(name, given, of, place)]


def parsers(name: str, versions: Sequence[str], wanted: dict[str, tuple[str, str]], place: Placed) -> list[KnownClass]:
    """The options of the parsers of one library over several versions."""
    seen: dict[str, dict[str, dict[str, Option]]] = {}
    for version in versions:
        with tempfile.TemporaryDirectory() as folder:
            place(name, version, Path(folder))
            for parser, (path, function) in wanted.items():
                read = parser_options(Path(folder), path, function)
                options = {option.dest: _sure(option, dashed=name in DASHED) for option in read}
                if options:
                    seen.setdefault(parser, {})[version] = options
    return [joined(name, parser, found, ()) for parser, found in seen.items()]


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
        command += [*SMALLEST.get(name, ()), f"{name}=={version}"]
        subprocess.run([*command, "-d", str(folder)], check=True, timeout=600)
    return next(folder.glob(pattern))


def unpack(archive: Path, folder: Path, start: str = "") -> None:
    """The Python files of a wheel whose paths begin in a certain way."""
    folder.mkdir(parents=True, exist_ok=True)
    with archive.open("rb") as packed:
        unpack_zip(packed, folder, lambda name: name.endswith(".py") and name.startswith(start))


def unpack_wheel(wheels: Path, name: str, version: str, folder: Path) -> None:
    """The Python files of a library's package out of the wheel of a version."""
    unpack(wheel(name, version, wheels), folder, f"{name}/")


def check_out(clones: Path, name: str, version: str, folder: Path) -> None:
    """The Python files of a library's package at the tag of a version."""
    command = ["git", "-C", str(clones / name), "archive", f"v{version}", name]
    packed = subprocess.run(command, check=True, capture_output=True, timeout=600).stdout
    folder.mkdir(parents=True, exist_ok=True)
    unpack_tar(io.BytesIO(packed), folder, lambda name: name.endswith(".py"))


def _files(root: Path) -> frozenset[str]:
    return frozenset(p.relative_to(root).as_posix() for p in root.rglob("*.py"))


def _patient(root: Path, path: str) -> Interpreter:
    """An interpreter with as much time as it takes."""
    run = Interpreter(Sources(root, _files(root)), path, factories())
    run.budget.steps, run.budget.deadline = 10**9, float("inf")
    return run


def options_of(root: Path, path: str, name: str) -> tuple[dict[str, Option], tuple[str, ...]]:
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


def joined(package: str, name: str, seen: dict[str, dict[str, Option]], bases: tuple[str, ...]) -> KnownClass:
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
