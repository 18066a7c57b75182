"""absl and TensorFlow flags."""

from collections.abc import Callable

import pytest

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


@pytest.mark.parametrize("place", ["tf.flags", "tf.app.flags", "tf.compat.v1.flags"])
def test_tensorflow_1_parses_known_flags_only(script: Script, place: str) -> None:
    signature = script(f"""
import tensorflow as tf
flags = {place}
{DEFINITIONS}
if __name__ == "__main__":
    flags.mark_flag_as_required("data_dir")
    flags.mark_flag_as_required("lr")  # has a default, which is given
    tf.app.run()
""")
    assert signature.accepts_unknown and len(signature.options) == 7
    assert [o.dest for o in signature.options if o.required] == ["data_dir"]


def test_flags_of_imported_modules_belong_to_it(script: Script) -> None:
    signature = script(
        """
        from absl import app, flags
        import common
        flags.DEFINE_string("own", "", "")
        def main(argv): ...
        app.run(main)
        """,
        common="""
        from absl import flags
        from deeper import X
        flags.DEFINE_string("shared", "", "")
        """,
        deeper="""
        from absl import flags
        X = flags.DEFINE_integer("deep", 1, "")
        """,
    )
    assert {o.dest for o in signature.options} == {"own", "shared", "deep"}


def test_values_tested_by_hand_through_flags(repository: Callable[..., object]) -> None:
    reader = repository({
        "main.py": """
        import tensorflow as tf
        flags = tf.flags
        FLAGS = flags.FLAGS
        flags.DEFINE_string("task_name", None, "")
        def main(_):
            processors = {"cola": 1, "mnli": 2}
            task_name = FLAGS.task_name.lower()
            if task_name not in processors:
                raise ValueError(task_name)
        if __name__ == "__main__":
            tf.app.run()
        """
    })  # fmt: skip
    (signature,) = reader.tested("main.py")  # type: ignore[attr-defined]
    assert signature.options[0].accepted == ("cola", "mnli") and signature.options[0].accepted_fold == "lower"


def test_a_program_with_a_parser_of_its_own_takes_what_that_takes(script: Script) -> None:
    signature = script("""
from absl import app, flags
from elsewhere import parse
flags.DEFINE_string("log", "x", "Where to write.")
def main(_):
    pass
if __name__ == "__main__":
    app.run(main, flags_parser=parse)
""")
    assert signature.accepts_unknown and [one.name for one in signature.unseen] == ["a parser of its own"]
    told = parse_call(signature, ["cloud", "--dry_run", "job.py"]).findings
    assert {one.severity for one in told} == {"unsure"}


def test_an_argparse_parser_that_absl_runs_is_read(script: Script) -> None:
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
    assert signature.framework == "argparse" and signature.whole
    assert {option.dest for option in signature.options} == {"lmbda", "log"}
    assert not parse_call(signature, ["--lmbda", "0.1", "--log=y"]).findings
    assert {one.code for one in parse_call(signature, ["--lambda", "0.1"]).findings} == {"unknown-option"}


def test_flags_that_an_imported_module_defines_in_a_block(script: Script) -> None:
    signature = script(
        """
        from absl import app, flags
        import settings
        flags.DEFINE_integer("steps", 10, "How many.")
        app.run(print)
        """,
        settings="""
        from absl import flags
        try:
            flags.DEFINE_string("data_dir", None, "Where the data is.")

            flags.DEFINE_list("places", [], "Where to look.")
        except flags.DuplicateFlagError:
            pass
        if __name__ == "__main__":
            flags.DEFINE_string("alone", None, "Only where this file is run.")
        """,
    )
    assert [one.dest for one in signature.options] == ["data_dir", "places", "steps"]


def test_a_level_of_logging_as_a_default(script: Script, option: Find) -> None:
    signature = script("""
        import logging as of_python
        from absl import app, flags, logging
        flags.DEFINE_integer("quiet", logging.ERROR, "Level.")
        flags.DEFINE_integer("loud", of_python.INFO, "Level.")
        app.run(print)
        """)
    assert (option(signature, "quiet").default, option(signature, "loud").default) == ("-2", "20")
