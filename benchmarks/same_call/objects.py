"""Whether the calls of two answers work on the same objects: made by the same call, and with the same done to them before."""

from collections.abc import Callable, Collection, Iterator, Sequence
from typing import Any

from ml_agent.benchmarks.same_call.model import CodeCall
from ml_agent.benchmarks.same_call.values import is_unknown

SELF = "self"
"""The name of what a call is made on."""
Agree = Callable[[CodeCall, CodeCall], bool]
"""Whether two calls have the same name and values."""


class Calls:
    """The repository's calls of one answer.

    Args:
        calls: all that were seen.
        alone: names of functions that are called for what they do.
        idle: whether a call does nothing to an object.
    """

    def __init__(self, calls: Sequence[CodeCall], alone: Collection[str], idle: Callable[[CodeCall], bool]) -> None:
        self.calls = [c for c in calls if c.own]
        self.alone, self.idle = alone, idle
        self.made = {c.number: c for c in self.calls}

    def holds(self, objects: Sequence[int]) -> set[int]:
        """Objects, and what their constructors were given."""
        found: set[int] = set()
        rest = list(objects)
        while rest:
            number = rest.pop()
            call = self.made.get(number)
            if number not in found:
                found.add(number)
                rest += [n for given in call.objects.values() for n in given] if call and call.constructs else []
        return found

    def changes(self, call: CodeCall, number: int) -> bool:
        """Whether a call may change an object: it is made on it, gives it back, or is made for what it does."""
        if call.constructs or self.idle(call):
            return False
        if number in call.gives or number in self.holds(call.objects.get(SELF, ())):
            return True
        given = [n for objects in call.objects.values() for n in objects]
        return name_of(call) in self.alone and number in self.holds(given)

    def done_to(self, number: int, call: CodeCall) -> Iterator[CodeCall]:
        """Other functions' calls that may change an object."""
        return (c for c in self.calls if c.name != call.name and self.changes(c, number))


class Objects:
    """Compares the objects of two answers' calls.

    Args:
        reference: the calls of the reference.
        candidate: those of the answer.
        agree: whether two calls say the same, their objects apart.
    """

    def __init__(self, reference: Calls, candidate: Calls, agree: Agree) -> None:
        self.reference, self.candidate, self.agree = reference, candidate, agree
        self._known: dict[tuple[int, int], bool] = {}

    def odd_call(self) -> CodeCall | None:
        """A call of the reference that the answer makes with the same values, but on other objects, or before what must precede it."""
        for wanted in self.reference.calls:
            twins = [c for c in self.candidate.calls if self.agree(wanted, c)]
            if twins and not self.reference.idle(wanted) and not any(self.alike(wanted, c) for c in twins):
                return wanted
        return None

    def alike(self, wanted: CodeCall, got: CodeCall) -> bool:
        """Whether two calls say the same of the same objects."""
        key = (wanted.number, got.number)
        if key not in self._known:
            self._known[key] = True  # what depends on itself agrees
            self._known[key] = self.agree(wanted, got) and all(
                self._same_objects(wanted, got, name) for name in wanted.objects
            )
        return self._known[key]

    def _same_objects(self, wanted: CodeCall, got: CodeCall, name: str) -> bool:
        first, second = wanted.objects[name], got.objects.get(name, ())
        if not second:
            made = any(self.reference.made[n].constructs for n in first if n in self.reference.made)
            return not made and not _is_no_object(got.arguments.get(name))
        return all(any(self._same_object(wanted, n, got, m) for m in second) for n in first)

    def _same_object(self, wanted: CodeCall, first: int, got: CodeCall, second: int) -> bool:
        one, other = self.reference.made.get(first), self.candidate.made.get(second)
        if one is None or other is None:
            return True
        if first >= wanted.number or second >= got.number:
            return True  # it was made again and again: a later one stands for all
        return self.alike(one, other) and self._same_past(wanted, first, got, second)

    def _same_past(self, wanted: CodeCall, first: int, got: CodeCall, second: int) -> bool:
        """Whether the same was done to an object before it is used: all that the reference does, and nothing that it does elsewhere or later."""
        before = [c for c in self.reference.done_to(first, wanted) if c.again < wanted.number]
        done = [c for c in self.candidate.done_to(second, got) if c.number < got.again]
        if not all(any(self.alike(c, d) for d in done) for c in before):
            return False
        early = [d for d in done if not any(self.agree(d, e) and e.again > got.number for e in self.candidate.calls)]
        known = [d for d in early if any(self.agree(c, d) for c in self.reference.calls)]
        past = [c for c in self.reference.done_to(first, wanted) if c.number < wanted.again]
        return all(any(self.agree(c, d) for c in past) for d in known)


def name_of(call: CodeCall) -> str:
    """The name of a call without what it belongs to."""
    return call.name.removesuffix(".__init__").rpartition(".")[2].removesuffix("()")


def _is_no_object(value: Any) -> bool:
    """Whether a value is none at all or plain text, which nobody makes of an object."""
    return (value is None or isinstance(value, str)) and not is_unknown(value)
