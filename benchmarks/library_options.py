"""Reads the option classes of known libraries, and the options of launchers, out of wheels and writes them as data.

    python -m benchmarks.library_options [--wheels DIR] [--out FILE] [--only DISTRIBUTION ...]

Wheels are downloaded with pip, without their dependencies, and read with our own static readers: nothing of them is run.
A class is told by the library's top-level package and its own name, because it can be imported from many places.
"""

import argparse
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Sequence
from pathlib import Path

import msgspec

from tools.signatures.argparse_reader import as_parser
from tools.signatures.dataclass_reader import FieldParser
from tools.signatures.fields import foreign_bases, option_of, parameters
from tools.signatures.frameworks import factories
from tools.signatures.interpreter import Interpreter
from tools.signatures.known_classes import DATA, KnownClass, KnownOption, known_classes, write
from tools.signatures.model import Option
from tools.signatures.read import SignatureReader
from tools.signatures.sources import Sources
from tools.signatures.values import Arguments, Class, Function

TRANSFORMERS = ("4.6.1", "4.20.1", "4.30.2", "4.40.2", "4.46.3", "4.57.1")
TRL = ("0.9.6", "0.15.2", "0.24.0")
LIGHTNING = ("0.7.6", "1.0.8", "1.3.8", "1.6.5", "1.9.5", "2.0.9", "2.5.5")
WANTED: dict[tuple[str, tuple[str, ...]], dict[str, tuple[str, ...]]] = {
    ("transformers", TRANSFORMERS): {
        "TrainingArguments": ("transformers/training_args.py",),
        "Seq2SeqTrainingArguments": ("transformers/training_args_seq2seq.py",),
    },
    ("trl", TRL): {
        "SFTConfig": ("trl/trainer/sft_config.py",), "DPOConfig": ("trl/trainer/dpo_config.py",),
        "RewardConfig": ("trl/trainer/reward_config.py",), "KTOConfig": ("trl/trainer/kto_config.py",),
        "ModelConfig": ("trl/trainer/model_config.py",), "GRPOConfig": ("trl/trainer/grpo_config.py",),
        "ScriptArguments": ("trl/scripts/utils.py",),
    },
    ("pytorch-lightning", LIGHTNING): {"Trainer": ("pytorch_lightning/trainer/trainer.py",)},
}  # fmt: skip
"""Distribution and versions: classes, and the files that may define them."""
TORCH = ("1.13.1", "2.3.1", "2.9.1")
ACCELERATE = ("0.20.3", "0.34.2", "1.2.1", "1.12.0")
LAUNCHERS: dict[tuple[str, tuple[str, ...]], dict[str, tuple[str, str]]] = {
    ("torch", TORCH): {
        "torchrun": ("torch/distributed/run.py", "get_args_parser"),
        "launch": ("torch/distributed/launch.py", ""),
    },
    ("accelerate", ACCELERATE): {"accelerate": ("accelerate/commands/launch.py", "launch_command_parser")},
}
"""Distribution and versions: launchers, the file that makes the parser and the function that returns it, "" for any."""
SMALLEST = {"torch": ("--platform", "macosx_11_0_arm64", "--python-version", "3.10")}
"""Which of a distribution's wheels is read, where the usual one is large."""


def main(words: Sequence[str] | None = None) -> int:
    """Download, read, write."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("--wheels", type=Path, help="folder in which wheels are kept")
    parser.add_argument("--out", type=Path, default=DATA)
    parser.add_argument("--only", nargs="+", help="distributions that are read; what is known of others is kept")
    args = parser.parse_args(words)
    wanted = args.only or [name for name, _ in (*WANTED, *LAUNCHERS)]
    packages = {name.replace("-", "_") for name in wanted}
    kept = [cls for cls in known_classes() if cls.package not in packages]
    with tempfile.TemporaryDirectory() as folder:
        wheels = args.wheels or Path(folder)
        found = [
            *(c for (name, given), of in WANTED.items() if name in wanted for c in read(name, given, of, wheels)),
            *(
                c
                for (name, given), of in LAUNCHERS.items()
                if name in wanted
                for c in launchers(name, given, of, wheels)
            ),
        ]
    write([*kept, *found], args.out)
    for cls in found:
        print(f"{cls.package}.{cls.name}: {len(cls.options)} options, {cls.versions[0]} to {cls.versions[-1]}")
    return 0


def read(name: str, versions: Sequence[str], classes: dict[str, tuple[str, ...]], wheels: Path) -> list[KnownClass]:
    """The classes of one library over several versions."""
    seen: dict[str, dict[str, dict[str, Option]]] = {}
    bases: dict[str, tuple[str, ...]] = {}
    for version in versions:
        with tempfile.TemporaryDirectory() as folder:
            unpack(wheel(name, version, wheels), Path(folder))
            for cls, paths in classes.items():
                for path in paths:
                    options, bases[cls] = options_of(Path(folder), path, cls)
                    if options:
                        seen.setdefault(cls, {})[version] = options
    package = name.replace("-", "_")
    return [joined(package, cls, found, bases[cls]) for cls, found in seen.items()]


def launchers(name: str, versions: Sequence[str], wanted: dict[str, tuple[str, str]], wheels: Path) -> list[KnownClass]:
    """The options of the launchers of one library over several versions."""
    seen: dict[str, dict[str, dict[str, Option]]] = {}
    for version in versions:
        with tempfile.TemporaryDirectory() as folder:
            unpack(wheel(name, version, wheels), Path(folder), f"{name}/")
            for launcher, (path, function) in wanted.items():
                options = {option.dest: _spelled(option) for option in parser_options(Path(folder), path, function)}
                if options:
                    seen.setdefault(launcher, {})[version] = options
    return [joined(name, launcher, found, ()) for launcher, found in seen.items()]


def parser_options(root: Path, path: str, function: str) -> tuple[Option, ...]:
    """The options of the parser that a function returns, or of the first that a file makes."""
    if not function:
        found = SignatureReader(root, _files(root)).parsers(path)
        return found[0].options if found else ()
    parser = as_parser(_patient(root, path).value_of(function))
    return tuple(parser.options) if parser is not None else ()


def _spelled(option: Option) -> Option:
    """With dashes and with underscores, as launchers take them; their defaults come out of the environment."""
    both = [
        spelling for flag in option.flags for spelling in (flag, "--" + flag[2:].replace("_", "-")) if len(flag) > 2
    ]
    flags = tuple(dict.fromkeys([*option.flags, *both]))
    return msgspec.structs.replace(option, flags=flags, sure=True)


def wheel(name: str, version: str, folder: Path) -> Path:
    """The wheel of one version, downloaded where it is missing."""
    pattern = f"{name.replace('-', '_')}-{version}-*.whl"
    if not list(folder.glob(pattern)):
        command = [
            sys.executable,
            "-m",
            "pip",
            "download",
            "-q",
            "--no-deps",
            "--only-binary=:all:",
            *SMALLEST.get(name, ()),
            f"{name}=={version}",
        ]
        subprocess.run([*command, "-d", str(folder)], check=True, timeout=600)
    return next(folder.glob(pattern))


def unpack(archive: Path, folder: Path, start: str = "") -> None:
    """The Python files of a wheel whose paths begin in a certain way."""
    with zipfile.ZipFile(archive) as opened:
        names = [item for item in opened.namelist() if item.endswith(".py") and item.startswith(start)]
        opened.extractall(folder, names)


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
