"""Programs whose texts grow, and setup files that are small and made to be long: each is read soon, or said not to be."""

import time
from collections.abc import Callable
from pathlib import Path

import pytest

from ml_agent.conversation.files import excerpt
from ml_agent.conversation.first_message import open_thread
from ml_agent.conversation.tools import Toolbox
from ml_agent.navigator import Given, Workspace
from ml_agent.offline.navigator import OfflineNavigator
from ml_agent.tools.bounded import read_ini
from ml_agent.tools.candidates import Candidate
from ml_agent.tools.index import RepoIndex
from ml_agent.tools.python_api.requirements import own_names, wanted_by, wanted_python
from ml_agent.tools.signatures.console import declared_commands
from ml_agent.tools.signatures.setup_files import read_project
from ml_agent.understanding import understood
from tests.processor_time import within
from tests.servers.git_folders import write_files

HELD_BY = "tools.signatures.control_flow, tools.bounded"
SECONDS = 8
ARGPARSE = "import argparse\np = argparse.ArgumentParser()\nt = 'x' * 100_000\n"
LISTED = "t = ['x' * 100_000] * 2000\n"
PARSE = "p.add_argument('--lr', type=float)\np.parse_args()\n"
ABSL = "from absl import app, flags\n"
RUN = "def main(_): pass\napp.run(main)\n"
LITERALS = f"from typing import Literal\nimport tyro\nL = Literal[{','.join(map(repr, map(str, range(9000))))}]\n"
PROGRAMS = {
    "a default in its help, many times": f"{ARGPARSE}p.add_argument('--x', help='%(default)s' * 9000, default=t)\n{PARSE}",
    "many long helps": f"{ARGPARSE}for i in range(1900): p.add_argument(f'--o{{i}}', help=t)\n{PARSE}",
    "many long choices": f"{ARGPARSE}{LISTED}for i in range(100): p.add_argument(f'--o{{i}}', choices=t)\n{PARSE}",
    "long forms of values": f"{ARGPARSE}for i in range(1900): p.add_argument(f'--o{{i}}', metavar=t)\n{PARSE}",
    "long names": f"{ARGPARSE}for i in range(1900): p.add_argument('--' + 'x' * 99_000 + str(i))\n{PARSE}",
    "absl's lists": f"{ABSL}{LISTED}for i in range(50): flags.DEFINE_list(f'l{{i}}', t, '')\n{RUN}",
    "absl's choices": f"{ABSL}{LISTED}for i in range(50): flags.DEFINE_enum(f'l{{i}}', 'a', t, '')\n{RUN}",
    "types of many words": f"{LITERALS}def f({','.join(f'a{n}: L' for n in range(1500))}): pass\ntyro.cli(f)\n",
    "half a character": "import argparse\np = argparse.ArgumentParser()\np.add_argument('--x', default='\\ud800', help='\\udfff')\np.parse_args()\n",
    "half a character that is made": "import argparse\np = argparse.ArgumentParser()\np.add_argument('--x', default=chr(0xD800))\np.parse_args()\n",
}


def index_of(folder: Path, files: dict[str, str]) -> RepoIndex:
    """The index of a folder with some files, its cache included."""
    write_files(folder, files)
    return RepoIndex.open(folder, "v")


@pytest.mark.promise(
    "The texts of a program's options, however they grow, keep no reader busy and fill no memory.", by=HELD_BY
)
@pytest.mark.parametrize("name", PROGRAMS)
def test_texts_that_grow(name: str, tmp_path: Path) -> None:
    index = index_of(tmp_path, {"fit.py": PROGRAMS[name]})
    found = within(SECONDS, lambda: index.signatures.get("fit.py", ()))
    texts = [text for one in found for option in one.options for text in (option.help, option.default or "")]
    assert sum(map(len, texts)) < 10_000_000
    "".join(texts).encode()


SETUP = "from setuptools import setup\nsetup(entry_points={})\n"
DEEP = "x = " + "[" * 40_000 + "]" * 40_000
FILES = {
    "a dotted key": {"pyproject.toml": "a" + ".a" * 45_000 + " = 1\n"},
    "a number of many places": {"pyproject.toml": f"x = {'9' * 5000}\n", "Cargo.toml": f"x = {'9' * 5000}\n"},
    "lists in lists": {"pyproject.toml": DEEP, "Pipfile": DEEP},
    "a row of blanks": dict.fromkeys(("setup.cfg", ".gitmodules"), f"[options]\na{' ' * 90000}b\n"),
    "empty lines of entry points": {"setup.py": SETUP.format(r"'[console_scripts]' + '\n' * 99_000")},
    "a long word in setup.py": {"setup.py": f"from setuptools import setup\nsetup(x='{'a' * 90_000}@')\n"},
    "a requirement of many places": {"requirements.txt": f"torch=={'9' * 5000}\ntorch; python_version > '{'9' * 5000}'\n"},
    "a version of many places": {"pyproject.toml": f"[tool.poetry.dependencies]\ntorch = '^{'1' * 5000}'\n"},
}  # fmt: skip


