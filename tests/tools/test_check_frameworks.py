"""The check of commands for programs whose options come from dataclasses, functions and configuration files."""

from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from ml_agent.tools.check.command import check_command
from ml_agent.tools.index import RepoIndex

Check = Callable[[str], list[str]]
Make = Callable[[Mapping[str, str]], Check]


TRAINING = """
import os, sys
from dataclasses import dataclass, field
from typing import Optional
from transformers import HfArgumentParser, TrainingArguments
@dataclass
class Own:
    name: str = field(metadata={"help": "Name."})
    use_fast: bool = field(default=True)
    shuffle: bool = False
    split: Optional[bool] = field(default=True)
def main():
    parser = HfArgumentParser((Own, TrainingArguments))
    if len(sys.argv) == 2 and sys.argv[1].endswith(".json"):
        own, args = parser.parse_json_file(json_file=os.path.abspath(sys.argv[1]))
    else:
        own, args = parser.parse_args_into_dataclasses()
if __name__ == "__main__":
    main()
"""


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("--name a --output_dir out --no_use_fast", []),
        ("--name a --output_dir out --no-use-fast --shuffle", []),
        ("--no_use_fast --name a --output_dir out --use_fast False", []),
        ("--name a --output_dir out --no_split --no_dataloader_pin_memory", []),
        ("--name a --output_dir out --no_shuffle", ["error unknown-option"]),
        ("--name a --output_dir out --no_use_fasst", ["error unknown-option"]),
        ("args.json", []),
        ("args.yaml", ["error missing-required", "error too-many-arguments"]),
    ],
)
def test_switches_of_hugging_face_that_are_on_by_default(checked: Make, words: str, said: list[str]) -> None:
    says = checked({"train.py": TRAINING, "args.json": "{}"})
    assert sorted(f for f in says(f"python train.py {words}") if not f.startswith("unsure")) == said


FIRE = {
    "net.py": """
        import fire
        class Net:
            def __init__(self, width: int = 3):
                self.width = width
            def fit(self, lr=0.1, name="x"):
                print(lr)
            def test(self, path):
                return path
            def loose(self, **settings): ...
        if __name__ == "__main__":
            fire.Fire(Net)
        """,
    "one.py": """
        import fire
        def main(path, size=3, flag=False):
            print(path)
        if __name__ == "__main__":
            fire.Fire(main)
        """,
    "table.py": """
        import fire
        def a(x=1): ...
        def b(y): ...
        if __name__ == "__main__":
            fire.Fire({"a": a, "b": b})
        """,
    "module.py": """
        import fire
        from elsewhere import Base
        class Own(Base):
            def fit(self, lr=0.1): ...
        if __name__ == "__main__":
            fire.Fire(Own)
        """,
}


@pytest.mark.parametrize(
    "words",
    ["net.py fit --lr 1", "net.py fit 1 x", "net.py --width 4 fit", "net.py fit --width 4", "net.py fit --width=4 --lr=2",
     "net.py --lr 1 fit", "net.py test a", "net.py test a upper", "net.py loose --zz 1", "net.py fit -l 2", "net.py fit -lr 2",
     "net.py fit --lr -1", "net.py fit --name --lr 2", "net.py fit - upper", "net.py fit -- --help", "net.py fit --help",
     "net.py width", "one.py a --size 3", "one.py a 3 True", "one.py --path=a --flag", "one.py --path=a --noflag",
     "one.py a -s 3", "one.py a --size=3 --flag=True", "one.py a -- --trace", "one.py -- --help", "table.py a --x 3",
     "table.py a 3", "table.py b --y=3", 'one.py "$@"'],
)  # fmt: skip
def test_right_calls_of_fire(checked: Make, words: str) -> None:
    assert [f for f in checked(FIRE)(f"python {words}") if f.startswith("error")] == []


@pytest.mark.parametrize(
    "words",
    ["net.py fit --lrr 1", "net.py fit 1 x y", "net.py test", "net.py --widthh 4 fit", "net.py fit --width-x=3",
     "one.py a --sizze 3", "one.py a 3 True x", "one.py", "one.py a 3 True --lenght=3", "one.py a --no-flag",
     "one.py a --noflag=1", "one.py --flag a", "one.py a --SIZE=3", "table.py b", "table.py a --y 3"],
)  # fmt: skip
def test_wrong_calls_of_fire(checked: Make, words: str) -> None:
    assert [f.partition(" ")[0] for f in checked(FIRE)(f"python {words}")] == ["error"]


@pytest.mark.parametrize(
    ("command", "said"),
    [
        ("torchrun --nproc_per_node 2 train.py --lr 1", []),
        ("torchrun --nproc-per-node=gpu --nnodes=1:4 --standalone train.py", []),
        ("python -m torch.distributed.run --nproc_per_node 2 train.py", []),
        ("python -m torch.distributed.launch --nproc_per_node=2 --use_env train.py --lr 1", []),
        ("accelerate launch --multi_gpu --num_processes 4 --mixed_precision fp16 train.py --lr 1", []),
        ("torchrun --nproc_per_nodee 2 train.py", ["error unknown-option --nproc_per_node"]),
        ("torchrun --nnodes 1 --standalon=1 train.py", ["error bad-type --standalone"]),
        ("torchrun --nproc_per_node 2 train.py --lrr 1", ["error unknown-option --lr"]),
        ("python -m torch.distributed.launch --nproc_pr_node=2 train.py", ["error unknown-option --nproc_per_node"]),
        ("accelerate launch --mixed_precision fp32 train.py", ["error bad-choice "]),
        ("deepspeed --num_gpus 2 --master_port=$PORT train.py --lr 1", []),
        ("deepspeed --nmu_gpus 2 train.py --lr 1", ["error unknown-option --num_gpus"]),
        ("deepspeed --autotuning tuen train.py", ["error bad-choice tune"]),
    ],
)
def test_options_of_launchers(checked: Make, command: str, said: list[str], tmp_path: Path) -> None:
    checked({
        "train.py": """
        import argparse
        p = argparse.ArgumentParser()
        p.add_argument("--lr", type=float)
        p.parse_args()
        """
    })  # fmt: skip
    found = check_command(command, RepoIndex(tmp_path, "1"))
    assert [f"{f.severity} {f.code} {f.suggestion}" for f in found] == said
