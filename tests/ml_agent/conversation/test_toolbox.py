"""What the functions of a conversation show of a repository."""

from pathlib import Path

import pytest

from ml_agent.conversation.files import WHOLE, excerpt
from ml_agent.conversation.tools import Toolbox
from ml_agent.navigator import Workspace
from ml_agent.tools.candidates import Candidate
from ml_agent.tools.index import RepoIndex
from tests.processor_time import within

BODY = "        # what it does\n" * 100
NET = f"""class First:
    def __init__(self, dim):
{BODY}
    def forward(self, x):
{BODY}

def build(
    depth,
    heads=8,
):
{BODY.replace("        ", "    ")}

class Wanted:
    def __init__(
        self,
        *,
        frames,
        spatial_depth = 6,
    ):
{BODY}
"""


def toolbox(root: Path, path: str, text: str) -> Toolbox:
    (root / path).write_text(text)
    workspace = Workspace(index=RepoIndex.open(root, "v"), candidate=Candidate(full_name="me/x", url="x"))
    return Toolbox(workspace, "do it")


@pytest.mark.parametrize("methods", [0, 200])
def test_a_long_file_shows_what_each_constructor_takes(methods: int, tmp_path: Path) -> None:
    text = NET.replace(
        "    def forward", "".join(f"    def m{n}(self): ...\n" for n in range(methods)) + "    def forward"
    )
    shown = toolbox(tmp_path, "net.py", text).read("net.py")
    assert "def __init__(self, *, frames, spatial_depth = 6,):" in shown
    assert "def build(depth, heads=8,):" in shown and "class Wanted:" in shown
    assert ("def forward" in shown) == (not methods) and len(shown) < WHOLE + 200


def test_every_option_is_named_however_many_there_are(tmp_path: Path) -> None:
    lines = [
        f"parser.add_argument('--setting_{n}', default='{'x' * 30}', help='{'of the many ' * 4}')" for n in range(250)
    ]
    script = "\n".join(["import argparse", "parser = argparse.ArgumentParser()", *lines, "parser.parse_args()", ""])
    shown = toolbox(tmp_path, "train.py", script).signature("train.py")
    assert [n for n in range(250) if f"--setting_{n}" not in shown] == []
    assert "--setting_0 STR" in shown and len(shown) < 11_000


@pytest.mark.parametrize("line", ["def f(\n", "def f(" + "a, " * 4_000 + "\n"], ids=["many", "long"])
def test_heads_that_never_close_cost_no_more_than_their_file(line: str) -> None:
    text = line * (2_000_000 // len(line))
    shown = within(1.0, lambda: excerpt("hostile.py", text, ""))
    assert len(str(shown)) < 2 * WHOLE


def test_lines_are_found_by_several_names_of_code(tmp_path: Path) -> None:
    """Where none holds the whole query; words of prose find none."""
    text = "freq_map = {'h': 4}\nother = 1\nself.d = freq_map[args.freq]\nthe map of a freq\n"
    tools = toolbox(tmp_path, "embed.py", text)
    assert tools.find("freq args.freq freq_map").splitlines()[1].startswith("embed.py:3: self.d")
    assert "Lines:" not in tools.find("what a map is for")


def test_a_function_tells_what_is_said_of_its_parameters_and_what_it_gives(tmp_path: Path) -> None:
    text = (
        "def find(face, metric='cosine'):\n    '''Find a face.\n\n    Args:\n        metric (str): One of 'cosine',\n"
        "            'angular'.\n\n    Returns:\n        list: dictionaries with 'age'\n    '''\n"
    )
    shown = toolbox(tmp_path, "faces.py", text).signature("faces.find")
    assert shown.splitlines() == [
        "faces.py:1 function faces.find  # Find a face.",
        "  face",
        "  metric='cosine'  # One of 'cosine', 'angular'.",
        "  gives list: dictionaries with 'age'",
    ]
