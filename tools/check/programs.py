"""What commands of every machine do to a check: create files, install, run modules."""

import re
import sys

from tools.launchers import DEBUGGERS, LAUNCHER_MODULES, STARTERS

MAKES_FILES = frozenset(
    [
        "wget",
        "curl",
        "unzip",
        "tar",
        "gunzip",
        "gzip",
        "cp",
        "mv",
        "git",
        "gdown",
        "touch",
        "mkdir",
        "ln",
        "rsync",
        "aws",
        "gsutil",
        "kaggle",
        "huggingface-cli",
        "make",
        "svn",
        "7z",
        "2to3",
        "futurize",
        "patch",
        "sed",
    ]
)
"""Programs that may create what a later command uses."""
KNOWN_PROGRAMS = (
    MAKES_FILES | STARTERS | frozenset(["pip", "ls", "cat", "echo", "cd", "export", "tree", "test", "head", "tail"])
)
"""Programs of every machine, which no misspelt console script of a repository is taken for."""
KNOWN_MODULES = DEBUGGERS | sys.stdlib_module_names | {m.partition(".")[0] for m in LAUNCHER_MODULES}
"""Modules of every machine."""
MAKES_SCRIPT = frozenset(["git", "cp", "mv", "ln", "touch", "tee", "cat", "echo", "printf"])
INSTALLS = re.compile(r"\b(?:setuptools|distutils|skbuild)\b")
"""What reads the words of `setup.py install`."""
