"""Which run.sh uses the repository, and with which values."""

from pathlib import Path

import pytest

from ml_agent.benchmarks.form_a.invokes import ScriptUse, read

ARGUMENTS = {"lr": "0.5", "epochs": "7"}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    for path in (
        "main.py",
        "tools/prepare.sh",
        "examples/train.py",
        "src/netlib/__init__.py",
        "src/netlib/cli.py",
        "python/deep/__init__.py",
        "models/a.py",
    ):
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text("")
    (tmp_path / "pyproject.toml").write_text(
        '[project]\nname = "netlib"\n[project.scripts]\nnet-train = "netlib.cli:main"\n'
    )
    return tmp_path


def use(script: str, root: Path, **own: str) -> ScriptUse:
    files = {name.replace("__", "/").replace("_py", ".py").replace("_sh", ".sh"): text for name, text in own.items()}
    return read(script, root, "examples", ARGUMENTS, files.get)


@pytest.mark.parametrize(
    "script",
    [
        "python train.py --lr 0.5 --epochs 7",
        "#!/bin/bash\nset -e\npip install -r ../requirements.txt\npython3 -u train.py --lr=0.5 --epochs=7 > log 2>&1",
        "cd .. && python main.py --lr 0.5 --epochs 7",
        "cd /workspace/toy && python main.py --lr 0.5 --epochs 7",
        "python /workspace/toy/main.py --lr 0.5 --epochs 7",
        "timeout 60 torchrun --nproc_per_node 1 train.py --lr 0.5 --epochs 7",
        "./train.py --lr 0.5 --epochs 7",
        'bash -c "python train.py --lr 0.5 --epochs 7"',
        "bash ../tools/prepare.sh 0.5 7",
        "python -m netlib.train --lr 0.5 --epochs 7",
        "net-train --lr 0.5 --epochs 7",
        "python - <<EOF\nfrom netlib import fit\nfit(lr=0.5, epochs=7)\nEOF",
        "python -c 'import deep; deep.fit(0.5, 7)'",
        "LR=0.5\npython train.py --lr $LR --epochs 7",
    ],
)
def test_uses_it_with_every_value(script: str, root: Path) -> None:
    found = use(script, root)
    assert found.scripts and found.missing == (), found


@pytest.mark.parametrize(
    "script",
    [
        "",
        "true",
        "sleep 200",
        "#!/bin/bash\n# python train.py --lr 0.5 --epochs 7\nexit 0",
        "echo python train.py --lr 0.5 --epochs 7",
        "cat train.py",
        "python other.py --lr 0.5 --epochs 7",
        "pip install netlib",
        "cd .. ; ls main.py",
        "python -c 'import torch'",
        "bash run.sh",
    ],
)
def test_has_nothing_to_do_with_it(script: str, root: Path) -> None:
    assert use(script, root).scripts == ()


@pytest.mark.parametrize(
    "script", ["python train.py --lr 0.5 # 7", "echo 7; python train.py --lr 0.5", "E=7\npython train.py --lr 0.5"]
)
def test_a_value_that_nothing_gets_is_missing(script: str, root: Path) -> None:
    assert use(script, root).missing == ("7",)


def test_files_of_the_agents_own_count_where_they_are_run(root: Path) -> None:
    found = use("python own.py", root, examples__own_py="import netlib\nnetlib.fit(lr=0.5, epochs=7)\n")
    assert (found.scripts, found.own, found.missing) == (("netlib",), ("examples/own.py",), ())
    nested = use("bash go.sh", root, examples__go_sh="python train.py --lr 0.5 --epochs 7")
    assert nested.scripts == ("examples/train.py",) and nested.missing == ()


def test_an_own_file_that_is_not_run_does_not_count(root: Path) -> None:
    assert use("true", root, examples__own_py="import netlib\nnetlib.fit(0.5, 7)\n").scripts == ()
