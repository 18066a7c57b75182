"""The check of commands for programs whose options come from docopt, dataclasses, functions and configuration files."""

from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from ml_agent.tools.check.command import check_command
from ml_agent.tools.index import RepoIndex

Check = Callable[[str], list[str]]
Make = Callable[[Mapping[str, str]], Check]


def test_docopt_arguments_behind_a_command(checked: Make) -> None:
    says = checked({
        "doc.py": '''
        """Naval.

        Usage:
          doc.py ship new <name>... [--speed=<kn>]
          doc.py ship move <x> <y> [--speed=<kn>]

        Options:
          --speed=<kn>  Speed in knots [default: 10].
        """
        from docopt import docopt
        print(docopt(__doc__))
        '''
    })  # fmt: skip
    assert says("python doc.py ship new a --speed=3") == []
    assert says("python doc.py ship new --speed=3 a b") == []
    assert says("python doc.py ship move 1 2") == []
    assert says("python doc.py ship move 1") == ["error missing-required"]
    assert says("python doc.py ship move 1 2 3") == ["error too-many-arguments"]
    assert says("python doc.py ship new a --sped=3") == ["error unknown-option"]


def test_an_argument_of_a_configuration_file(checked: Make) -> None:
    says = checked({
        "main.py": """
        from absl import app
        from ml_collections import config_flags
        _CONFIG = config_flags.DEFINE_config_file("config")
        def main(argv): ...
        if __name__ == "__main__":
            app.run(main)
        """,
        "cfgs/base.py": """
        import ml_collections
        def get_config(kind):
            return ml_collections.ConfigDict({"lr": 0.1, "kind": kind})
        """,
    })  # fmt: skip
    assert says("python main.py --config=cfgs/base.py:big") == []
    assert says("python main.py --config=cfgs/base.py:a,b=3 --config.lr=1") == []
    assert [s.partition(" ")[2] for s in says("python main.py --config=cfgs/bas.py:big")] == ["no-such-file"]


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


def test_the_configuration_file_of_trl(checked: Make) -> None:
    says = checked({
        "sft.py": """
        from dataclasses import dataclass
        from trl import TrlParser
        @dataclass
        class Own:
            name: str
        if __name__ == "__main__":
            own = TrlParser((Own,)).parse_args_and_config()
        """,
        "c.yaml": "name: x\n",
    })  # fmt: skip
    assert says("python sft.py --config c.yaml") == []
    assert says("python sft.py --name x") == []
    assert says("python sft.py") == ["error missing-required"]
    assert says("python sft.py --confg c.yaml --name x") == ["error unknown-option"]


def test_the_configuration_file_of_jsonargparse(checked: Make) -> None:
    says = checked({
        "one.py": """
        from jsonargparse import CLI
        def main(name: str, size: int = 3): ...
        if __name__ == "__main__":
            CLI(main)
        """,
        "several.py": """
        from jsonargparse import CLI
        def fit(name: str, size: int = 3): ...
        def test(name: str): ...
        if __name__ == "__main__":
            CLI([fit, test])
        """,
        "c.yaml": "name: x\n",
    })  # fmt: skip
    for right in (
        "a --size 4",
        "--config c.yaml",
        "--config=c.yaml --size 4",
        "--print_config",
        "--print_config=skip_null a",
    ):
        assert says(f"python one.py {right}") == []
    assert says("python one.py") == ["error missing-required"]
    assert says("python one.py a --sizee 4") == ["error unknown-option"]
    for right in ("fit a", "fit --config c.yaml", "fit --print_config"):
        assert says(f"python several.py {right}") == []
    assert says("python several.py fit") == ["error missing-required"]


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
    ["net.py fit --lrr 1", "net.py fut", "net.py fit 1 x y", "net.py test", "net.py --widthh 4 fit", "net.py fit --width-x=3",
     "one.py a --sizze 3", "one.py a 3 True x", "one.py", "one.py a 3 True --lenght=3", "one.py a --no-flag",
     "one.py a --noflag=1", "one.py --flag a", "one.py a --SIZE=3", "table.py c", "table.py b", "table.py a --y 3"],
)  # fmt: skip
def test_wrong_calls_of_fire(checked: Make, words: str) -> None:
    assert [f.partition(" ")[0] for f in checked(FIRE)(f"python {words}")] == ["error"]


def test_what_fire_takes_of_a_class_from_elsewhere_is_open(checked: Make) -> None:
    says = checked(FIRE)
    assert says("python net.py") == ["warning missing-required"]
    assert says("python module.py fit --epochs 1") == ["unsure cannot-tell"]
    assert says("python module.py run") == ["warning missing-required"]


