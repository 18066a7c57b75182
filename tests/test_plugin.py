"""The worked example of docs/extending.md: built, installed beside the program, and used in every part."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from ml_agent.sandbox.bubblewrap import find_bubblewrap
from ml_agent.tools import plugins
from ml_agent.tools.errors import PluginError

ROOT = Path(__file__).parent.parent
pytestmark = pytest.mark.slow

TRAIN = '''"""Train a net."""
import tinyargs

parser = tinyargs.Parser()
parser.opt("--lr", default=0.1, help="learning rate")
parser.opt("--epochs", default=10)
parser.opt("--loss", default="l2", among=["l1", "l2"])
parser.opt("--plot", switch=True)
args = parser.go()
'''
README = "# Net\n\nTrain the net:\n\n```bash\npython train.py --lr 0.1 --epochs 10\n```\n"
ASK = "train the net for 25 epochs"


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    target = tmp_path_factory.mktemp("plugin")
    source = tmp_path_factory.mktemp("source") / "plugin"
    source.mkdir()
    for name in ("pyproject.toml", "ml_agent_example.py"):
        (source / name).write_bytes((ROOT / "docs/plugin" / name).read_bytes())
    command = [sys.executable, "-m", "pip", "install", "-q", "--no-deps", "--target", str(target), str(source)]
    subprocess.run(command, check=True, capture_output=True, timeout=100)
    return target


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    root = tmp_path / "net"
    root.mkdir()
    (root / "train.py").write_text(TRAIN)
    (root / "README.md").write_text(README)
    return root


def run(installed: Path | None, folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    path = [str(ROOT), *([str(installed)] if installed else [])]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(path), "ML_AGENT_CACHE_DIR": str(folder / "cache")}
    return subprocess.run(
        [sys.executable, *words], cwd=folder, env=environment, capture_output=True, text=True, timeout=100, check=False
    )


def test_a_framework(installed: Path, repository: Path, tmp_path: Path) -> None:
    words = ("-m", "ml_agent", "check", "python train.py --lr 0.5 --rate 3", "--repo", str(repository))
    without, added = run(None, tmp_path, *words), run(installed, tmp_path, *words)
    assert "no option --rate" not in without.stdout + without.stderr
    assert added.returncode == 1 and "--rate" in added.stdout + added.stderr
    for given, code in (("--plot --loss l1", 0), ("--loss l3", 1), ("--plot --lr high", 1), ("cora", 1)):
        check = ("-m", "ml_agent", "check", f"python train.py {given}", "--repo", str(repository))
        assert run(installed, tmp_path, *check).returncode == code, given
    (repository / "train.py").write_text(TRAIN.replace("args =", 'parser.opt("data")\nparser.opt(input())\nargs ='))
    shown = run(installed, tmp_path, "-m", "ml_agent", "explain", f"{repository}:train.py").stdout
    assert "data (required)" in shown and "an option whose name is computed" in shown and "l1 l2" in shown


GROW = '''"""Grow a tree."""
from tinyopts import opt

lr = opt("--lr", default=0.1, help="learning rate")
if lr > 3:
    print("big")
kind = opt("--kind", "oak", choices=["oak", "elm"])


def main():
    steps = opt("--steps", default=10)
    seed = opt("--seed", type=int)
    print(steps)


if __name__ == "__main__":
    main()
'''


@pytest.fixture(scope="module")
def from_the_page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The package that docs/extending.md prints, installed as a reader would."""
    target, source = tmp_path_factory.mktemp("printed"), tmp_path_factory.mktemp("source") / "my-plugin"
    source.mkdir()
    page = (ROOT / "docs/extending.md").read_text("utf-8")
    for language, name in (("python", "my_plugin.py"), ("toml", "pyproject.toml")):
        (source / name).write_text(page.split(f"```{language}\n")[1].split("```")[0])
    command = [sys.executable, "-m", "pip", "install", "-q", "--no-deps", "--target", str(target), str(source)]
    subprocess.run(command, check=True, capture_output=True, timeout=100)
    return target


