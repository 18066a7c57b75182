"""Commands that stand at the head of a Python file."""

from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from ml_agent.tools.examples import Example
from ml_agent.tools.index import RepoIndex
from ml_agent.tools.usage.headers import head_script

DOCSTRING = '''#!/usr/bin/env python
# Copyright 2024, somebody.
# Licensed under the Apache License; see tools/license.py for it.

"""
Edits accounts.

Usage: python accounts.py create --name NAME

    $ python accounts.py update -k 7 \\\\
        --quota gpt.daily=10  # set a quota
    python accounts.py delete
        --key 7
    acc list              # what the package installs

Run `python tools/clean.py --all` before; accounts.py is no toy.
python accounts.py was written in a hurry.
"""
import argparse
# python accounts.py --late
'''


def _commands(script: str) -> dict[int, str]:
    rows = enumerate(script.split("\n"), 1)
    return {line: " ".join(row.split()) for line, row in rows if row.strip() and not row.startswith("#")}


def test_commands_stay_in_their_lines_and_prose_is_a_comment() -> None:
    script = head_script(DOCSTRING, {"acc"})
    assert _commands(script) == {
        8: "python accounts.py create --name NAME",
        10: "python accounts.py update -k 7 \\",
        11: "--quota gpt.daily=10 # set a quota",
        12: "python accounts.py delete \\",
        13: "--key 7",
        14: "acc list # what the package installs",
        16: "python tools/clean.py --all",
    }
    assert "# Edits accounts." in script
    assert "Licensed" not in script  # a block without a command says nothing of one


@given(
    st.lists(
        st.sampled_from(['"""', "'''", "#", "# python a.py --b 1", "python a.py", "  --c", "\\", "`a.sh`", "", "x"])
    )
)
def test_no_head_is_longer_than_its_file(rows: list[str]) -> None:
    text = "\n".join(rows)
    assert len(head_script(text).split("\n")) <= len(text.split("\n"))


def _examples(root: Path) -> list[Example]:
    return [one for one in RepoIndex.open(root, "1").examples if one.path.endswith(".py")]


def test_a_repository_shows_what_the_heads_of_its_files_show(tmp_path: Path) -> None:
    root = tmp_path / "net"
    (root / "tools").mkdir(parents=True)
    (root / "tools" / "clean.py").write_text('"""Cleans.\n\nExample:\n  python tools/clean.py --all\n"""\n')
    (root / "tools" / "other.py").write_text('"""Needs what `python elsewhere.py --x 1` writes."""\n')
    (example,) = _examples(root)
    assert (example.text, example.entry, example.workdir) == ("python tools/clean.py --all", "tools/clean.py", ".")
    assert (example.line, example.introduction) == (4, "Cleans.\nExample:")
