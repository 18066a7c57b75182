"""Entry points with what the repository shows and says of them."""

from collections.abc import Callable
from pathlib import Path

import pytest

from ml_agent.matching.after_example import in_named_folder
from ml_agent.matching.answers import command
from ml_agent.matching.entries import EntryPoint, RepositoryFacts
from ml_agent.matching.mentions import read_request
from ml_agent.matching.model import shipped
from ml_agent.matching.retrieval import EntryIndex
from ml_agent.matching.solver import solve
from ml_agent.tools.index import RepoIndex

SEARCH = """
import argparse
p = argparse.ArgumentParser(description="Search the sentences of a text")
p.add_argument("text", help="file of sentences")
p.add_argument("--count", type=int, default=5, help="number of sentences")
p.parse_args()
"""
Open = Callable[[dict[str, str]], RepositoryFacts]


@pytest.fixture
def facts(tmp_path: Path) -> Open:
    """Opens a repository of file names and contents."""

    def open_files(files: dict[str, str]) -> RepositoryFacts:
        for name, text in files.items():
            (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / name).write_text(text)
        return RepositoryFacts(RepoIndex.open(tmp_path, "x"))

    return open_files


def entry(facts: RepositoryFacts, path: str) -> EntryPoint:
    return next(one for one in facts.entries if one.signature.path == path)


def test_a_program_is_called_as_a_module_where_its_documents_call_it_so(facts: Open) -> None:
    shown = "```bash\npython -m find.near a.txt\npython -m find.near b.txt --count 3\n```\n"
    found = facts({"find/near.py": SEARCH, "find/__init__.py": "", "README.md": shown})
    one = entry(found, "find/near.py")
    assert (one.module("."), one.module("find")) == ("find.near", "")
    (answer, *_) = solve(read_request("Search the text with a count of 7"), EntryIndex(found), shipped())
    assert (command(answer, ".") or "").startswith("python -m find.near ")


def test_a_program_is_called_by_its_file_where_documents_do_or_are_silent(facts: Open) -> None:
    shown = "```bash\npython near.py a.txt\npython near.py b.txt\npython -m near c.txt\n```\n"
    assert entry(facts({"near.py": SEARCH, "README.md": shown}), "near.py").module(".") == ""


def test_placeholders_are_no_redirections_and_no_values(facts: Open) -> None:
    shown = "```bash\npython near.py <your text> --count 3\npython near.py texts/<name>.txt\n```\n"
    one = entry(facts({"near.py": SEARCH, "README.md": shown}), "near.py")
    assert [call.values for call in one.example_calls] == [{"count": 3}, {}]


def test_a_usage_line_is_no_example(facts: Open) -> None:
    shown = "```bash\npython near.py TEXT [COUNT]\npython near.py [--count N] TEXT\npython near.py b.txt\n```\n"
    one = entry(facts({"near.py": SEARCH, "README.md": shown}), "near.py")
    assert [call.values["text"] for call in one.example_calls] == ["b.txt"]


def test_an_argument_has_the_choices_of_its_namesake_elsewhere(facts: Open) -> None:
    train = 'import argparse\np = argparse.ArgumentParser()\np.add_argument("--dataset", choices=["moons", "xor"])\np.parse_args()\n'
    found = facts({"train.py": train, "repeat.sh": "#!/bin/bash\nDATASET=$1\npython train.py --dataset $DATASET\n"})
    (slot,) = [one for one in entry(found, "repeat.sh").slots if one.option.dest.lower() == "dataset"]
    assert slot.vocabulary == ("moons", "xor")


def test_namesakes_that_disagree_tell_nothing(facts: Open) -> None:
    parser = 'import argparse\np = argparse.ArgumentParser()\np.add_argument("--kind", choices={})\np.parse_args()\n'
    found = facts({"a.py": parser.format(["x", "y"]), "b.py": parser.format(["p", "q"])})
    assert "kind" not in found.choices


def test_a_module_is_called_by_a_name_and_by_no_path(facts: Open) -> None:
    found = facts({"find/near.py": SEARCH, "README.md": "```bash\npython -m ../other/near.py a.txt\n```\n"})
    assert entry(found, "find/near.py").module(".") == ""


def test_a_script_that_imports_its_own_package_is_run_as_a_module(facts: Open) -> None:
    script = "import argparse\nfrom kit.model import Net\np = argparse.ArgumentParser()\np.add_argument('--count', type=int)\np.parse_args()\n"
    files = {"kit/__init__.py": "", "kit/model.py": "class Net:\n    pass\n", "kit/run.py": script}
    (entry,) = facts(files).entries
    assert entry.module(".") == "kit.run"
    (entry,) = facts({**files, "setup.py": ""}).entries
    assert entry.module(".") == "", "an installed package is found from anywhere"


def test_a_script_is_started_as_documents_start_it(facts: Open) -> None:
    found = facts(
        {
            "bin/find": "#!/usr/bin/env python\n" + SEARCH,
            "setup.py": "from setuptools import setup\nsetup(name='kit', scripts=['bin/find'])\n",
            "README.md": "# Kit\n\n```bash\nfind book.txt --count 2\nfind more.txt --count 9\n```\n",
        }
    )
    best = solve(read_request("search other.txt for 3 sentences"), EntryIndex(found, "."), shipped())[0]
    assert command(best, ".") == "find other.txt --count 3"


