"""Answers to a small repository, judged."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from ml_agent.benchmarks.strict import execute, given
from ml_agent.benchmarks.strict.score import Case, Verdict, score

TRAIN = "python examples/train.py --dataset cora --lr 0.2"


def judge(
    repository: Path, text: str, kind: Any = "bash", arguments: Mapping[str, Any] | None = None, path: str = "."
) -> Verdict:
    return score(text, Case(root=repository, path=path, kind=kind, arguments=arguments or {}))


@pytest.mark.parametrize(
    "text",
    [
        TRAIN,
        "```bash\n" + TRAIN + "\n```",
        "CUDA_VISIBLE_DEVICES=0 python -u examples/train.py --dataset=cora --epo 5",
        "export NAME=pubmed\npython3 examples/train.py \\\n  --dataset $NAME",
        "cd examples && python train.py --dataset cora --opt sgd",
        "bash examples/run.sh cora",
        "torchrun --nproc_per_node 2 examples/train.py --dataset cora",
        "python -m torch.distributed.launch --nproc_per_node=2 examples/train.py --dataset cora",
        "python -m paddle.distributed.launch --gpus 0,1 examples/train.py --dataset cora",
        "python -m examples.plain",
        "python -um examples.plain",
        "python -Bmexamples.plain",
        "pip install torch\npython examples/plain.py",
        "python examples/flags.py --task=cola --do_train --steps 5",
        "python examples/flags.py --task=cola --do_train=true",
        "python examples/loose.py --dataset cora --rate 3",
        "python examples/inside.py now",
        "python -m examples.burn cora --epochs 4",
        "python -m examples.typed cora --epochs 4",
        "cd examples && python -m typed cora --epochs 4",
    ],
)
def test_commands_that_run(repository: Path, text: str) -> None:
    verdict = judge(repository, text)
    assert verdict.executes and verdict.type, verdict.reason


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("python examples/trian.py --dataset cora", "no-such-file"),
        ("python train.py --dataset cora", "no-such-file"),
        (f"{TRAIN} --learning_rate 3", "unknown-option"),
        (f"{TRAIN} --opt rmsprop", "bad-choice"),
        (f"{TRAIN} --epochs many", "bad-type"),
        ("python examples/train.py --lr 0.1", "missing-required"),
        ("python examples/train.py --dataset", "missing-value"),
        ("python examples/train.py --dataset citeseer", "unknown-key"),
        ("python examples/plain.py --lr 3", "options-ignored"),
        ("python examples/flags.py --task=cola --do_train --stepz=5", "unknown-option"),
        ("python examples/flags.py --task=cola --do_train --steps=few", "flags"),
        ("python examples/flags.py --do_train", "flags"),
        ("python examples/flags.py --task=cola", "rejected-by-hand"),
        ("python examples/inside.py later", "rejected-by-hand"),
        ("python -m examples.missing", "no-such-module"),
        ("python examples/loose.py --dataset=citeseer", "rejected-by-hand"),
        ("bash examples/run.sh", "missing-value"),
        ("bash examples/walk.sh cora", "nothing-runs"),
        ("train_model --dataset cora", "no-such-command"),
        ('python examples/train.py --dataset "cora', "syntax"),
        ("python examples/train.py\n  --dataset cora", "missing-required"),
        ("ls examples", "nothing-runs"),
    ],
)
def test_commands_that_do_not(repository: Path, text: str, code: str) -> None:
    verdict = judge(repository, text)
    assert not verdict.executes
    assert verdict.reason.startswith(code), verdict.reason


CODE = """
import torch
from mylib import load

model = load("small", device="cuda")
model.eval()
with open("missing/data.txt") as file:
    lines = file.read().split()
