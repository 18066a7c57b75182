"""Many pieces of work at the same time: over processes of this machine, or over dask.distributed."""

from collections.abc import Callable, Iterator, Sequence
from typing import Generic, Protocol, TypeVar

import msgspec

Item = TypeVar("Item")
Outcome = TypeVar("Outcome")


class Work(msgspec.Struct, Generic[Item, Outcome], frozen=True, kw_only=True):
    """What to do with each item; everything in it can be sent to another process."""

    carry_out: Callable[[Item], Outcome]
    """Does the work; its own failures are outcomes, not errors."""
    lost: Callable[[Item, str], Outcome]
    """The outcome where the process that did the work died, with the reason."""
    label: Callable[[Item], str]
    """Names an item, the same in every run."""
    seconds: float | None = None
    """Wall time of one item, after which its process is ended and the item is lost."""


class Engine(Protocol):
    """Carries out work; outcomes come as they are ready, in no order."""

    def __call__(self, work: Work[Item, Outcome], items: Sequence[Item]) -> Iterator[Outcome]:
        """One outcome for each item."""
