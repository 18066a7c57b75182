"""The libraries that read command lines, which programs are given for real where we have them; and what is therefore not judged."""

import functools
import shutil
import sys
from pathlib import Path

from ml_agent.benchmarks.strict.walls import bubblewrap
from ml_agent.sandbox.temporary import for_this_process

NEVER_REAL = ("hydra", "typer")
"""Libraries that read command lines and stand on others that are compiled: they are never given for real."""
PARSERS = ("absl", "click", "configargparse.py", "docopt.py", "fire", "ml_collections", "termcolor", "yaml")


@functools.cache
def parsers() -> Path:
    """The libraries that read command lines are pure Python: they are given for real where we have them."""
    folder = for_this_process("parsers")
    for name, source in given_parsers().items():
        shutil.copytree(source, folder / name) if source.is_dir() else shutil.copy(source, folder / name)
    return folder


@functools.cache
def given_parsers() -> dict[str, Path]:
    """Where those of PARSERS stand that are installed here, by name."""
    bases = [base for base in sys.path if base.endswith("site-packages")]
    found = ((name, Path(base, name)) for base in reversed(bases) for name in PARSERS)
    return {name: source for name, source in found if source.exists()}


def weaknesses(*, strict: bool = True) -> list[str]:
    """What is not judged, or not on this machine, one line each; `bubblewrap` itself says that it is missing.

    Args:
        strict: whether answers are judged by what runs alone; same-call reads by the signature what does not.
    """
    bubblewrap()
    absent = [name.removesuffix(".py") for name in PARSERS if name not in given_parsers()]
    never = f"options that programs read with {' or '.join(NEVER_REAL)} are not judged"
    here = f"not installed: {', '.join(absent)}; options that programs read with these are not judged"
    return [never] * strict + [here] * bool(absent)
