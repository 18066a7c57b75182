"""What functools makes of functions: those with some arguments given already, and those that pass for another."""

from ml_agent.tools.signatures.machine import Machine
from ml_agent.tools.signatures.values import UNKNOWN, Arguments, Bound, Function, Method, Native, Value


class Partial(Native):
    """functools.partial."""

    def __init__(self, run: Machine, function: Value, arguments: Arguments) -> None:
        self.run = run
        self.function = function
        self.arguments = arguments

    def call(self, arguments: Arguments) -> Value:
        """Call the function with both sets of arguments."""
        first = self.arguments
        placed, named = [*first.placed, *arguments.placed], {**first.named, **arguments.named}
        both = Arguments(placed, named, first.open or arguments.open)
        both.path, both.line = arguments.path, arguments.line
        return self.run.call(self.function, both)


def call_functools(run: Machine, name: str, arguments: Arguments) -> Value:
    """What a function of functools gives; UNKNOWN for those that are not modelled."""
    if name == "partial" and arguments.placed:
        return Partial(run, arguments.placed[0], Arguments(arguments.placed[1:], arguments.named, arguments.open))
    if name == "wraps":
        wrapped = arguments.get(0, "wrapped")
        return Method(lambda given: _pass_for(given.get(0, "wrapper", UNKNOWN), wrapped))
    if name == "update_wrapper":
        return _pass_for(arguments.get(0, "wrapper", UNKNOWN), arguments.get(1, "wrapped"))
    return UNKNOWN


def _pass_for(wrapper: Value, wrapped: Value) -> Value:
    """Give a function the name of another, what decorators attached to that one, and its parameters for who asks."""
    original = wrapped.function if isinstance(wrapped, Bound) else wrapped
    if isinstance(wrapper, Function) and isinstance(original, Function) and wrapper is not original:
        wrapper.name = original.name
        wrapper.notes = original.notes or wrapper.notes
        wrapper.original = original.original
    return wrapper
