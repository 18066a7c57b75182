"""argparse signatures: every way in which a parser is commonly built."""

from collections.abc import Callable
from typing import Any

import pytest

from ml_agent.tools.signatures.model import Option, Signature

Script = Callable[..., Signature]
Find = Callable[[Signature, str], Option]


def test_plain_options(script: Script, option: Find) -> None:
    signature = script("""
        '''Train a model.

        More words.
        '''
        import argparse
        parser = argparse.ArgumentParser()
        parser.add_argument("-b", "--batch-size", type=int, default=32, help="size of  a batch, %(default)s")
        parser.add_argument("--lr", type=float, required=True)
        parser.add_argument("--model", choices=["gcn", "gat"], default="gcn")
        parser.add_argument("--cuda", action="store_true")
        parser.add_argument("--no-bias", dest="bias", action="store_false")
        parser.add_argument("data")
        parser.add_argument("rest", nargs="*")
        args = parser.parse_args()
    """)
    assert signature.framework == "argparse" and not signature.accepts_unknown and signature.doc == "Train a model."
    batch = option(signature, "batch_size")
    assert (batch.flags, batch.type, batch.default, batch.nargs) == (("-b", "--batch-size"), "int", "32", None)
    assert batch.help == "size of a batch, 32" and batch.line == 8 and batch.path == "main.py"
    assert option(signature, "lr").required and option(signature, "lr").type == "float"
    assert option(signature, "model").choices == ("gcn", "gat")
    cuda, bias = option(signature, "cuda"), option(signature, "bias")
    assert (cuda.switch, cuda.switch_value, cuda.default) == (True, "True", "False")
    assert (bias.flags, bias.switch_value, bias.default) == (("--no-bias",), "False", "True")
    assert option(signature, "data").positional and option(signature, "data").required
    assert option(signature, "rest").nargs == "*" and not option(signature, "rest").required
    assert all(o.sure for o in signature.options)


def test_parser_built_in_other_files_by_classes_and_star_imports(script: Script, option: Find) -> None:
    signature = script(
        """
        from options.train import TrainOptions
        opt = TrainOptions().parse()
        """,
        options__base="""
        import argparse
        from consts import *
        class BaseOptions():
            def __init__(self):
                self.parser = argparse.ArgumentParser()
                self.initialized = False
            def initialize(self):
                self.parser.add_argument('--name', default=DEFAULT_NAME)
                self.initialized = True
            def parse(self):
                if not self.initialized:
                    self.initialize()
                self.opt = self.parser.parse_args()
                return self.opt
        """,
        options__train="""
        from .base import BaseOptions
        class TrainOptions(BaseOptions):
            def initialize(self):
                BaseOptions.initialize(self)
                self.parser.add_argument('--niter', type=int, default=10)
        """,
        consts="""
        DEFAULT_NAME = 'experiment' + '_1'
        """,
    )
    assert [o.dest for o in signature.options] == ["name", "niter"]
    assert option(signature, "name").default == "experiment_1"
    assert option(signature, "name").path == "options/base.py"


def test_groups_parents_and_set_defaults(script: Script, option: Find) -> None:
    signature = script("""
        import argparse
        common = argparse.ArgumentParser(add_help=False)
        common.add_argument("--seed", type=int, default=0)
        parser = argparse.ArgumentParser(parents=[common])
        group = parser.add_argument_group("training")
        group.add_argument("--epochs", type=int, default=5)
        either = parser.add_mutually_exclusive_group(required=True)
        either.add_argument("--train", action="store_true")
        either.add_argument("--test", action="store_true")
        parser.set_defaults(epochs=7, seed=3)
        parser.parse_args()
    """)
    assert option(signature, "epochs").default == "7" and option(signature, "seed").default == "3"
    assert signature.exclusive == (("train", "test"),)


def test_subcommands_are_signatures_of_their_own(repository: Callable[..., Any]) -> None:
    found = repository({
        "main.py": """
        import argparse
        parser = argparse.ArgumentParser()
        parser.add_argument("--verbose", action="store_true")
        commands = parser.add_subparsers(dest="command", required=True)
        train = commands.add_parser("train", help="train it")
        train.add_argument("--lr", type=float)
        test = commands.add_parser("test")
        test.add_argument("checkpoint")
        parser.parse_args()
        """
    }).read("main.py")  # fmt: skip
    assert [s.subcommand for s in found] == [("train",), ("test",)]
    assert [(o.dest, o.level) for o in found[0].options] == [("verbose", 0), ("lr", 1)]
    assert found[0].doc == "train it"