@pytest.mark.parametrize(
    ("command", "said"),
    [
        ("torchrun --nproc_per_node 2 train.py --lr 1", []),
        ("torchrun --nproc-per-node=gpu --nnodes=1:4 --standalone train.py", []),
        ("torchrun --rdzv_backend=c10d --rdzv_endpoint=host:29400 --nnodes 2 train.py --lr 1", []),
        ("torchrun --nproc_per_node=$GPUS --master_port=$PORT --node_rank $RANK train.py", []),
        ("python -m torch.distributed.run --nproc_per_node 2 train.py", []),
        ("python -m torch.distributed.launch --nproc_per_node=2 --use_env train.py --lr 1", []),
        ("accelerate launch --multi_gpu --num_processes 4 --mixed_precision fp16 train.py --lr 1", []),
        ("accelerate launch --config_file a.yaml train.py", []),
        ("torchrun --nproc_per_nodee 2 train.py", ["error unknown-option --nproc_per_node"]),
        ("torchrun --nnodes 1 --standalon=1 train.py", ["error bad-type --standalone"]),
        ("torchrun --master_port=12x train.py", ["error bad-type "]),
        ("torchrun --nproc_per_node 2 train.py --lrr 1", ["error unknown-option --lr"]),
        ("python -m paddle.distributed.launch train.py --lrr 1", ["error unknown-option --lr"]),
        ("python -m torch.distributed.launch --nproc_pr_node=2 train.py", ["error unknown-option --nproc_per_node"]),
        ("accelerate launch --mixed_precision fp32 train.py", ["error bad-choice "]),
        ("accelerate launch --num_proceses 4 train.py", ["error unknown-option --num_processes"]),
        ("deepspeed --num_gpus 2 --master_port=$PORT train.py --lr 1", []),
        ("deepspeed --include localhost:0,1 -H hosts --no_ssh --node_rank 1 train.py --lr 1", []),
        ("deepspeed --nmu_gpus 2 train.py --lr 1", ["error unknown-option --num_gpus"]),
        ("deepspeed --num-gpus 2 train.py", ["error unknown-option --num_gpus"]),
        ("deepspeed --num_gpus two train.py", ["error bad-type "]),
        ("deepspeed --autotuning tuen train.py", ["error bad-choice tune"]),
        ("deepspeed --num_gpus 2 train.py --lrr 1", ["error unknown-option --lr"]),
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


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("--gpus 2 --max_epochs 3 --lr 1", []),
        ("--fast_dev_run --accelerator gpu --precision 16", []),
        ("--distributed_backend ddp", []),
        ("--max_epohs 3", ["error unknown-option"]),
        ("--invented 3", ["error unknown-option"]),
    ],
)
def test_options_of_the_lightning_trainer(checked: Make, words: str, said: list[str]) -> None:
    says = checked({
        "train.py": """
        import argparse
        import pytorch_lightning as pl
        def main():
            parser = argparse.ArgumentParser()
            parser.add_argument("--lr", type=float)
            parser = pl.Trainer.add_argparse_args(parser)
            args = parser.parse_args()
            pl.Trainer.from_argparse_args(args)
        if __name__ == "__main__":
            main()
        """
    })  # fmt: skip
    assert says(f"python train.py {words}") == said


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("--eval_strategy epoch --lr_scheduler_type cosine --optim adamw_torch", []),
        ("--eval_strategy epochh", ["error bad-choice"]),
        ("--lr_scheduler_type cosin", ["error bad-choice"]),
        ("--evaluation_strategy stepps", ["error bad-choice"]),
    ],
)
def test_choices_of_training_arguments(checked: Make, words: str, said: list[str]) -> None:
    says = checked({"train.py": TRAINING})
    found = says(f"python train.py --name a --output_dir out {words}")
    assert [f for f in found if not f.startswith("unsure")] == said


def test_an_enumeration_or_text_is_the_enumeration(checked: Make) -> None:
    says = checked({
        "train.py": """
        from dataclasses import dataclass
        from enum import Enum
        from typing import Union
        from transformers import HfArgumentParser
        class Mode(str, Enum):
            FAST = "fast"
            SLOW = "slow"
        @dataclass
        class Own:
            mode: Union[Mode, str] = "fast"
        def main():
            HfArgumentParser((Own,)).parse_args_into_dataclasses()
        if __name__ == "__main__":
            main()
        """
    })  # fmt: skip
    assert says("python train.py --mode slow") == []
    assert says("python train.py --mode slo") == ["error bad-choice"]


@pytest.mark.parametrize(
    ("words", "wrong"),
    [
        ("fit --config c.yaml", 0), ("fit -c c.yaml --model.width 4", 0), ("--config c.yaml fit", 0), ("fit --print_config", 0),
        ("fit --config c.yaml --ckpt_path x --optimizer Adam --optimizer.lr 3 --lr_scheduler=StepLR", 0),
        ("fit --config c.yaml --trainer.logger WandbLogger --trainer.logger.project=x", 0),
        ("fit --config c.yaml --trainer.callbacks+=EarlyStopping --trainer.callbacks.patience=3", 0),
        ("fit --trainer c.yaml --model.width 3 --data.folder x", 0),
        ("fit", 2), ("fit --model.widht=3 --config c.yaml", 1), ("fit --config c.yaml --trainer.max_epohs 3", 1),
    ],
)  # fmt: skip
def test_commands_of_lightning(checked: Make, words: str, wrong: int) -> None:
    says = checked({
        "main.py": """
        from lightning.pytorch.cli import LightningCLI
        from lightning import LightningModule
        class Net(LightningModule):
            def __init__(self, width: int): ...
        class Data:
            def __init__(self, folder: str): ...
        def main():
            LightningCLI(Net, Data)
        if __name__ == "__main__":
            main()
        """,
        "c.yaml": "model: {width: 3}\n",
    })  # fmt: skip
    assert [f.partition(" ")[0] for f in says(f"python main.py {words}")] == ["error"] * wrong


EITHER = """
    import argparse
    try:
        import hydra
        available = True
    except ImportError:
        available = False

    if available:
        @hydra.main(config_path="conf", config_name="config")
        def hydra_main(cfg):
            print(cfg)

    if __name__ == "__main__":
        if available:
            hydra_main()
        else:
            OTHER
"""
PARSES = "p = argparse.ArgumentParser(); p.add_argument('--file', required=True); p.parse_args()"


@pytest.mark.parametrize(
    ("other", "sure"), [(PARSES, False), ("print('install hydra')", True), ("raise ImportError('hydra')", True)]
)
def test_which_parser_reads_the_words_may_depend_on_a_library(checked: Make, other: str, *, sure: bool) -> None:
    said = checked({"main.py": EITHER.replace("OTHER", other), "conf/config.yaml": "lr: 1\n"})(
        "python main.py --file a.json"
    )
    assert any(finding.startswith("error") for finding in said) is sure
