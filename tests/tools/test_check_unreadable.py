"""The check of scripts that Python 3 cannot read, and of paths in the place of module names."""

import sys

import pytest

from tests.tools.conftest import Make

FILES = {
    "old.py": 'import argparse\np = argparse.ArgumentParser()\np.parse_args()\nprint "hello"\n',
    "broken.py": "import sys\ndef (:\n",
    "keyword.py": "x = 1\nx.cuda(async=True)\nprint(x)\n",
    "newer.py": "type X = int\nprint(1)\n",
    "itself.py": '#!/usr/bin/env python2\nprint "hello"\n',
    "fine.py": "print(1)\n",
    "pkg/__init__.py": "",
    "pkg/m.py": "print(1)\n",
    "pkg/old.py": "print 'x'\n",
}


@pytest.mark.parametrize(
    ("command", "found"),
    [
        ("python old.py", ["error syntax"]),
        ("python3 old.py --nothing", ["error syntax"]),
        ("python broken.py", ["error syntax"]),
        ("python -m pkg.old", ["error syntax"]),
        ("torchrun old.py", ["error syntax"]),
        ("python2 old.py", []),
        ("python2.7 -m pkg.old", []),
        ("./itself.py", ["warning not-executable"]),
        ("python itself.py", ["error syntax"]),
        ("2to3 -w old.py && python old.py", ["warning syntax"]),
        ("python keyword.py", ["unsure syntax"]),
        ("python newer.py", ["unsure syntax"] if sys.version_info < (3, 12) else []),
        ("python fine.py", []),
        ("python -m pkg/m", ["error no-such-module"]),
        ("python -m pkg/m.py", ["error no-such-module"]),
        ("python -m pkg.m", []),
        ("python -m $PKG/m", []),
    ],
)
def test_what_python_cannot_read_or_find_is_an_error(checked: Make, command: str, found: list[str]) -> None:
    assert checked(FILES)(command) == found
