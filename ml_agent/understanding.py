"""What a request wants, read without a model: its values, which kind of answer, what it is about."""

import difflib
import re
from collections.abc import Iterator, Sequence
from typing import Literal

import msgspec

from ml_agent.navigator import Given
from ml_agent.request import Request, Value, check_instruction
from ml_agent.terms import counted_terms, terms
from ml_agent.tools.candidates import Candidate
from ml_agent.tools.index import RepoIndex
from ml_agent.user_values import purpose, user_values

_MOST_KEYWORDS, _MOST_NEAR = 12, 3
_PYTHON = re.compile(
    r"(?<![.\w])py(?:\s+\w+)?:|(?<![\w/.-])python\b(?!/|\.\w|\s*(?:\d[\d.]*|commands?\b|scripts?\b|-m\b|packages?\b|environments?\b|implementations?\b))",
    re.IGNORECASE,
)
_BASH = re.compile(
    r"\b(?:shell|bash|terminal|command line|command-line|cli)\b|\b(?:the|a|exact|single|right) command\b|(?<![^\s`(])--?[A-Za-z]",
    re.IGNORECASE,
)
_AS_CODE = re.compile(
    r"\b(?:in|as|by|me|bit\s+of|lines\s+of)\s+code\b|^code\b|\bcode,?\s+(?:please|wanted)\b|\bsnippet\s*(?::|that\b)"
    r"|\b(?:with|write|like|want|need|give\s+me)\s+code\b(?!\s*-?bases?\b)|\b(?:write|inside)\s+a\s+script\b",
    re.IGNORECASE,
)


def understood(instruction: str, given: Given) -> Request:
    """The instruction with its values, and with keywords where a repository must be found. Raises UsageError for one that is too long."""
    check_instruction(instruction)
    named = bool(given.repository)
    return Request(
        instruction=instruction,
        keywords=() if named else keywords(instruction),
        values=without_repeated(user_values(instruction, given.arguments), instruction),
        repository=given.repository,
        path=given.path,
        prefix_code=given.prefix_code,
    )


def wanted_kind(instruction: str) -> Literal["bash", "python", "either"]:
    """The kind of answer that the wording asks for; "either" where it leaves that open ("the code", "a script")."""
    if _PYTHON.search(instruction) or _AS_CODE.search(instruction):
        return "python"
    return "bash" if _BASH.search(instruction) else "either"


def keywords(instruction: str) -> tuple[str, ...]:
    """What the instruction is about, best first: its fields, the names in it, then its other telling words."""
    from ml_agent.tools.query import read_query  # the stemmer of all languages takes 30 ms

    query = read_query(instruction)
    fields = [field[0] for field in query.fields]
    found = {word.lower(): word for word in (*fields, *query.names, *query.words)}
    return tuple(found.values())[:_MOST_KEYWORDS]


def rank(instruction: str, candidates: Sequence[Candidate]) -> list[Candidate]:
    """All candidates in descending relevance to the instruction, with their scores and reasons; those that have scores stay as they are."""
    if any(one.score for one in candidates):
        return list(candidates)
    from ml_agent.tools.query import read_query
    from ml_agent.tools.retrieval import Ranker

    found = Ranker(candidates).top(read_query(instruction), len(candidates))
    ranked = {candidate.full_name for candidate in found}
    return found + [candidate for candidate in candidates if candidate.full_name not in ranked]


def without_repeated(values: Sequence[Value], instruction: str) -> tuple[Value, ...]:
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
    return tuple(value if value.start >= 0 or not value.name else _renamed(value, known) for value in values)


def _renamed(value: Value, known: Sequence[str]) -> Value:
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
    parameters = {parameter.name for item in index.api.objects for parameter in index.api.whole(item).parameters}
    known = sorted({*_of_options(index), *parameters})
    taken = [counted_terms(name) for name in known]
    wrong = [name for name in names if name not in known and not any(counted_terms(name) <= one for one in taken)]
    return "; ".join(f"--arg {name}: no option here has that name{_nearest(name, known)}" for name in wrong)


def _of_options(index: RepoIndex) -> Iterator[str]:
    for several in index.signatures.values():
        for signature in several:
            for option in signature.options:
                yield from (option.dest, *(flag.lstrip("-") for flag in option.flags))


def _nearest(name: str, known: Sequence[str]) -> str:
    found = difflib.get_close_matches(name, known, n=_MOST_NEAR, cutoff=0.6)
    return f"; the nearest are {', '.join(found)}" if found else ""