out, rest = torch.split(model(torch.zeros(8), scale=2.0), 2)
print(model.predict(lines), out)
"""


@pytest.mark.parametrize(("module", "passed"), [("fast", True), ("slow", False)])
def test_a_module_that_an_installation_compiles_is_there(repository: Path, module: str, passed: bool) -> None:
    (repository / "examples" / f"{module}.py").write_text(f"from mylib.{module} import add\nprint(add(1, 2))\n")
    assert judge(repository, f"python examples/{module}.py").passed == passed


def test_python_that_runs(repository: Path) -> None:
    verdict = judge(repository, CODE, "python", {"name": "small", "scale": "2.0"})
    assert verdict.passed, verdict.reason


@pytest.mark.parametrize(
    ("old", "new", "code"),
    [
        ("from mylib import load", "from mylib.models import load", "no-such-module"),
        ("from mylib import load", "from my_lib import load", "no-such-module"),
        ("from mylib import load", "from mylib import load_model as load", "no-such-name"),
        ("torch.zeros(8)", "inputs", "undefined-name"),
        ("print(", "def later():\n    return undefined_thing\nprint(", "undefined-name"),
        ("print(", "if not torch.cuda.is_available():\n    from mylib import other\nprint(", "no-such-name"),
        ('device="cuda"', 'where="cuda"', "bad-call"),
        ("scale=2.0", "factor=2.0", "bad-call"),
        ('load("small"', 'load("huge"', "rejected-by-hand"),
        ("model.predict(", "model.generate_text(", "no-such-attribute"),
        ("model.eval()", "model.eval(", "syntax"),
        ("model.eval()", "from mylib import Net\nNet()", "bad-call"),
    ],
)
def test_python_that_does_not(repository: Path, old: str, new: str, code: str) -> None:
    assert old in CODE
    verdict = judge(repository, CODE.replace(old, new), "python")
    assert not verdict.executes
    assert verdict.reason.startswith(code), verdict.reason


def test_the_kind_counts(repository: Path) -> None:
    assert judge(repository, TRAIN, "python").reason.startswith("wrong-type")
    assert judge(repository, CODE, "bash").reason.startswith("wrong-type")


def test_a_value_in_a_comment_does_not_count(repository: Path) -> None:
    assert judge(repository, TRAIN, "bash", {"lr": "0.2"}).passed
    verdict = judge(repository, "python examples/train.py --dataset cora # --lr 0.2", "bash", {"lr": "0.2"})
    assert (verdict.executes, verdict.arguments, verdict.missing) == (True, False, ("0.2",))


@pytest.mark.parametrize(
    ("text", "used"),
    [
        ("RATE=0.2 bash examples/rate.sh cora", True),
        ("export RATE=0.2\ncd examples/.. && bash ./examples/rate.sh cora", True),
        ("RATE=0.2 python examples/train.py --dataset cora", False),
        ("RATE=0.2 bash examples/run.sh cora", False),
    ],
)
def test_a_variable_counts_where_the_script_reads_it(repository: Path, text: str, used: bool) -> None:
    assert judge(repository, text, "bash", {"lr": "0.20"}).arguments == used


def test_the_folder_of_the_task(repository: Path) -> None:
    assert judge(repository, "python train.py --dataset cora", path="./examples").passed
    assert judge(repository, TRAIN, path="nowhere").reason.startswith("no-such-folder")


def test_nothing_is_written(repository: Path, tmp_path: Path) -> None:
    before = sorted(repository.rglob("*"))
    text = f"import os, subprocess\nopen('new.txt', 'w').write('x')\nopen('{tmp_path}/out', 'w')\nos.system('touch {tmp_path}/also')\nimport mylib\n"
    assert judge(repository, text, "python").executes
    assert judge(repository, f"touch examples/new\n{TRAIN} > examples/log.txt").type
    assert sorted(repository.rglob("*")) == before
    assert not list(tmp_path.glob("out*")) + list(tmp_path.glob("also"))


def test_what_is_never_judged_is_said() -> None:
    assert given.weaknesses()[0] == "options that programs read with hydra or typer are not judged"
    assert not any("typer" in line for line in given.weaknesses(strict=False))


def test_a_job_names_the_parsers_that_its_sandbox_shows(repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(execute, "parsers", given.parsers.__wrapped__)  # as where several threads ask first
    verdict = judge(repository, "python examples/flags.py --task=cola --do_train --steps 7")
    assert verdict.executes, verdict.reason