def test_a_script_that_is_installed_as_it_is_runs_from_its_file(facts: Open) -> None:
    found = facts(
        {
            "tools/find.py": SEARCH,
            "setup.py": "from setuptools import setup\nsetup(name='kit', scripts=['tools/find.py'])\n",
        }
    )
    assert {"console", "python"} == {
        one.signature.kind for one in found.entries if one.signature.path == "tools/find.py"
    }
    answers = solve(read_request("search book.txt for 3 sentences"), EntryIndex(found, "."), shipped())
    (console,) = [one for one in answers if one.entry.signature.kind == "console"][:1]
    assert command(console, ".") == "python tools/find.py book.txt --count 3"


def test_a_file_is_named_as_the_folder_sees_it_in_which_the_command_runs(facts: Open) -> None:
    found = facts({"data/a.csv": "1", "kit/data/b.csv": "1", "find.py": SEARCH})
    assert found.path_of("data/a.csv", ["kit", ""]) == "../data/a.csv"
    assert found.path_of("data/b.csv", ["kit", ""]) == "data/b.csv"
    assert found.path_of("data/a.csv", [".", ""]) == "data/a.csv"
    assert found.path_of("data/c.csv", ["kit", ""]) == "data/c.csv"
    best = solve(read_request("search data/a.csv for 3 sentences"), EntryIndex(found, "kit"), shipped())[0]
    assert command(best, "kit") == "python ../find.py ../data/a.csv --count 3"


def test_a_configuration_is_found_by_the_end_of_its_path(facts: Open) -> None:
    found = facts({"cfgs/kitti/second.yaml": "a: 1", "cfgs/a/x.yaml": "", "cfgs/b/x.yaml": "", "tools/run.py": SEARCH})
    assert found.path_of("kitti/second.yaml", ["tools"]) == "../cfgs/kitti/second.yaml"
    assert found.path_of("cfgs/kitti/second.yaml", ["."]) == "cfgs/kitti/second.yaml"
    assert found.path_of("second.yaml", [".", "cfgs/kitti"]) == "second.yaml"
    for value in ("x.yaml", "/second.yaml", "ond.yaml", "new.yaml", "second.csv", 3):
        assert found.path_of(value, ["."]) == value


def test_a_module_of_an_installed_package_is_called_as_documents_call_it(facts: Open) -> None:
    found = facts(
        {
            "setup.py": "from setuptools import setup\nsetup(name='kit', package_dir={'': 'lib'}, packages=['kit'])\n",
            "lib/kit/__init__.py": "",
            "lib/kit/__main__.py": SEARCH,
            "README.md": "# Kit\n\n```bash\npython -m kit book.txt --count 2\n```\n",
        }
    )
    best = solve(read_request("search other.txt for 3 sentences"), EntryIndex(found, "."), shipped())[0]
    assert command(best, ".") == "python -m kit other.txt --count 3"


MODULE = "from . import other\n" + SEARCH


def test_an_installed_module_is_called_without_the_folder_that_holds_it(facts: Open) -> None:
    files = {
        "src/pkg/search.py": MODULE,
        "src/pkg/__init__.py": "",
        "src/pkg/other.py": "",
        "setup.py": "import setuptools",
    }
    assert entry(facts(files), "src/pkg/search.py").module(".") == "pkg.search"


def test_a_file_is_told_from_where_it_is_called(facts: Open) -> None:
    known = facts({"demo/search.py": SEARCH, "config/big.py": "SIZE = 3"})
    assert known.path_of("../config/big.py", (".", "demo")) == "config/big.py"
    assert known.path_of("../config/none.py", (".", "demo")) == "../config/none.py"


def test_an_examples_file_follows_the_folder_that_is_named(facts: Open) -> None:
    code = "import argparse\np = argparse.ArgumentParser()\np.add_argument('--config', required=True)\np.parse_args()\n"
    known = facts(
        {
            "say.py": code, "config/Alto/model.yaml": "a: 1", "config/Basso/model.yaml": "a: 2", "config/Basso/data.yaml": "",
            "README.md": "# Say\n```bash\npython say.py --config config/Alto/model.yaml\n```\n",
        }
    )  # fmt: skip
    one = entry(known, "say.py")
    told = [
        in_named_folder(read_request(text), one, "config/Alto/model.yaml")
        for text in ("the Basso voice", "the Alto voice, not Basso", "any")
    ]
    assert told == ["config/Basso/model.yaml", "config/Alto/model.yaml", "config/Alto/model.yaml"]
    best = solve(read_request("say it with the Basso voice"), EntryIndex(known), shipped())[0]
    assert best.call["config"] == "config/Basso/model.yaml"


def test_the_keywords_of_a_set_up_are_no_values(facts: Open) -> None:
    code = "import argparse\np = argparse.ArgumentParser()\np.add_argument('--name', default='easel')\np.parse_args()\n"
    keywords = "from setuptools import setup\nsetup(keywords=['easel', 'canvas', 'oil'])\n"
    shown = entry(facts({"run.py": code, "setup.py": keywords}), "run.py")
    assert shown.alternatives(shown.signature.options[0]) == ()
    shown = entry(facts({"run.py": code, "names.py": keywords}), "run.py")
    assert shown.alternatives(shown.signature.options[0]) == ("canvas", "oil")
