"""Functions of known libraries that make a parser or add options to one: detectron2, deepspeed."""

from ml_agent.tools.signatures.argparse_reader import Parser, as_parser
from ml_agent.tools.signatures.interpreter import Factory, Interpreter
from ml_agent.tools.signatures.known_classes import known_class
from ml_agent.tools.signatures.values import Arguments, Value


def _default_parser(run: Interpreter, name: str, arguments: Arguments) -> Value:
    """default_argument_parser(): a parser with the options of its library, to which the program may add."""
    known = known_class(name)
    if known is None:
        return run.hand_over(name, arguments)
    parser = Parser(run, arguments)
    parser.options += known.as_options()
    return parser


def _extend_parser(run: Interpreter, name: str, arguments: Arguments) -> Value:
    """deepspeed.add_config_arguments(parser)."""
    known, parser = known_class(name), as_parser(arguments.get(0, "parser"))
    if known is None or parser is None:
        return run.hand_over(name, arguments)
    parser.options += known.as_options()
    return arguments.get(0, "parser")


FACTORIES: dict[str, Factory] = {
    "detectron2.engine.default_argument_parser": _default_parser,
    "detectron2.engine.defaults.default_argument_parser": _default_parser,
    "deepspeed.add_config_arguments": _extend_parser,
}
