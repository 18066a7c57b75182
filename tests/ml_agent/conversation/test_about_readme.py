"""What a README says first of its repository."""

from pathlib import Path

import pytest

from ml_agent.conversation.description import about_of, declared_of
from ml_agent.tools.index import RepoIndex
from tests.processor_time import within

BADGES = "[![Build Status](b.svg)](x) [![Documentation Status](d.svg)](x) [![PyPI Downloads](p.svg)](x)"
LINKS = "[Website](a) | [Documentation](b) | [Colab Tutorial](c) | [Discussion Forum](d)"
SAID = "Dreamer is a library for dreams of neural networks."


def said_of(root: Path, readme: str) -> str:
    (root / "README.md").write_text(readme)
    return about_of(RepoIndex.open(root, "v"))


@pytest.mark.parametrize(
    "before",
    [
        BADGES,
        LINKS,
        "[2023/05] We released the weights of the large model.\n[2023/04] And those of the small one, too.",
        "**News:** there are weights of the large model now.",
        "Update June 2024: the weights of all models are here.",
        "## What's new\n\nThe weights of the large model are a download away.\n\n## Overview",
        "Figure 1: how a network dreams of sheep.",
        "- Add a tutorial for all of the models.",
        "```python\nfrom dreamer import dream as d, wake as w\n```",
        "Please join our server for help with the program.",
        "This project is no longer maintained by its author.",
    ],
)
def test_neither_news_nor_badges_stand_for_what_a_repository_is(before: str, tmp_path: Path) -> None:
    assert said_of(tmp_path, f"# Dreamer\n\n{before}\n\n{SAID}\n") == SAID


def test_badges_beside_a_title_are_no_part_of_it(tmp_path: Path) -> None:
    assert said_of(tmp_path, "# Dreamer [![Build Status](b.svg)](x) ![Zenodo](z.svg)\n\nIt dreams.\n") != (
        "Dreamer Build Status Zenodo"
    )


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("pyproject.toml", f'[project]\nname = "dreamer"\ndescription = "{SAID}"\n'),
        ("pyproject.toml", f'[tool.poetry]\ndescription = "{SAID}"\n'),
        ("setup.cfg", f"[metadata]\ndescription = {SAID}\n"),
        ("setup.py", f"from setuptools import setup\nsetup(name='dreamer', description='{SAID}')\n"),
    ],
)
def test_setup_files_say_what_a_repository_is(name: str, text: str, tmp_path: Path) -> None:
    (tmp_path / name).write_text(text)
    assert declared_of(RepoIndex.open(tmp_path, "v").sources) == SAID


@pytest.mark.parametrize(
    "text", ["", "[project]\n", '[project]\ndescription = "dreamer"\n', "[project]\ndescription = 3\n", "["]
)
def test_setup_files_may_say_nothing(text: str, tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text(text)
    assert declared_of(RepoIndex.open(tmp_path, "v").sources) == ""


@pytest.mark.parametrize("unit", [" | a", "a b ", "2023 ", "we ", "new is now ", "-", "a-"])
def test_long_readmes_are_read_quickly(unit: str, tmp_path: Path) -> None:
    text = unit * (200_000 // len(unit))
    (tmp_path / "README.md").write_text(f"# {text}\n\n{text}\n")
    index = RepoIndex.open(tmp_path, "v")
    assert index.passages is not None
    within(2, lambda: about_of(index))
