"""What the functions of a conversation show of a repository."""

from pathlib import Path

import pytest

from ml_agent.conversation.files import WHOLE, excerpt
from ml_agent.conversation.objects import ObjectSizeLimits, object_lines
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


def test_a_class_shows_each_parameter_once(tmp_path: Path) -> None:
    text = 'class Net:\n    """A net."""\n    def __init__(self, width: int = 3, *, depth): ...\n    def fit(self, x): ...\n'
    shown = toolbox(tmp_path, "net.py", text).signature("net.Net")
    assert shown.splitlines() == ["net.py:1 class net.Net  # A net.", "  width=3", "  depth", "  .fit(x)"]


def test_lines_that_are_asked_for_say_where_they_end() -> None:
    text = "\n".join(f"value_{n} = {'x' * 90}" for n in range(300))
    shown = str(excerpt("a.py", text, "11-200"))
    last = max(int(line.split()[0].removeprefix("value_")) for line in shown.splitlines() if line.startswith("value_"))
    assert f"a.py, lines 11-{last + 1} of 300" in shown and WHOLE < len(shown) < 2 * WHOLE
    assert "a.py, lines 11-13 of 300" in str(excerpt("a.py", text, "11-13"))


def test_what_a_method_gives_and_says_is_shown_as_a_reader_takes_it(tmp_path: Path) -> None:
    text = (
        "class Graph:\n    @classmethod\n    def load(cls, path) -> Graph:\n        '''Read it.'''\n        return cls(path)\n\n"
        "    def parts(self) -> list[str]:\n        return sorted(self.nodes)\n\n    def size(self):\n        return len(self.nodes)\n"
    )
    (tmp_path / "graph.py").write_text(text)
    workspace = Workspace(index=RepoIndex.open(tmp_path, "v"), candidate=Candidate(full_name="me/x", url="x"))
    (item,) = [one for one in workspace.index.api.objects if one.name.endswith("Graph")]
    lines = object_lines(item, workspace, "load the parts", ObjectSizeLimits(line=200, methods=5, method=80)).split(
        "\n"
    )
    assert "  .load(path) -> Graph  # Read it." in lines
    assert "  .parts()" in lines and "  .size()" in lines


def test_options_that_only_documents_tell_are_told(tmp_path: Path) -> None:
    printed = "usage: fit [options]\n\noptions:\n  -l N   Loss.\n  --bias   A bias.\n  -E int   Epochs.\n"
    (tmp_path / "README.md").write_text(f"# Fit\n\n```\n{printed}```\n")
    assert "-l N Loss.\n--bias A bias.\n-E int Epochs." in toolbox(tmp_path, "fit", "#!python2\nprint 1\n").signature(
        "fit"
    )


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


def test_a_class_tells_the_defaults_and_words_of_its_public_methods(tmp_path: Path) -> None:
    text = "class Net:\n    def fit(self, x, rate=0.1):\n        '''Fit it.'''\n\n    def _step(self): ...\n"
    shown = toolbox(tmp_path, "net.py", text).signature("Net")
    assert shown.splitlines() == ["net.py:1 class net.Net", "  .fit(x, rate=0.1)  # Fit it."]


def test_a_program_with_two_names_shows_its_options_once(tmp_path: Path) -> None:
    code = (
        "import argparse\ndef main():\n    p = argparse.ArgumentParser()\n    p.add_argument('--depth')\n    p.parse_args()\n"
        "if __name__ == '__main__':\n    main()\n"
    )
    (tmp_path / "setup.py").write_text(
        "from setuptools import setup\n"
        "setup(name='dig', py_modules=['dig'], entry_points={'console_scripts': ['digger=dig:main']})\n"
    )
    shown = toolbox(tmp_path, "dig.py", code).signature("dig.py")
    assert shown.splitlines() == ["dig.py (1 options)", "digger (1 options)", "--depth STR"]


@pytest.mark.parametrize("name", ["Net.Net.Net.fit", "Net.fit", "Net.Net.fit()"])
def test_a_method_is_known_by_its_class_also_where_the_package_hides_its_file(name: str, tmp_path: Path) -> None:
    (tmp_path / "Net").mkdir()
    (tmp_path / "Net/__init__.py").write_text("from .Net import *\n")
    text = "class Net:\n    def fit(self, x, rate=0.1):\n        '''Fit it.\n\n        Args:\n            rate: How fast.\n        '''\n"
    shown = toolbox(tmp_path, "Net/Net.py", text).signature(name)
    assert shown.splitlines()[0].startswith("Net/Net.py:2 method") and "  rate=0.1  # How fast." in shown
