"""Option classes of libraries that are not in the repository."""

from collections.abc import Callable
from typing import Any

from ml_agent.tools.signatures.known_classes import known_class
from ml_agent.tools.signatures.model import Option, Signature
from ml_agent.tools.signatures.words import KEY_VALUE

Script = Callable[..., Signature]
Find = Callable[[Signature, str], Option]
Make = Callable[..., Any]


def test_training_arguments_are_known(script: Script, option: Find) -> None:
    signature = script("""
        from dataclasses import dataclass
        from transformers import HfArgumentParser, TrainingArguments
        @dataclass
        class Own(TrainingArguments):
            eval_transfer: bool = False
            learning_rate: float = 0.25
        def main():
            parser = HfArgumentParser((Own,))
            (own,) = parser.parse_args_into_dataclasses()
        if __name__ == "__main__":
            main()
    """)
    assert signature.whole
    assert "--per_device_train_batch_size" in option(signature, "per_device_train_batch_size").flags
    assert option(signature, "learning_rate").default == "0.25"
    assert option(signature, "eval_transfer").type == "bool"
    assert len([o for o in signature.options if o.dest == "learning_rate"]) == 1


def test_a_class_is_known_from_wherever_it_is_imported() -> None:
    names = ["transformers.TrainingArguments", "transformers.training_args.TrainingArguments"]
    assert {known_class(name) for name in names} == {known_class(names[0])}
    assert known_class("lightning.pytorch.Trainer") == known_class("pytorch_lightning.trainer.Trainer")
    assert known_class("mine.TrainingArguments") is None


def test_versions_of_an_option_are_told() -> None:
    found = known_class("pytorch_lightning.Trainer")
    assert found is not None
    by_name = {option.dest: option for option in found.as_options()}
    assert by_name["max_epochs"].sure or "since" not in by_name["max_epochs"].help
    assert "until" in by_name["gpus"].help and not by_name["gpus"].sure


def test_classes_of_a_library_bring_those_of_its_own_bases() -> None:
    found = known_class("trl.SFTConfig")
    assert found is not None and {"max_seq_length", "learning_rate"} <= {o.dest for o in found.as_options()}


def test_lightning_commands(repository: Make, option: Find) -> None:
    found = repository({
        "main.py": """
        from lightning.pytorch.cli import LightningCLI
        from lightning import LightningModule
        class Net(LightningModule):
            def __init__(self, width: int = 8): ...
        class Data:
            def __init__(self, folder: str): ...
        def main():
            LightningCLI(Net, Data)
        if __name__ == "__main__":
            main()
        """
    }).read("main.py")  # fmt: skip
    assert [s.subcommand for s in found] == [("fit",), ("validate",), ("test",), ("predict",)]
    assert option(found[0], "trainer.max_epochs").flags == ("--trainer.max_epochs",)
    assert option(found[0], "model.width").type == "int" and option(found[0], "data.folder").level == 1
    assert found[0].whole


def test_lightning_commands_of_classes_that_are_chosen(repository: Make, option: Find) -> None:
    """Who chooses a class below the one that is named gives what that class takes."""
    found = repository({
        "main.py": """
        from lightning.pytorch.cli import LightningCLI
        class Data:
            def __init__(self, folder: str): ...
        LightningCLI(Data, Data, run=False, subclass_mode_data=True)
        """
    }).read("main.py")  # fmt: skip
    assert option(found[0], "model.folder").required and not option(found[0], "data.folder").required
    assert not found[0].whole


def test_a_title_is_said_without_its_line(script: Script) -> None:
    text = '"""\n=========\nFit a tree\n=========\n"""\nimport argparse\nargparse.ArgumentParser().parse_args()\n'
    assert script(text).doc == "Fit a tree"


def test_the_parser_of_detectron2_is_known(script: Script, option: Find) -> None:
    signature = script("""
        from detectron2.engine import default_argument_parser, launch
        def main(args): ...
        if __name__ == "__main__":
            parser = default_argument_parser(epilog="see the models")
            parser.add_argument("--fold", type=int)
            args = parser.parse_args()
            launch(main, args.num_gpus, args=(args,))
    """)
    assert signature.whole
    assert option(signature, "eval_only").nargs == "0" and option(signature, "num_gpus").type == "int"
    assert option(signature, "opts").nargs == "..." and option(signature, "opts").positional
    assert option(signature, "fold").flags == ("--fold",)


def test_what_deepspeed_adds_to_a_parser_is_known(script: Script, option: Find) -> None:
    signature = script("""
        import argparse
        import deepspeed
        parser = argparse.ArgumentParser()
        parser.add_argument("--epochs", type=int)
        parser = deepspeed.add_config_arguments(parser)
        args = parser.parse_args()
    """)
    assert signature.whole
    assert option(signature, "deepspeed").nargs == "0" and option(signature, "deepspeed_config").nargs is None
    assert "until" in option(signature, "deepspeed_mpi").help


def test_what_deepspeed_adds_to_a_parser_that_cannot_be_followed_is_open(script: Script) -> None:
    signature = script("""
        import argparse
        import deepspeed
        parser = argparse.ArgumentParser()
        group = parser.add_argument_group("more")
        deepspeed.add_config_arguments(group)
        args = parser.parse_args()
    """)
    assert not signature.whole


def test_words_of_a_dict_action_are_key_and_value(script: Script, option: Find) -> None:
    signature = script("""
        import argparse
        from mmengine.config import Config, DictAction
        parser = argparse.ArgumentParser()
        parser.add_argument("config")
        parser.add_argument("--cfg-options", nargs="+", action=DictAction)
        args = parser.parse_args()
    """)
    found = option(signature, "cfg_options")
    assert found.sure and found.nargs == "+" and found.converter == KEY_VALUE