@pytest.mark.promise("A setup file, however it is made, keeps no reader busy and ends no run.", by=HELD_BY)
@pytest.mark.parametrize("name", FILES)
def test_setup_files_that_are_made_to_be_long(name: str, tmp_path: Path) -> None:
    index = index_of(tmp_path, {"fit.py": f"{ARGPARSE}{PARSE}", **FILES[name]})
    assert within(SECONDS, lambda: index.signatures["fit.py"])
    within(SECONDS, lambda: (index.api, index.examples, wanted_by(tmp_path, tmp_path), wanted_python(tmp_path)))


TABLES = "[project]\nname = 'x'\n" + "".join(f"[a.b{number}.c]\nd = 1\n" for number in range(20_000))
LISTS: dict[str, tuple[str, str, Callable[[str], object]]] = {
    "tables": ("pyproject.toml", TABLES, read_project),
    "tables that end badly": ("pyproject.toml", f"{TABLES}=", read_project),
    "requirements": ("setup.cfg", "[options]\ninstall_requires =\n" + " six\n" * 180_000, read_ini),
}


@pytest.mark.promise("A setup file of many lines is parsed once, whoever reads it.", by="tools.signatures.setup_files")
@pytest.mark.parametrize("name", LISTS)
def test_setup_files_of_many_lines(name: str, tmp_path: Path) -> None:
    path, text, parse = LISTS[name]
    moments = [time.process_time()]
    for folder, of in (("small", ""), ("large", text)):
        index = index_of(tmp_path / folder, {"fit.py": f"{ARGPARSE}{PARSE}", "setup.py": SETUP, path: of})
        assert index.signatures["fit.py"]
        assert len(wanted_by(index.root)) < 2 and not wanted_python(index.root) and len(own_names(index.root)) < 2
        workspace = Workspace(index=index, candidate=Candidate(full_name="a/b", url="x"))
        open_thread(understood("fit with lr 3", Given()), workspace)
        moments.append(time.process_time())
    read_project.cache_clear()
    parse(text)
    begun, small, large, once = *moments, time.process_time()
    assert large - small < small - begun + 3 * (once - large), moments


@pytest.mark.promise(
    "What a model asks for, however long it is, is looked for in a moment and told in few words.",
    by="ml_agent.conversation.tools",
)
@pytest.mark.parametrize("asked", ["a.b." * 100_000, "../" * 100_000, "python -m " * 100_000, "(" * 100_000])
def test_a_model_asks_for_something_long(asked: str, tmp_path: Path) -> None:
    index = index_of(tmp_path, {"fit.py": f"{ARGPARSE}{PARSE}"})
    box = Toolbox(Workspace(index=index, candidate=Candidate(full_name="a/b", url="x")), "fit")
    box.find("lr")
    for look in (box.find, box.read, box.signature):
        assert len(within(1, lambda look=look: look(asked))) < 4000  # type: ignore[misc]


@pytest.mark.promise(
    "A model that asks for a line of many digits is shown what there is.", by="ml_agent.conversation.files"
)
@pytest.mark.parametrize("lines", ["9" * 5000, f"1-{'9' * 5000}"])
def test_a_model_asks_for_a_line_of_many_digits(lines: str) -> None:
    assert "fit.py, lines" in excerpt("fit.py", "a = 1\n", lines)


@pytest.mark.promise("An example of thousands of commands keeps nobody busy.", by="ml_agent.offline.entries")
def test_an_example_of_thousands_of_commands(tmp_path: Path) -> None:
    shown = f"# Fit\n\n```bash\n{'python fit.py --lr 3 | ' * 3000}cat\n```\n"
    index = index_of(tmp_path, {"fit.py": f"{ARGPARSE}{PARSE}", "README.md": shown})
    workspace = Workspace(index=index, candidate=Candidate(full_name="a/b", url="x"))
    found = OfflineNavigator()
    drafts = within(60, lambda: list(found.drafts(found.understand("fit it with lr 0.5", Given()), workspace)))
    assert drafts


@pytest.mark.promise("A file that declares commands is read soon, however long.", by="tools.signatures.console")
@pytest.mark.parametrize("text", ["scripts" * 20_000, "scripts\nfit =" + " " * 150_000])
def test_commands_declared_at_length(text: str, tmp_path: Path) -> None:
    write_files(tmp_path, {"pyproject.toml": text})
    within(1, lambda: declared_commands(tmp_path))