@pytest.mark.parametrize(
    ("converter", "expected"),
    [
        ("int", "int"),
        ("float", "float"),
        ("str2bool", "bool"),
        ("lambda x: x.lower() == 'true'", "bool"),
        ("lambda s: [int(i) for i in s.split(',')]", "json"),
        ("lambda x: int(float(x))", "int"),
        ("str.lower", "str"),
        ("json.loads", "json"),
        ("pathlib.Path", "path"),
        ("argparse.FileType('r')", "path"),
        ("upper", "str"),
        ("np.float32", "unknown"),
    ],
)
def test_types(script: Script, option: Find, converter: str, expected: str) -> None:
    signature = script(f"""
        import argparse, json, pathlib
        import numpy as np
        def str2bool(v):
            if isinstance(v, bool):
                return v
            if v.lower() in ('yes', 'true', 't', 'y', '1'):
                return True
            elif v.lower() in ('no', 'false', 'f', 'n', '0'):
                return False
            raise argparse.ArgumentTypeError('Boolean value expected.')
        def upper(text):
            return text.upper()
        parser = argparse.ArgumentParser()
        parser.add_argument("--x", type={converter})
        parser.parse_args()
    """)
    assert option(signature, "x").type == expected


def test_unusual_actions(script: Script, option: Find) -> None:
    signature = script("""
        import argparse, configargparse
        class Pairs(argparse.Action):
            def __call__(self, parser, namespace, values, option_string=None):
                pass
        class Flag(argparse.Action):
            def __init__(self, option_strings, dest, **kwargs):
                super().__init__(option_strings, dest, nargs=0, **kwargs)
        class Old(configargparse.Action):
            def __init__(self, option_strings, dest, **kwargs):
                super().__init__(option_strings, dest, nargs=0, **kwargs)
        parser = argparse.ArgumentParser()
        parser.add_argument("--amp", action=argparse.BooleanOptionalAction, default=True)
        parser.add_argument("-v", action="count", default=0)
        parser.add_argument("--tag", action="append")
        parser.add_argument("--fast", dest="mode", action="store_const", const="fast")
        parser.add_argument("--maybe", nargs="?", const="yes", default="no")
        parser.add_argument("--two", nargs=2, type=int)
        parser.add_argument("--kw", nargs="*", action=Pairs)
        parser.add_argument("--flag", action=Flag)
        parser.add_argument("--old", action=Old)
        parser.add_argument("--rest", nargs=argparse.REMAINDER)
        parser.add_argument("--version", action="version", version="1")
        parser.add_argument("--hidden", default=argparse.SUPPRESS)
        parser.parse_args()
    """)
    amp = option(signature, "amp")
    assert (amp.flags, amp.negative_flags, amp.nargs) == (("--amp",), ("--no-amp",), "0")
    assert option(signature, "v").repeatable and option(signature, "v").type == "int"
    assert option(signature, "tag").repeatable
    assert option(signature, "mode").switch_value == "fast"
    assert option(signature, "maybe").nargs == "?" and option(signature, "maybe").switch_value == "yes"
    assert option(signature, "two").nargs == "2" and option(signature, "kw").nargs == "*"
    assert option(signature, "flag").nargs == option(signature, "old").nargs == "0"
    assert option(signature, "rest").nargs == "..." and option(signature, "hidden").default is None
    assert option(signature, "version").ends


def test_what_cannot_be_followed_is_not_sure(script: Script, option: Find) -> None:
    signature = script("""
        import argparse, torch, os
        parser = argparse.ArgumentParser()
        parser.add_argument("--gpus", type=int, default=torch.cuda.device_count())
        parser.add_argument("--names", choices=os.listdir("."))
        if torch.cuda.is_available():
            parser.add_argument("--device")
        parser.parse_args()
    """)
    assert not option(signature, "gpus").sure and option(signature, "gpus").default is None
    assert not option(signature, "names").sure and not option(signature, "device").sure


def test_a_library_module_is_no_entry_point(repository: Callable[..., Any]) -> None:
    reader = repository({
        "lib.py": """
        import argparse
        def get_args():
            parser = argparse.ArgumentParser()
            parser.add_argument("--x")
            return parser.parse_args()
        """
    })  # fmt: skip
    assert reader.read("lib.py") == ()
    assert [o.dest for s in reader.parsers("lib.py") for o in s.options] == ["x"]
