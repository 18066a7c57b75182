"""fire, dataclass parsers, hydra."""

import time
from collections.abc import Callable
from typing import Any

from ml_agent.tools.signatures.model import Option, Signature

Script = Callable[..., Signature]
Find = Callable[[Signature, str], Option]
Make = Callable[..., Any]


def test_fire(repository: Make, option: Find) -> None:
    found = repository({
        "main.py": """
        import fire
        class Trainer:
            def __init__(self, lr=0.1): ...
            def train(self, epochs: int, fast: bool = False): ...
            def test(self): ...
        if __name__ == "__main__":
            fire.Fire(Trainer)
        """
    }).read("main.py")  # fmt: skip
    train = found[0]
    assert [s.subcommand for s in found] == [("train",), ("test",)]
    assert option(train, "lr").type == "float" and option(train, "lr").level == 0
    assert option(train, "epochs").required and option(train, "fast").nargs == "?"


def test_the_defaults_of_a_lambda_are_read(script: Script) -> None:
    made = script("import fire\nfire.Fire(lambda path, a=0.5, *, x=1, y: path)\n")
    assert [(one.dest, one.default, one.required) for one in made.options] == [
        ("path", None, True), ("a", "0.5", False), ("x", "1", False), ("y", None, True)
    ]  # fmt: skip


DATACLASSES = """
from dataclasses import dataclass, field
from typing import List, Literal, Optional
@dataclass
class Base:
    seed: int = 0
@dataclass
class Model(Base):
    name: str
    rate: float = field(default=1e-3, metadata={"help": "The rate."})
    kind: Literal["a", "b"] = "a"
    names: List[str] = field(default_factory=lambda: ["x"])
    amp: bool = True
    limit: Optional[int] = None
"""


def test_hf_argument_parser(script: Script, option: Find) -> None:
    signature = script(f"""
{DATACLASSES}
from transformers import HfArgumentParser
from elsewhere import Others
def main():
    parser = HfArgumentParser((Model, Others))
    model, training = parser.parse_args_into_dataclasses()
if __name__ == "__main__":
    main()
""")
    assert signature.framework == "dataclass" and signature.accepts_unknown
    assert [o.dest for o in signature.options] == ["seed", "name", "rate", "kind", "names", "amp", "limit"]
    assert option(signature, "name").required and option(signature, "rate").help == "The rate."
    assert option(signature, "kind").choices == ("a", "b") and option(signature, "names").nargs == "+"
    assert option(signature, "amp").nargs == "?" and option(signature, "amp").type == "bool"
    assert option(signature, "limit").type == "int" and not option(signature, "limit").required


def test_tyro(script: Script, option: Find) -> None:
    config = "@dataclass\nclass Config:\n    model: Model\n    steps: int = 3\n    fast: bool = False\n"
    signature = script(f"{DATACLASSES}import tyro\n{config}config = tyro.cli(Config)\n")
    assert option(signature, "model.rate").flags == ("--model.rate",)
    assert option(signature, "fast").negative_flags == ("--no-fast", "--no_fast")


def test_hydra(repository: Make, option: Find) -> None:
    reader = repository({
        "train.py": """
        import hydra
        @hydra.main(version_base=None, config_path="conf", config_name="config")
        def main(cfg): ...
        if __name__ == "__main__":
            main()
        """,
        "conf/config.yaml": """
        defaults:
          - _self_
          - model: small
        lr: 0.1
        data:
          path: ???
          shuffle: true
        hydra:
          run:
            dir: x
        """,
        "conf/model/small.yaml": "width: 8\n",
        "conf/model/large.yaml": "width: 80\n",
    })  # fmt: skip
    (signature,) = reader.read("train.py")
    assert signature.syntax == "overrides" and not signature.accepts_unknown
    assert {o.dest for o in signature.options} == {"model", "model.width", "lr", "data.path", "data.shuffle"}
    assert option(signature, "model").choices == ("large", "small") and option(signature, "model").default == "small"
    assert option(signature, "data.path").required and option(signature, "lr").type == "float"


def test_omegaconf(repository: Make) -> None:
    reader = repository({
        "main.py": """
        from omegaconf import OmegaConf
        base = OmegaConf.load("config.yaml")
        conf = OmegaConf.merge(base, OmegaConf.from_cli())
        """,
        "config.yaml": "lr: 1\nnet: {depth: 3}\n",
    })  # fmt: skip
    (signature,) = reader.read("main.py")
    assert {o.dest for o in signature.options} == {"lr", "net.depth"} and signature.accepts_unknown


def test_a_script_without_arguments(script: Script) -> None:
    signature = script("'''Demo.'''\nprint('hello')\n")
    assert signature.framework == "none" and signature.doc == "Demo." and signature.options == ()


def test_shell(repository: Make, option: Find) -> None:
    reader = repository({
        "run.sh": """
        #!/bin/bash
        # Trains the model.
        DATA=$1
        epochs=${2:-10}
        awk '{print $7}' x
        python train.py --data $DATA \\
          --epochs $epochs
        """,
        "opts.sh": """
        while getopts "a:vh" opt; do
          case $opt in a) A=$OPTARG;; esac
        done
        """,
    })  # fmt: skip
    (run,), (opts,) = reader.read("run.sh"), reader.read("opts.sh")
    assert run.kind == "shell" and run.doc == "Trains the model."
    assert [(o.dest, o.nargs, o.default) for o in run.options] == [("DATA", None, None), ("epochs", "?", "10")]
    assert run.calls == ("python train.py --data $DATA    --epochs $epochs",) or "--epochs $epochs" in run.calls[0]
    assert [(o.flags, o.nargs) for o in opts.options] == [(("-a",), None), (("-v",), "0"), (("-h",), "0")]


def test_a_script_that_another_sources_is_part_of_it(repository: Make) -> None:
    reader = repository({
        "run.sh": """
        BASE="$(pwd)/$(dirname $0)"
        source $BASE/utils.sh
        if [ "" == "$EXAMPLES" ]; then echo "all, in $PLACE"; fi
        """,
        "utils.sh": "EXAMPLES=$1\n",
    })  # fmt: skip
    (run,) = reader.read("run.sh")
    assert ([one.dest for one in run.options], run.variables) == (["EXAMPLES"], (("PLACE", ""),))


def test_a_default_that_never_ends_takes_no_time_and_no_line_of_its_own(repository: Make) -> None:
    made = repository({"open.sh": "${a:-" * 20_000, "lines.sh": "echo ${NOTE:-one\ntwo} ${OTHER:-  three \t four}\n"})
    before = time.process_time()
    made.read("open.sh")
    assert time.process_time() - before < 10
    assert made.read("lines.sh")[0].variables == (("NOTE", "one"), ("OTHER", "three four"))


def test_makefile(repository: Make) -> None:
    found = repository({
        "Makefile": """
EPOCHS ?= 10
.PHONY: train
train: data
\tpython train.py --epochs $(EPOCHS)
data:
\twget x
""",
    }).read("Makefile")  # fmt: skip
    by_name = {s.name: s for s in found}
    assert set(by_name) == {"train", "data"}
    assert by_name["train"].calls == ("python train.py --epochs $(EPOCHS)",)
    assert [(o.dest, o.default) for o in by_name["train"].options] == [("EPOCHS", "10")]
