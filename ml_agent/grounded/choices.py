"""What an answer can be made from: usage examples and bare entry points, and how well each fits the wording."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import PurePosixPath
from typing import Literal

import msgspec

from ml_agent.grounded.literals import texts_by_parameter
from ml_agent.matching.retrieval import is_side
from ml_agent.matching.sentences import FileSentences
from ml_agent.matching.terms import canonical
from ml_agent.tools.examples import Example
from ml_agent.tools.index import RepoIndex
from ml_agent.tools.remember import remembered
from ml_agent.tools.retrieval import Bm25Index, tokenize
from ml_agent.tools.signatures.model import Option, Signature
from ml_agent.values.lexicon import words

_DOCUMENTS = (".md", ".rst", ".ipynb", ".txt")
_GLUED = re.compile(r"([a-z]{3,})-?v?(\d[\d.]*)")
_LONGEST_EXAMPLE = 4_000


class Choice(msgspec.Struct, frozen=True, kw_only=True):
    """One thing an answer can be made from."""

    kind: Literal["bash", "python"]
    signature: Signature | None = None
    example: Example | None = None
    """None for a bare entry point."""
    fit: float = 0.0
    """How well it fits the wording, 0 to 1."""

    @property
    def path(self) -> str:
        """The entry point, or the document of a Python example."""
        return self.signature.path if self.signature is not None else self.example.path if self.example else ""


class ChoiceIndex:
    """All choices below a folder of a repository, searchable; and what the whole repository says of options, files and parameters.

    Args:
        index: the repository.
        scope: folder, relative to the root; "." for all.
    """

    def __init__(self, index: RepoIndex, scope: str = ".") -> None:
        self._index = index
        self._scope = PurePosixPath(scope)

    @cached_property
    def choices(self) -> tuple[Choice, ...]:
        """Every choice: bare entry points, commands, Python blocks."""
        return (*self._bare(), *self._commands(), *self._blocks())

    @cached_property
    def namesakes(self) -> Mapping[str, Option]:
        """By name: an option of any script; one with choices, else one with a help text."""
        found: dict[str, Option] = {}
        for signatures in self._index.signatures.values():
            for option in (option for signature in signatures for option in signature.options):
                known = found.get(option.dest)
                if known is None or (bool(option.choices), bool(option.help)) > (bool(known.choices), bool(known.help)):
                    found[option.dest] = option
        return found

    @cached_property
    def sentences(self) -> FileSentences:
        """The sentences that name files."""
        return FileSentences(self._index.passages)

    @cached_property
    def texts(self) -> Mapping[str, frozenset[str]]:
        """By parameter: the texts that Python examples give it."""
        return texts_by_parameter(
            (example for example in self._index.examples if example.kind == "python"), self._index.api
        )

    def ranked(self, query: Sequence[str], most: int) -> list[Choice]:
        """The choices that fit a query best, best first, each with its fit relative to the best one."""
        hits = self._bm25.top(list(query), most)
        best = hits[0].score if hits else 1.0
        ranked = [msgspec.structs.replace(self.choices[hit.position], fit=hit.score / best) for hit in hits]
        found = {hit.position for hit in hits}
        rest = (choice for place, choice in enumerate(self.choices) if place not in found)
        return [*ranked, *rest][:most]

    @cached_property
    def _bm25(self) -> Bm25Index:
        return Bm25Index([search_words(self._text(choice)) for choice in self.choices])

    def _text(self, choice: Choice) -> str:
        shown_in = choice.example.path if choice.example is not None else choice.path
        parts = [choice.path.replace("/", " "), *self.sentences.of(shown_in)]
        if not shown_in.endswith(_DOCUMENTS):
            parts += self.sentences.headings(shown_in)
        if choice.example is not None:
            example = choice.example
            parts += [*example.headings[-3:], *example.headings[-1:]]
            parts += [example.introduction, example.path, example.text[:_LONGEST_EXAMPLE]]
        if choice.signature is not None:
            stem = PurePosixPath(choice.path).stem
            parts += [stem, choice.signature.name, *choice.signature.subcommand, choice.signature.doc]
            if choice.example is None:
                parts += [
                    f"{option.dest} {' '.join(option.choices)} {option.help}" for option in choice.signature.options
                ]
        return "\n".join(parts)

    def _bare(self) -> Iterator[Choice]:
        for path, signatures in self._index.signatures.items():
            if self._inside(path) and not is_side(path):
                yield from (Choice(kind="bash", signature=signature) for signature in signatures)

    def _commands(self) -> Iterator[Choice]:
        for example in self._index.examples:
            if example.kind != "bash" or not example.entry:
                continue
            inside = self._inside(example.entry) or self._inside(example.workdir or ".")
            signature = self._signature(example) if inside else None
            if signature is not None:
                yield Choice(kind="bash", signature=signature, example=example)

    def _signature(self, example: Example) -> Signature | None:
        """The signature of an example's entry point; of the subcommand that it calls where there are several."""
        signatures = self._index.signatures.get(example.entry, ())
        said = example.text.split()
        fitting = [one for one in signatures if all(word in said for word in one.subcommand)]
        return max(fitting, key=lambda one: len(one.subcommand), default=None)

    def _blocks(self) -> Iterator[Choice]:
        for example in self._index.examples:
            if example.kind == "python" and self._inside(example.path):
                yield Choice(kind="python", example=example)

    def _inside(self, path: str) -> bool:
        return self._scope == PurePosixPath(".") or PurePosixPath(path).is_relative_to(self._scope)


def search_words(text: str) -> list[str]:
    """The words of a text in their common forms, without those that mean nothing for the choice."""
    return [word for token in tokenize(text) for word in _common_forms(token)]


@remembered(50_000)
def _common_forms(token: str) -> tuple[str, ...]:
    meant = (word for word in (token, *_token_variants(token)) if word not in words("stop") | words("politeness"))
    return tuple(map(canonical, meant))


def _token_variants(token: str) -> list[str]:
    """ "squad2.0" is also "squad" and "2.0"; a hyphenated word is also its parts in one."""
    match = _GLUED.fullmatch(token)
    if match is not None:
        return [match[1], match[2]]
    return [token.replace("-", "")] if "-" in token else []


def query_of(instruction: str, names: Iterable[str]) -> list[str]:
    """The words of a query: the instruction's, the names in it with more weight."""
    return search_words(instruction) + 2 * [canonical(word.lower()) for name in names for word in name.split()]
