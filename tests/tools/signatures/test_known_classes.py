"""Option classes of libraries that are not in the repository."""

from collections.abc import Callable
from pathlib import Path

import pytest

from ml_agent.tools.signatures.known_classes import known_class
from ml_agent.tools.signatures.model import Option, Signature
from ml_agent.tools.signatures.sources import Sources

Script = Callable[..., Signature]
Find = Callable[[Signature, str], Option]


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


def test_classes_of_a_library_bring_those_of_its_own_bases() -> None:
    found = known_class("trl.SFTConfig")
    assert found is not None and {"max_seq_length", "learning_rate"} <= {o.dest for o in found.as_options()}


def test_options_are_those_of_the_version_that_the_repository_pins() -> None:
    found = known_class("transformers.TrainingArguments")
    assert found is not None
    names = {
        version: {one.dest for one in found.as_options({"transformers": version}.__getitem__)}
        for version in ("", "4.2.1", "4.57.1")
    }
    assert "optim" in names[""] and "optim" not in names["4.2.1"]
    assert "no_cuda" in names["4.2.1"] and "learning_rate" in names["4.2.1"] & names["4.57.1"]
    sure = {one.dest: one.sure for one in found.as_options(lambda _: "4.57.1")}
    assert sure["bf16"] and not next(one.sure for one in found.as_options() if one.dest == "bf16")


@pytest.mark.parametrize(
    ("line", "version"),
    [
        ("transformers==4.2.1", "4.2.1"),
        ("Transformers[torch] == 4.2.1  # tested", "4.2.1"),
        ("transformers>=4.2.1", ""),
        ("transformers==4.*", ""),
        ("my-transformers==4.2.1", ""),
        ("transformers==4.2.1rc1", ""),
    ],
)
def test_what_requirements_txt_pins(line: str, version: str, tmp_path: Path) -> None:
    (tmp_path / "requirements.txt").write_text(f"numpy\n{line}\n")
    assert Sources(tmp_path).pinned("transformers") == version


def test_a_field_that_init_does_not_take_is_no_option(script: Script) -> None:
    signature = script("""
        from dataclasses import dataclass, field
        from transformers import HfArgumentParser, TrainingArguments
        @dataclass
        class Base:
            size: int = 3
        @dataclass
        class Own(Base):
            steps: int = 1
            size: int = field(init=False, default=4)
            done: bool = field(init=False, repr=False, default=False)
        HfArgumentParser((Own, TrainingArguments)).parse_args_into_dataclasses()
    """)
    names = {one.dest for one in signature.options}
    assert signature.whole and {"steps", "learning_rate"} <= names and not names & {"size", "done", "_n_gpu"}
