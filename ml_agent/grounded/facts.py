"""What is true of a repository as a whole, worked out once for all its folders."""

from collections import defaultdict
from collections.abc import Mapping
from functools import cached_property

from ml_agent.grounded.choice_words import ChoiceWords
from ml_agent.grounded.slots import seen_in
from ml_agent.matching.sentences import Mentions
from ml_agent.matching.variables import first_documented
from tools.index import RepoIndex
from tools.signatures.model import Option


class RepoFacts:
    """Habits of a repository: its shell variables, what its options are called and take, what its documents say of its files.

    Args:
        index: the repository.
    """

    def __init__(self, index: RepoIndex) -> None:
        self.index = index

    @cached_property
    def variables(self) -> Mapping[str, str]:
        """Shell variables that any document or script sets; the first one counts."""
        return first_documented(self.index.examples)

    @cached_property
    def choice_words(self) -> ChoiceWords:
        """What documents and docstrings say of choices."""
        return ChoiceWords(self.index)

    @cached_property
    def borrowed(self) -> Mapping[str, tuple[str, ...]]:
        """By option: the choices that options of this name have, where all that have any agree."""
        found: dict[str, set[tuple[str, ...]]] = defaultdict(set)
        for signatures in self.index.signatures.values():
            for option in (option for signature in signatures for option in signature.options):
                if option.choices or option.accepted:
                    found[option.dest.lower()].add(option.choices or option.accepted)
        return {dest: next(iter(several)) for dest, several in found.items() if len(several) == 1}

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