def test_a_function_that_declares_an_option(from_the_page: Path, repository: Path, tmp_path: Path) -> None:
    (repository / "grow.py").write_text(GROW)
    shown = run(from_the_page, tmp_path, "-m", "ml_agent", "explain", f"{repository}:grow.py").stdout
    assert [shown.count(f"\n{name}\t") for name in ("--lr", "--kind", "--steps")] == [1, 1, 1], shown
    assert "oak elm" in shown and "more option" not in shown
    for given, code in (
        ("--lr 0.5 --steps 3", 0),
        ("--kind ash", 1),
        ("--steps x", 1),
        ("--seed 3", 0),
        ("--seed x", 1),
        ("--ki oak", 1),
        ("--size 3", 1),
    ):
        check = ("-m", "ml_agent", "check", f"python grow.py {given}", "--repo", str(repository))
        assert run(from_the_page, tmp_path, *check).returncode == code, given
    (repository / "grow.py").write_text(GROW.replace('"--steps"', "input()"))
    check = ("-m", "ml_agent", "check", "python grow.py --size 3", "--repo", str(repository))
    assert run(from_the_page, tmp_path, *check).returncode == 0


@pytest.mark.parametrize(
    ("module", "importing"),
    [
        ("tinyopts.py", "from tinyopts import opt"),
        ("tinyopts/__init__.py", "from tinyopts import *"),
        ("tinyopts.py", "import tinyopts\nopt = tinyopts.opt"),
        ("tinyopts.py", "from .tinyopts import opt"),
        ("lib/tinyopts.py", "from lib.tinyopts import opt"),
        ("lib/tinyopts.py", "import lib.tinyopts\nopt = lib.tinyopts.opt"),
    ],
)
def test_what_is_added_comes_before_a_module_of_the_repository(
    from_the_page: Path, repository: Path, tmp_path: Path, module: str, importing: str
) -> None:
    added = tmp_path / "added"
    shutil.copytree(from_the_page, added)
    plugin, name = added / "my_plugin.py", module.removesuffix(".py").removesuffix("/__init__").replace("/", ".")
    plugin.write_text(plugin.read_text().replace('"tinyopts.opt"', f'"{name}.opt"'))
    (repository / module).parent.mkdir(exist_ok=True)
    (repository / module).write_text("import sys\n\ndef opt(name, default=None, **more):\n    return sys.argv[1:]\n")
    (repository / "grow.py").write_text(GROW.replace("from tinyopts import opt", importing))
    shown = run(added, tmp_path, "-m", "ml_agent", "explain", f"{repository}:grow.py").stdout
    assert [shown.count(f"\n{option}\t") for option in ("--lr", "--kind", "--steps")] == [1, 1, 1], shown
    check = ("-m", "ml_agent", "check", "python grow.py --size 3", "--repo", str(repository))
    assert run(added, tmp_path, *check).returncode == 1


def test_an_error_in_what_is_added_is_told_once(from_the_page: Path, repository: Path, tmp_path: Path) -> None:
    added = tmp_path / "added"
    shutil.copytree(from_the_page, added)
    plugin = added / "my_plugin.py"
    plugin.write_text(plugin.read_text().replace("call.get(0,", "call.gett(0,"))
    (repository / "grow.py").write_text(GROW)
    (repository / "other.py").write_text(GROW)
    for target in (f"{repository}:grow.py", f"{repository}:other.py"):
        said = run(added, tmp_path, "-m", "ml_agent", "explain", target).stderr
        assert said.count("my-plugin 1.0: AttributeError") == 1 and "Traceback" not in said, said
    for _ in range(2):
        check = ("-m", "ml_agent", "check", "python grow.py --sizes 3", "--repo", str(repository))
        done = run(added, tmp_path, *check)
        assert done.returncode == 3 and "my-plugin 1.0: AttributeError" in done.stdout and "ok" not in done.stdout
    plugin.write_text(plugin.read_text().replace('option_function("tinyopts", read)', "3"))
    done = run(added, tmp_path, *check)
    assert done.returncode == 3 and "my-plugin 1.0" in done.stderr and done.stderr.count("\n") == 1


