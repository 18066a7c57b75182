"""The check of commands for programs whose options come from docopt, dataclasses, functions and configuration files."""

import textwrap
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from tools.check.command import check_command
from tools.index import RepoIndex

Check = Callable[[str], list[str]]
Make = Callable[[Mapping[str, str]], Check]


@pytest.fixture
def checked(tmp_path: Path) -> Make:
    """Write files; gives a function that says code and severity of each finding about a command."""

    def make(files: Mapping[str, str]) -> Check:
        for path, text in files.items():
            target = tmp_path / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(textwrap.dedent(text))
        index = RepoIndex(tmp_path, "1")
        return lambda text: [f"{f.severity} {f.code}" for f in check_command(text, index)]

    return make


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
