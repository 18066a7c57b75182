"""absl and TensorFlow flags."""

from collections.abc import Callable

from ml_agent.tools.commandline.words import parse_call
from ml_agent.tools.signatures.model import Option, Signature

Script = Callable[..., Signature]
Find = Callable[[Signature, str], Option]

DEFINITIONS = """
flags.DEFINE_string("data_dir", None, "Where the data is.")
flags.DEFINE_integer("steps", 10, "How many.", short_name="s")
flags.DEFINE_bool("do_train", False, "Train.")
flags.DEFINE_enum("mode", "a", ["a", "b"], "Mode.")
flags.DEFINE_float("lr", 5e-5, "Rate.")
flags.DEFINE_list("names", ["x", "y"], "Names.")
flags.DEFINE_multi_integer("sizes", None, "Sizes.")
"""


def test_absl(script: Script, option: Find) -> None:
    signature = script(f"""
from absl import app, flags
FLAGS = flags.FLAGS
{DEFINITIONS}
flags.mark_flag_as_required("data_dir")
def main(_):
    pass
if __name__ == "__main__":
    app.run(main)
""")
    assert signature.framework == "absl" and signature.syntax == "absl" and not signature.accepts_unknown
    assert option(signature, "data_dir").required and option(signature, "steps").flags == ("-s", "--steps")
    train = option(signature, "do_train")
    assert (train.nargs, train.negative_flags, train.default) == ("?bool", ("--nodo_train",), "False")
    assert option(signature, "mode").choices == ("a", "b") and option(signature, "mode").help == "Mode."
    assert option(signature, "names").default == "x,y" and option(signature, "sizes").repeatable
    assert option(signature, "lr").default == "5e-05"


def test_a_parser_of_its_own_that_absl_runs_is_left_open(script: Script) -> None:
    signature = script("""
from absl import app, flags
from absl.flags import argparse_flags
flags.DEFINE_string("log", "x", "Where to write.")
def parse(argv):
    parser = argparse_flags.ArgumentParser()
    parser.add_argument("--lmbda", type=float, default=0.01)
    return parser.parse_args(argv[1:])
def main(args):
    print(args.lmbda)
if __name__ == "__main__":
    app.run(main, flags_parser=parse)
""")
    assert [one.name for one in signature.unseen] == ["a parser of its own"] and signature.accepts_unknown
    assert [one.severity for one in parse_call(signature, ["--lmbda=0.1", "--log=y"]).findings] == ["unsure"]
