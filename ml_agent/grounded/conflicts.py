"""Functions in an example whose siblings the user speaks of: `load_mnist` where the wording has "letters" and there is a `load_letters`."""

from collections.abc import Iterator, Sequence

from ml_agent.grounded.literals import literals
from ml_agent.grounded.wording import content, said, split
from ml_agent.values.lexicon import words
from tools.python_api.index import ApiIndex
from tools.python_api.model import ApiObject

_TELLING = 4


def sibling_conflicts(code: str, instruction: str, api: ApiIndex, workdir: str) -> int:
    """How many functions and classes of the repository the code uses where the user names another of the same family.

    Args:
        code: of the example.
        instruction: what the user wrote.
        api: of the repository.
        workdir: folder from which the code runs.
    """
    spoken = content(instruction)
    used = {literal.text for literal in literals(code) if literal.kind == "name"}
    objects = [found for name in sorted(used) if isinstance(found := api.resolve(name, workdir), ApiObject)]
    shown = {found.name.rpartition(".")[2] for found in objects}
    return sum(_is_in_conflict(found, shown, spoken, api) for found in objects)


def _is_in_conflict(found: ApiObject, shown: set[str], spoken: Sequence[str], api: ApiIndex) -> bool:
    name = found.name.rpartition(".")[2]
    if found.kind not in {"class", "function"} or any(said(part, spoken) for part in _telling(name)):
        return False
    return any(
        any(said(part, spoken) for part in set(_telling(other)) - set(_telling(name)))
        for other in _family(name, found, api)
        if other not in shown
    )


def _family(name: str, found: ApiObject, api: ApiIndex) -> Iterator[str]:
    """The names of the same kind in the same file that begin with the same word, "make_" for one."""
    lead, *rest = split(name)
    for module in api.facts.modules:
        if module.path == found.path and rest:
            yield from (
                item.name for item in module.definitions
                if item.kind == found.kind and item.name != name and split(item.name)[:1] == [lead] and len(split(item.name)) > 1
            )  # fmt: skip


def _telling(name: str) -> list[str]:
    """The parts of a name that tell it from its siblings; "model" says what kind of thing is named, not which one."""
    return [part for part in split(name)[1:] if len(part) >= _TELLING and part not in words("naming_nouns")]
