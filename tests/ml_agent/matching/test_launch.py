"""How a program is started: by a launcher, or as a module."""

import ast

import pytest

from ml_agent.matching.launch import (
    installed_name,
    is_launchers,
    is_named,
    launched,
    launcher_of,
    module_of,
    options_of,
)
from ml_agent.tools.signatures.model import Option, Signature


def test_what_starts_several_processes_is_told_by_examples_or_options() -> None:
    plain = Signature(path="train.py")
    assert launcher_of(plain, ["python train.py --lr 1"]) == ""
    assert launcher_of(plain, ["torchrun --nproc_per_node=4 train.py"]) == "torchrun"
    assert launcher_of(plain, ["mpiexec -n 8 python train.py"]) == "mpiexec"
    assert launcher_of(plain, ["accelerate launch train.py", "python train.py"]) == "accelerate"
    assert launcher_of(plain, ["deepspeed train.py --deepspeed ds.json"]) == "deepspeed"
    assert launcher_of(plain, ["python train.py --deepspeed ds.json"]) == ""
    ranked = Signature(path="train.py", options=(Option(dest="local_rank", flags=("--local_rank",)),))
    assert launcher_of(ranked, []) == "torchrun"


@pytest.mark.parametrize(
    ("text", "launcher", "count", "expected"),
    [
        ("python train.py --lr 1", "torchrun", "4", "torchrun --nproc_per_node=4 train.py --lr 1"),
        ("python -m pkg.train", "torchrun", "2", "torchrun --nproc_per_node=2 -m pkg.train"),
        ("python train.py", "mpiexec", "8", "mpiexec -n 8 python train.py"),
        ("python train.py", "accelerate", "4", "accelerate launch --num_processes=4 train.py"),
        ("python train.py --lr 1", "deepspeed", "2", "deepspeed --num_gpus=2 train.py --lr 1"),
        ("python train.py", "", "8", "python train.py"),
        ("train --lr 1", "torchrun", "4", "train --lr 1"),
    ],
)
def test_a_command_started_by_a_launcher(text: str, launcher: str, count: str, expected: str) -> None:
    assert launched(text, launcher, {"nproc_per_node": count}) == expected


def test_processes_meet_over_a_port() -> None:
    assert launched("python a.py", "torchrun", {"master_port": "29501"}) == (
        "torchrun --nproc_per_node=1 --master_port=29501 a.py"
    )
    assert launched("python a.py", "torchrun", {}) == "python a.py"


def test_a_launcher_has_no_option_that_the_program_has() -> None:
    port = Option(dest="port", flags=("--port",))
    assert [one.dest for one in options_of("torchrun", ())] == ["nproc_per_node", "master_port"]
    assert [one.dest for one in options_of("torchrun", (port,))] == ["nproc_per_node"]
    assert [one.dest for one in options_of("mpiexec", ())] == ["nproc_per_node"]
    assert options_of("", ()) == ()


def test_only_a_launcher_sets_the_rank_of_a_process() -> None:
    assert is_launchers(Option(dest="local_rank", flags=("--local_rank",)))
    assert not is_launchers(Option(dest="rank", flags=("--rank",), help="rank of the adapters"))


def test_what_spreads_over_nodes_itself_needs_no_launcher() -> None:
    options = tuple(Option(dest=name, flags=(f"--{name}",)) for name in ("nodes", "ngpus", "world_size"))
    assert launcher_of(Signature(path="submit.py", options=options), []) == ""
    assert launcher_of(Signature(path="submit.py", options=options[1:]), []) == "torchrun"


@pytest.mark.parametrize(
    ("path", "source", "module"),
    [
        ("kit/sub/run.py", "from kit.model import Net", "kit.sub.run"),
        ("kit/run.py", "import kit.model", "kit.run"),
        ("kit/run.py", "from .model import Net", "kit.run"),
        ("kit/run.py", "import model", ""),
        ("run.py", "import kit.model", ""),
        ("kit/run-it.py", "import kit.model", ""),
    ],
)
def test_a_file_that_imports_its_own_package_runs_as_a_module(path: str, source: str, module: str) -> None:
    assert module_of(path, ast.parse(source), {"kit", "run"}) == module


@pytest.mark.parametrize(
    ("dest", "text", "expected"),
    [
        ("local_rank", "", True),
        ("world_size", "number of distributed processes", True),
        ("world_size", "number of nodes for distributed training", False),
        ("rank", "", False),
    ],
)
def test_what_only_a_launcher_sets(dest: str, text: str, expected: bool) -> None:
    assert is_launchers(Option(dest=dest, flags=(f"--{dest}",), help=text)) is expected


def test_a_launcher_that_is_only_named_starts_the_program() -> None:
    assert is_named("accelerate", ["with", "Accelerate"]) and not is_named("", ["with"])
    assert launched("python -u a.py --lr 1", "accelerate", {"nproc_per_node": ""}) == "accelerate launch a.py --lr 1"
    assert launched("python a.py", "deepspeed", {"nproc_per_node": ""}) == "deepspeed a.py"
    assert launched("python a.py", "mpiexec", {"nproc_per_node": ""}) == "mpiexec python a.py"


def test_what_imports_relative_to_its_package_runs_as_a_module() -> None:
    source = ast.parse("from . import distrib\nfrom .evaluate import run")
    assert module_of("pkg/evaluate_all.py", source, frozenset()) == "pkg.evaluate_all"
    assert module_of("pkg/__main__.py", source, frozenset()) == "pkg"
    assert module_of("evaluate_all.py", source, frozenset()) == ""


def test_an_installed_module_is_called_without_the_folders_that_hold_its_package() -> None:
    assert installed_name("src.pkg.run", ".", frozenset({"src/pkg/__init__.py"})) == "pkg.run"
    assert installed_name("code.src.pkg.run", "python", frozenset({"python/code/src/pkg/__init__.py"})) == "pkg.run"
    assert installed_name("pkg.sub.run", ".", frozenset({"pkg/__init__.py"})) == "pkg.sub.run"
    assert (
        installed_name("tools.run", ".", frozenset({"tools/run.py"})) == "tools.run"
    )  # nothing says what is a package
    assert installed_name("pkg", ".", frozenset({"pkg/__init__.py"})) == "pkg"
    assert installed_name("src.pkg", ".", frozenset({"src/pkg/__init__.py"})) == "pkg"  # what `__main__.py` is called