def test_a_framework_that_changes_under_the_same_version(installed: Path, repository: Path, tmp_path: Path) -> None:
    added = tmp_path / "added"
    shutil.copytree(installed, added)
    words = ("-m", "ml_agent", "explain", f"{repository}:train.py")
    assert "--lr" in run(added, tmp_path, *words).stdout
    source = added / "ml_agent_example.py"
    source.write_text(source.read_text().replace('call.get(0, "name")', '"-" + call.get(0, "name")'))
    assert "---lr" in run(added, tmp_path, *words).stdout


def test_a_navigator(installed: Path, repository: Path, tmp_path: Path) -> None:
    words = ("-m", "ml_agent", "solve", ASK, "--repo", str(repository), "--run", "none", "--navigator", "first")
    unknown = run(None, tmp_path, *words)
    assert (unknown.returncode, unknown.stderr.count("\n")) == (2, 1) and "auto, offline, llm" in unknown.stderr
    done = run(installed, tmp_path, *words, "--json", "-q")
    assert done.returncode == 0 and json.loads(done.stdout)["answer"]["text"] == "python train.py --epochs 25"


@pytest.mark.skipif(find_bubblewrap() is None, reason="bubblewrap does not work here")
def test_a_sandbox(installed: Path, repository: Path, tmp_path: Path) -> None:
    (repository / "train.py").write_text(
        "import argparse\nparser = argparse.ArgumentParser()\nparser.add_argument('--epochs', type=int)\nparser.add_argument('--lr')\n"
        "print(parser.parse_args())\n"
    )
    words = (
        "solve",
        ASK,
        "--repo",
        str(repository),
        "--run",
        "full",
        "--sandbox",
        "small",
        "--network",
        "none",
        "--json",
        "-q",
    )
    done = run(installed, tmp_path, "-m", "ml_agent", *words)
    result = json.loads(done.stdout)
    assert (done.returncode, result["ending"]) == (0, "completed"), result["message"]


def test_a_diagnosis(installed: Path, tmp_path: Path) -> None:
    code = (
        "from ml_agent.sandbox.contract import Response\nfrom ml_agent.sandbox.diagnosis import diagnose\nfrom ml_agent.execution import added_rules\n"
        "said = 'Traceback (most recent call last):\\nNoSeatError: solver'\n"
        "print(diagnose(Response(ended='exited', exit_code=1, stderr=said), added=added_rules()).message)"
    )
    assert run(installed, tmp_path, "-c", code).stdout == "all seats of solver are taken\n"


def scoring(folder: Path) -> tuple[str, ...]:
    """A row and an answer to it in a folder; the command that scores it."""
    row = {
        "github_id": 1, "github": "https://github.com/some/net", "repo_id": 1, "id": 1, "path": "/", "arguments": "{}",
        "instruction": ASK, "type": "Bash Script", "output": "python train.py --epochs 25", "prefix_code": "",
    }  # fmt: skip
    (folder / "rows.jsonl").write_text(json.dumps(row) + "\n")
    answer = {"github_id": 1, "id": 1, "output": ["python train.py  --epochs 25"]}
    (folder / "answers.jsonl").write_text(json.dumps(answer) + "\n")
    return ("bench", "score", "--tasks", "rows.jsonl", "--repos", ".", "--predictions", "answers.jsonl")


