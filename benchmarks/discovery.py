"""How often the right repository is found from the instruction alone.

    python -m benchmarks.discovery CATALOG TASKS… [--model NAME --base-url URL --kept FILE]

Each repository counts the same (macro average). Two numbers stand beside the rate, because few repositories are ever
right: the rate with every instruction judged against the other repositories (a ranking that looks at the instruction
falls to nothing), and what the best list of five that never changes would reach.
"""

import argparse
import json
import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

import msgspec

from ml_agent.benchmarks.data import full_name
from ml_agent.budget import Budget
from ml_agent.discovery import queries
from ml_agent.finder import CatalogFinder
from ml_agent.grounded.navigator import GroundedNavigator
from ml_agent.navigator import Given
from ml_agent.settings import load_settings
from ml_agent.tools.catalog import Catalog

Find = Callable[[str], Sequence[str]]
"""From an instruction to full names, best first."""


class Task(msgspec.Struct, frozen=True):
    """What is seen of a benchmark row."""

    github: str
    instruction: str

    @property
    def repository(self) -> str:
        """OWNER/NAME in lower case."""
        return full_name(self.github).lower()


class Miss(msgspec.Struct, frozen=True):
    """An instruction whose repository was not found."""

    repository: str
    instruction: str
    found: tuple[str, ...]


class DiscoveryRates(msgspec.Struct, frozen=True, kw_only=True):
    """The result; rates are fractions from 0 to 1."""

    tasks: int
    limit: int
    rate: float
    """Of all instructions."""
    macro: float
    """Mean over repositories."""
    first: float
    """Mean over repositories, right in the first place."""
    shuffled: float
    """Macro average with every instruction judged against each other repository."""
    constant: float
    """Macro average of the best list that does not look at the instruction."""
    repositories: dict[str, float]
    misses: tuple[Miss, ...]


def measure(tasks: Sequence[Task], find: Find, limit: int = 5) -> DiscoveryRates:
    """Ask `find` for every instruction and count."""
    hits: dict[str, list[bool]] = defaultdict(list)
    firsts: dict[str, list[bool]] = defaultdict(list)
    foreign: dict[str, list[float]] = defaultdict(list)
    misses: list[Miss] = []
    names = {task.repository for task in tasks}
    for task in tasks:
        found = tuple(name.lower() for name in find(task.instruction)[:limit])
        hits[task.repository].append(task.repository in found)
        firsts[task.repository].append(found[:1] == (task.repository,))
        others = names - {task.repository}
        foreign[task.repository].append(len(others & set(found)) / len(others) if others else 0.0)
        if task.repository not in found:
            misses.append(Miss(task.repository, task.instruction, found))
    return DiscoveryRates(
        tasks=len(tasks),
        limit=limit,
        rate=_mean([hit for repository in hits.values() for hit in repository]),
        macro=_mean(map(_mean, hits.values())),
        first=_mean(map(_mean, firsts.values())),
        shuffled=_mean(map(_mean, foreign.values())),
        constant=min(limit, len(names)) / len(names) if names else 0.0,
        repositories={repository: _mean(values) for repository, values in sorted(hits.items())},
        misses=tuple(misses),
    )


def read_tasks(paths: Iterable[Path]) -> list[Task]:
    """The instructions and repositories of benchmark files (JSON Lines); nothing else of a row is looked at."""
    decoder = msgspec.json.Decoder(Task)
    return [task for path in paths for task in decoder.decode_lines(path.read_bytes())]


def in_catalog(path: Path, *, by_queries: bool = False, limit: int = 5) -> Find:
    """Search a catalogue by the instruction, or by the search queries made of it."""
    catalog = Catalog.read(path)

    def find(instruction: str) -> list[str]:
        words = queries(instruction) if by_queries else (instruction,)
        return [hit.full_name for hit in catalog.search(words, limit)]

    return find


def with_model(path: Path, model: str, base_url: str, kept: Path) -> Find:
    """Search and rank as `ml-agent solve --navigator llm` does; what was found is kept, so that a run can go on."""
    from ml_agent.llm.configured import ModelContext, configured_navigator  # openai takes half a second

    settings = load_settings(navigator="llm", model=model, base_url=base_url)
    around = ModelContext(budget=Budget(), emit=lambda *_, **__: None)
    navigator = configured_navigator(settings, GroundedNavigator(), around)
    finder = CatalogFinder(path)
    lines = kept.read_text(encoding="utf-8").splitlines() if kept.exists() else []
    known: dict[str, list[str]] = dict(json.loads(line) for line in lines)

    def find(instruction: str) -> list[str]:
        if instruction not in known:
            request = navigator.understand(instruction, Given())
            known[instruction] = [found.full_name for found in navigator.rank(request, finder.find(request))]
            with kept.open("a", encoding="utf-8") as file:
                file.write(json.dumps([instruction, known[instruction]]) + "\n")
            print(f"\r{len(known)} instructions", end="", file=sys.stderr, flush=True)
        return known[instruction]

    return find


def render(measured: DiscoveryRates) -> str:
    """The result for people."""
    lines = [
        f"{measured.tasks} instructions, right repository among the first {measured.limit}",
        f"  macro average        {measured.macro:6.1%}   (in the first place {measured.first:.1%}; of all rows {measured.rate:.1%})",
        f"  instructions swapped {measured.shuffled:6.1%}",
        f"  best constant list   {measured.constant:6.1%}",
        *(f"  {rate:6.1%}  {repository}" for repository, rate in measured.repositories.items()),
    ]
    seen = Counter(name for miss in measured.misses for name in miss.found)
    if measured.misses:
        lines += [
            "",
            f"{len(measured.misses)} misses; found instead most often: {', '.join(n for n, _ in seen.most_common(5))}",
        ]
        lines += [
            f"  {miss.repository}: {miss.instruction[:100]!r} -> {', '.join(miss.found)}" for miss in measured.misses
        ]
    return "\n".join(lines)


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description="How often the right repository is found from the instruction alone.")
    parser.add_argument("catalog", type=Path, help="catalogue of repositories (JSON Lines)")
    parser.add_argument("tasks", type=Path, nargs="+", help="benchmark rows (JSON Lines with github and instruction)")
    parser.add_argument("--limit", type=int, default=5, help="how many places count (default 5)")
    parser.add_argument("--by-queries", action="store_true", help="search by the queries made of the instruction")
    parser.add_argument("--model", help="let this model read the instruction and rank what is found")
    parser.add_argument("--base-url", default="", help="its endpoint (default: OPENAI_BASE_URL)")
    parser.add_argument(
        "--kept", type=Path, default=Path("discovery.jsonl"), help="what the model found, to go on from"
    )
    parser.add_argument("--json", action="store_true", help="print the result as JSON")
    options = parser.parse_args()
    if options.model:
        find = with_model(options.catalog, options.model, options.base_url, options.kept)
    else:
        find = in_catalog(options.catalog, by_queries=options.by_queries, limit=options.limit)
    measured = measure(read_tasks(options.tasks), find, options.limit)
    print(json.dumps(msgspec.to_builtins(measured), indent=1) if options.json else render(measured))


def _mean(values: Iterable[float]) -> float:
    numbers = list(values)
    return sum(numbers) / len(numbers) if numbers else 0.0


if __name__ == "__main__":
    main()
