"""Shared by the recorders: how a run ends, and how values are written down."""

import shlex

from stubrun import stubs


class Stop(BaseException):
    """Ends the script at the place that was wanted; not an Exception, so that a script's own handlers let it pass."""

    def __init__(self, status, message=""):
        super().__init__(status)
        self.status = status
        self.message = message


class Log:
    """What was seen so far."""

    def __init__(self, mode):
        self.mode = mode
        self.parsers = []
        self.made = []
        self.namespace = None
        self.unknown = []
        self.parsed = False


def known(value):
    """Whether a value holds nothing of a stub."""
    if isinstance(value, (stubs.Stub, stubs.StubBase)):
        return False
    if isinstance(value, (list, tuple, set, frozenset)):
        return all(known(v) for v in value)
    return True


def typed(value):
    """A default as it would be typed; None where there is none."""
    if value is None or not known(value):
        return None
    if isinstance(value, (list, tuple)):
        return " ".join(shlex.quote(str(v)) for v in value)
    return str(value)


def plain(value, depth=0):
    """A JSON-able picture of a parsed value."""
    if isinstance(value, float) and (value != value or value in (float("inf"), float("-inf"))):
        return str(value)  # JSON has no word for it
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    if isinstance(value, (list, tuple)) and depth < 3:
        return [plain(v, depth + 1) for v in value]
    return str(value)[:500]
