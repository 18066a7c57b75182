"""What is true of a repository as a whole, worked out once for all its folders."""

from collections.abc import Mapping
from functools import cached_property

from ml_agent.grounded.slots import seen_in
from ml_agent.matching.sentences import Mentions
from tools.index import RepoIndex
from tools.signatures.model import Option


class RepoFacts:
    """Habits of a repository: what its options are called and take, what its documents say of its files.

    Args:
        index: the repository.
    """

    def __init__(self, index: RepoIndex) -> None:
        self.index = index

    @cached_property
    def namesakes(self) -> Mapping[str, Option]:
        """By name: an option of any script; one with choices, else one with a help text."""
        found: dict[str, Option] = {}
        for signatures in self.index.signatures.values():
            for option in (option for signature in signatures for option in signature.options):
                known = found.get(option.dest)
                if known is None or (bool(option.choices), bool(option.help)) > (bool(known.choices), bool(known.help)):
                    found[option.dest] = option
        return found

    @cached_property
    def mentions(self) -> Mentions:
        """The sentences that name files."""
        return Mentions(self.index.passages)

    @cached_property
    def texts(self) -> Mapping[str, frozenset[str]]:
        """By parameter: the texts that Python examples give it."""
        return seen_in((example for example in self.index.examples if example.kind == "python"), self.index.api)
