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


def test_loops_constants_and_module_level_tables(script: Script, option: Find) -> None:
    signature = script("""
        import argparse, os
        MODELS = {"b": 1, "a": 2}
        NAMES = [n.upper() for n in MODELS]
        SIZES = (1, 2)
        def main():
            p = argparse.ArgumentParser()
            for name, default in [("alpha", 0.1), ("beta", 0.2)]:
                p.add_argument(f"--{name}", type=float, default=default)
            p.add_argument("--model", choices=sorted(MODELS.keys()))
            p.add_argument("--upper", choices=NAMES)
            p.add_argument("--size", type=int, choices=SIZES, default=max(SIZES))
            p.add_argument("--path", default=os.path.join("data", "x"))
            p.add_argument("--text", default="%s-%d" % ("a", 3))
            p.parse_args()
        if __name__ == "__main__":
            main()
    """)
    assert option(signature, "alpha").default == "0.1" and option(signature, "beta").default == "0.2"
    assert option(signature, "model").choices == ("a", "b")
    assert option(signature, "upper").choices == ("B", "A")
    assert option(signature, "size").choices == ("1", "2") and option(signature, "size").default == "2"
    assert option(signature, "path").default == "data/x" and option(signature, "text").default == "a-3"


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
    assert signature.exclusive == (("train", "test"),) and signature.one_of == (("train", "test"),)


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


def test_subcommands_that_loaded_modules_add_are_not_seen(repository: Callable[..., Any]) -> None:
    found = repository({
        "main.py": """
        import argparse, importlib, os
        parser = argparse.ArgumentParser()
        parser.add_argument("--verbose", action="store_true")
        commands = parser.add_subparsers(dest="command", required=True)
        for name in os.listdir("commands"):
            getattr(importlib.import_module(name), "add_subparser")(commands)
        parser.parse_args()
        """
    }).read("main.py")  # fmt: skip
    assert [(s.subcommand, s.accepts_unknown) for s in found] == [((), True)]


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
        import argparse
        class Pairs(argparse.Action):
            def __call__(self, parser, namespace, values, option_string=None):
                pass
        class Flag(argparse.Action):
            def __init__(self, option_strings, dest, **kwargs):
                super().__init__(option_strings, dest, nargs=0, **kwargs)
        parser = argparse.ArgumentParser(prefix_chars="-+")
        parser.add_argument("--amp", action=argparse.BooleanOptionalAction, default=True)
        parser.add_argument("-v", action="count", default=0)
        parser.add_argument("--tag", action="append")
        parser.add_argument("--fast", dest="mode", action="store_const", const="fast")
        parser.add_argument("--maybe", nargs="?", const="yes", default="no")
        parser.add_argument("--two", nargs=2, type=int)
        parser.add_argument("--kw", nargs="*", action=Pairs)
        parser.add_argument("--flag", action=Flag)
        parser.add_argument("+x", type=int)
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
    assert option(signature, "flag").nargs == "0"
    assert option(signature, "x").flags == ("+x",) and signature.prefix_chars == "-+"
    assert option(signature, "rest").nargs == "..." and option(signature, "hidden").default is None
    assert "version" not in {o.dest for o in signature.options}


def test_parse_known_args_accepts_unknown(script: Script) -> None:
    assert script("""
        from argparse import ArgumentParser
        parser = ArgumentParser(allow_abbrev=False)
        parser.add_argument("--x")
        args, rest = parser.parse_known_args()
    """).accepts_unknown


def test_two_stages_are_one_command_line(script: Script) -> None:
    signature = script("""
        import argparse
        first = argparse.ArgumentParser(add_help=False)
        first.add_argument("--config")
        given, remaining = first.parse_known_args()
        parser = argparse.ArgumentParser()
        parser.add_argument("--lr", type=float)
        args = parser.parse_args(remaining)
    """)
    assert {o.dest for o in signature.options} == {"config", "lr"} and not signature.accepts_unknown


def test_a_parser_handed_to_a_library_accepts_unknown(script: Script) -> None:
    signature = script("""
        import argparse
        import library
        parser = argparse.ArgumentParser()
        library.register_args(parser)
        parser.add_argument("--own")
        parser.parse_args()
    """)
    assert signature.accepts_unknown and [o.dest for o in signature.options] == ["own"]


def test_a_parser_handed_to_the_repositorys_own_package_is_followed(repository: Callable[..., Any]) -> None:
    reader = repository({
        "python/setup.py": "from setuptools import setup\nsetup(name='lib')\n",
        "python/lib/__init__.py": "from . import data\n",
        "python/lib/data/__init__.py": """
        def register(parser):
            parser.add_argument("--dataset", type=str, required=False)
        """,
        "examples/x/train.py": """
        import argparse
        import lib
        parser = argparse.ArgumentParser()
        lib.data.register(parser)
        parser.parse_args()
        """,
    })  # fmt: skip
    (signature,) = reader.read("examples/x/train.py")
    assert [o.dest for o in signature.options] == ["dataset"] and not signature.accepts_unknown


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


def test_options_of_unknown_names_make_it_open(script: Script) -> None:
    assert script("""
        import argparse, yaml
        parser = argparse.ArgumentParser()
        for key, value in yaml.safe_load(open("c.yaml")).items():
            parser.add_argument("--" + key, default=value)
        parser.parse_args()
    """).accepts_unknown


def test_words_in_the_program_are_no_command_line(script: Script) -> None:
    signature = script("""
        import argparse
        parser = argparse.ArgumentParser()
        parser.add_argument("--x")
        args = parser.parse_args(["--x", "1"])
        print(args)
    """)
    assert signature.accepts_unknown


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


def test_a_main_started_by_foreign_code_is_found(script: Script) -> None:
    signature = script("""
        import argparse
        import launcher
        def main():
            parser = argparse.ArgumentParser()
            parser.add_argument("--x")
            args = parser.parse_args()
        if __name__ == "__main__":
            launcher.spawn(main)
    """)
    assert [o.dest for o in signature.options] == ["x"]


def test_python_2_and_broken_lines_are_left_out(script: Script) -> None:
    signature = script("""
        import argparse
        parser = argparse.ArgumentParser()
        parser.add_argument("--x", type=int)
        print "python 2"
        args = parser.parse_args()
        print args
    """)
    assert [o.dest for o in signature.options] == ["x"]


def test_options_that_another_parser_has_leave_it_open(script: Script) -> None:
    signature = script("""
import argparse
from torch.distributed.run import get_args_parser
p = argparse.ArgumentParser()
p.add_argument("--lr", type=float)
for action in get_args_parser()._actions:
    p._add_action(action)
p.parse_args()
""")
    assert [o.dest for o in signature.options] == ["lr"] and signature.accepts_unknown and not signature.whole


@pytest.mark.parametrize(
    "call", ["textwrap.dedent(words)", "inspect.cleandoc(words)", "textwrap.dedent(words.format(3))"]
)
def test_a_help_text_without_its_margin_is_read(call: str, script: Script, option: Find) -> None:
    signature = script(f"""
        import argparse, inspect, textwrap
        parser = argparse.ArgumentParser()
        words = '''
            How much of it
            is kept.
        '''
        parser.add_argument("--share", help={call})
        parser.parse_args()
    """)
    assert option(signature, "share").help == "How much of it is kept."