def test_an_agent_and_a_scorer(installed: Path, repository: Path, tmp_path: Path) -> None:
    listed = run(installed, tmp_path, "-m", "ml_agent", "bench", "agents", "list")
    assert listed.returncode == 0 and "echo" in listed.stdout
    words = ("-m", "ml_agent", *scoring(tmp_path), "--json", "--mode", "same-text")
    done = run(installed, tmp_path, *words)
    assert done.returncode == 0 and json.loads(done.stdout)["rows"][0]["passed"] == [True], done.stderr
    unknown = run(None, tmp_path, *words)
    assert unknown.returncode == 2 and "same-call" in unknown.stderr


BAD = "class Boom:\n    pass\n\ndef one(task, text, root):\n    return 1\n\ndef passes(task, text, root):\n    return True, ''\n"
BAD_POINTS = (
    "[ml_agent.agents]\nboom = bad_parts:Boom\n[ml_agent.scorers]\none = bad_parts:one\nsame-call = bad_parts:passes\n"
    "[ml_agent.navigators]\ngone = no_such_module:thing\n"
)


@pytest.fixture
def bad(tmp_path: Path) -> Path:
    info = tmp_path / "added/bad-1.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: bad\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(BAD_POINTS)
    (tmp_path / "added/bad_parts.py").write_text(BAD)
    return tmp_path / "added"


@pytest.mark.parametrize(("mode", "said"), [("one", "int"), ("same-call", "built in")])
def test_a_scorer_that_is_none_is_named_with_its_package(bad: Path, tmp_path: Path, mode: str, said: str) -> None:
    (tmp_path / "net").mkdir()
    words = (*scoring(tmp_path), "--mode", mode)
    done = run(bad, tmp_path, "-m", "ml_agent", *words)
    assert done.returncode == 3 and "bad 1.0" in done.stderr and said in done.stderr, done.stderr


def test_what_cannot_be_loaded_leaves_no_run(bad: Path, repository: Path, tmp_path: Path) -> None:
    words = ("solve", ASK, "--repo", str(repository), "--run", "none", "--navigator", "gone", "--out", "out")
    done = run(bad, tmp_path, "-m", "ml_agent", *words)
    assert done.returncode == 3 and done.stderr.count("\n") == 1 and "bad 1.0" in done.stderr
    assert not (tmp_path / "out").exists()


def test_a_defect_is_one_line_and_exit_code_70(repository: Path, tmp_path: Path) -> None:
    info = tmp_path / "added/broken-1.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: broken\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[ml_agent.navigators]\nbroken = broken_navigator:make\n")
    (tmp_path / "added/broken_navigator.py").write_text(
        "def make(settings, offline):\n    raise RuntimeError('theirs')\n"
    )
    words = ("solve", ASK, "--repo", str(repository), "--run", "none", "--navigator", "broken")
    done = run(tmp_path / "added", tmp_path, "-m", "ml_agent", *words)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (70, "", 1), done.stderr
    assert "internal error: in broken 1.0: RuntimeError: theirs" in done.stderr


def test_nothing_is_added_here() -> None:
    groups = (
        plugins.FRAMEWORKS, plugins.NAVIGATORS, plugins.SANDBOXES, plugins.AGENTS, plugins.SCORERS, plugins.DIAGNOSIS,
    )  # fmt: skip
    assert [plugins.names(group) for group in groups] == [()] * 6
    with pytest.raises(PluginError, match="adds a navigator called x"):
        plugins.load(plugins.NAVIGATORS, "x")


def test_a_package_that_is_only_partly_installed_is_told_by_what_it_adds(tmp_path: Path) -> None:
    broken = tmp_path / "site/x-1.dist-info"
    broken.mkdir(parents=True)
    (broken / "entry_points.txt").write_text("[ml_agent.frameworks]\nx = nomodule:FACTORIES\n")
    (tmp_path / "train.py").write_text("import argparse\np = argparse.ArgumentParser()\np.parse_args()\n")
    ended = run(tmp_path / "site", tmp_path, "-m", "ml_agent", "explain", ".:train.py")
    assert ended.returncode == 3 and "nomodule:FACTORIES" in ended.stderr and "None" not in ended.stderr
