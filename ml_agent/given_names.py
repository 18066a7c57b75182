"""Values given by name, `--arg NAME=VALUE`: what the sentence says of the same thing, and names that nothing in a repository takes."""

import difflib
from collections.abc import Iterator, Sequence

import msgspec

from ml_agent.matching.terms import counted_terms, terms
from ml_agent.request import Value
from ml_agent.tools.index import RepoIndex
from ml_agent.values.context import purpose

_MOST_NEAR = 3


def merged(values: Sequence[Value], instruction: str) -> tuple[Value, ...]:
    """The values without those of the sentence that speak of what was also given by name: the one by name counts, alone."""
    given = [value for value in values if value.name and value.start < 0]
    return tuple(
        value for value in values if value.start < 0 or not any(_is_meant(value, one, instruction) for one in given)
    )


def _is_meant(value: Value, given: Value, instruction: str) -> bool:
    if value.name:
        return counted_terms(value.name) == counted_terms(given.name)
    wanted = counted_terms(given.name)
    said = {term for word in purpose(value, instruction) for term in terms(word)}
    return value.kind == given.kind and bool(wanted) and wanted <= said


def with_option_names(values: Sequence[Value], index: RepoIndex) -> tuple[Value, ...]:
    """The values given by name under the names that the repository's options have, where only one can be meant."""
    known = sorted(set(_of_options(index)))
    return tuple(value if value.start >= 0 or not value.name else _rename(value, known) for value in values)


def _rename(value: Value, known: Sequence[str]) -> Value:
    if value.name in known:
        return value
    meant = {
        name.replace("-", "_") for name in known if len(name) > 1 and counted_terms(name) == counted_terms(value.name)
    }
    return msgspec.structs.replace(value, name=meant.pop()) if len(meant) == 1 else value


def unknown_names(names: Sequence[str], index: RepoIndex) -> str:
    """What is wrong with names that no option and no parameter of the repository has, with the nearest; "" where nothing is.

    A name counts as known where all its terms are those of an option (`epochs` of `--n_epochs`, `learning-rate` of `--lr`). Where not
    every option can be seen (a registry, a configuration, a library's class), or nothing takes options, nothing can be said.
    """
    signatures = [signature for several in index.signatures.values() for signature in several]
    if not names or not signatures or any(signature.unseen for signature in signatures):
        return ""
    known = sorted(set(_known_names(index)))
    taken = [counted_terms(name) for name in known]
    wrong = [name for name in names if name not in known and not any(counted_terms(name) <= one for one in taken)]
    return "; ".join(f"--arg {name}: no option here has that name{_near(name, known)}" for name in wrong)


def _known_names(index: RepoIndex) -> Iterator[str]:
    """Names of options, then of the parameters of classes and functions."""
    yield from _of_options(index)
    for item in index.api.objects:
        yield from (parameter.name for parameter in index.api.whole(item).parameters)


def _of_options(index: RepoIndex) -> Iterator[str]:
    for several in index.signatures.values():
        for signature in several:
            for option in signature.options:
                yield from (option.dest, *(flag.lstrip("-") for flag in option.flags))


def _near(name: str, known: Sequence[str]) -> str:
    found = difflib.get_close_matches(name, known, n=_MOST_NEAR, cutoff=0.6)
    return f"; the nearest are {', '.join(found)}" if found else ""
