"""Fit the weights of answers without a model: `python -m benchmarks.fit --repositories DIR … --rows FILE … [--write]`.

Answers without a model are chosen by linear weights (`ml_agent/offline/weights.json`) of features of five kinds: which slot a stated value fills,
whether a switch is meant, which entry point, which whole answer, and how sure to be of it. For each kind a row teaches groups of candidates of
which the reference has one, or none (`material_of`); `choice` finds the weights under which those are likeliest. What is printed is of repositories
that were held out: each fifth is answered by weights fitted on the other four. `--write` keeps weights that are fitted on all rows.
"""

import argparse
import json
import math
import posixpath
import random
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import numpy as np
from scipy.optimize import minimize  # type: ignore[import-untyped]

from ml_agent.account import called
from ml_agent.numbers import number
from ml_agent.offline import weights as shipped_weights
from ml_agent.offline.assignment import Scored, candidates, used_tokens
from ml_agent.offline.commands import ANSWER_FEATURES, Command, commands, text_of, workdir_of
from ml_agent.offline.confidence import CONFIDENCE_FEATURES, LIKELY, confidence_vector
from ml_agent.offline.entries import RepositoryFacts
from ml_agent.offline.features import VALUE_FEATURES
from ml_agent.offline.fitting import spelling_in_slot
from ml_agent.offline.ranking import ENTRY_FEATURES, EntryIndex
from ml_agent.offline.reading import KINDS, ParsedRequest, read_request
from ml_agent.offline.slots import Slot, TermWeights
from ml_agent.offline.spelled import FilledSlot, spelled_slots
from ml_agent.offline.switches import SWITCH_FEATURES, switch_evidence, switch_value
from ml_agent.offline.weights import Weights
from ml_agent.tools.commandline.shell import parse_command
from ml_agent.tools.commandline.words import parse_call
from ml_agent.tools.index import RepoIndex
from ml_agent.tools.signatures.model import Option, Signature

FOLDS, SEED = 5, 0
PENALTY = {"value": 5.0, "switch": 3.0, "entry": 5.0, "answer": 3.0, "confidence": 3.0}
RIGHT = 1.5
"""What `shared` says of a command that is the reference's."""
STAKE = {"number": 1.5, "path": 2.5, "name": 1.5, "text": 2.5, "word": 0.0, "absence": 0.0}
"""What leaving a stated value without a slot costs, as log-odds: a request states nothing in vain."""
DOUBTFUL = 0.3
"""What a row of ML-Bench counts, whose reference may leave out what was asked, or give what was not."""
_LAUNCHED = ("nproc_per_node", "num_processes", "num_gpus", "n", "np")


class Row(NamedTuple):
    """A request whose reference can be read."""

    repository: str
    group: str
    """wild, written, or ml-bench."""
    statement: ParsedRequest
    folder: str
    signature: Signature
    values: dict[str, Any]
    readable: bool
    """Whether the signature knows every word of the reference."""


class Group(NamedTuple):
    """Candidates of which one is right, or none."""

    vectors: list[list[float]]
    right: list[int]
    kind: int = 0
    weight: float = 1.0


class Material(NamedTuple):
    """What one row teaches."""

    row: Row
    values: list[Group]
    switches: list[Group]
    entry: Group | None
    entries: EntryIndex


def row_of(data: Mapping[str, Any], facts: RepositoryFacts) -> Row | None:
    """A row, read; None where its reference calls no entry point that is known."""
    folder = posixpath.normpath(data.get("path") or ".").lstrip("/") or "."
    invocations = parse_command(data["output"]).invocations
    calls = [(one, known) for one in invocations if (known := called(one, folder, facts.index)) is not None]
    if not calls:
        return None
    invocation, signature = calls[-1]
    parsed = parse_call(signature, invocation.words)
    values = parsed.values
    request = read_request(data["instruction"])
    group = "ml-bench" if "style" not in data else "wild" if int(data["github_id"]) < 200 else "written"
    return Row(facts.index.root.name, group, request, folder, signature, values, not parsed.unknown)


def same_entry(one: Signature, other: Signature) -> bool:
    """Whether two signatures are ways to call the same program."""
    places = [[(option.dest, option.path, option.line) for option in signature.options] for signature in (one, other)]
    same = one.path == other.path or (len(one.options) > 2 and places[0] == places[1])
    return one.subcommand == other.subcommand and same


def same(one: object, other: object) -> bool:
    """Whether two words mean the same value."""
    a, b = str(one), str(other)
    if number(a) is not None and number(b) is not None:
        return number(a) == number(b)
    return a.lower().rstrip("/").removeprefix("./") == b.lower().rstrip("/").removeprefix("./")


def listed(value: object) -> list[str]:
    """The words of a parsed value."""
    return [str(one) for one in (value if isinstance(value, list) else [value])]


def material_of(row: Row, index: EntryIndex) -> Material:
    """What a row teaches: each of its values with every slot of its own entry point, its switches, and which entry point it means."""
    ranked = index.ranked(row.statement)
    right = [int(same_entry(one.entry.signature, row.signature)) for one in ranked]
    entry = Group([one.vector for one in ranked], right) if any(right) else None
    own = next((one for one in index.facts.entries if one.signature == row.signature), None)
    if own is None or not row.readable:
        return Material(row, [], [], entry, index)
    weights = TermWeights(own.slots)
    taken, _ = spelled_slots(row.statement, own.slots)
    found = candidates(row.statement, own.slots, weights, taken)
    chosen, fitting = _right(found, own.slots, row.values)
    share = DOUBTFUL if row.group == "ml-bench" else 1.0
    values = [
        Group(
            [found[at].vector for at in several],
            [int(at in chosen) for at in several],
            KINDS.index(found[several[0]].candidate.mention.kind),
            share,
        )
        for several in _by_value(found, chosen, fitting)
    ]
    placed = [*taken, *(_placed(found[at]) for at in chosen)]
    return Material(row, values, list(_switch_groups(row, own.slots, weights, placed)), entry, index)


def _placed(one: Scored) -> FilledSlot:
    mention = one.candidate.mention
    return FilledSlot(one.candidate.place, (mention.value,), 1.0, (mention.start,), mention.text)


def _right(found: Sequence[Scored], slots: Sequence[Slot], values: Mapping[str, Any]) -> tuple[set[int], set[int]]:
    """The pairs that the reference has, each value once; and all that it might have."""
    fitting = {at for at, one in enumerate(found) if _fits(one, slots[one.candidate.place], values)}
    right: set[int] = set()
    spans: list[tuple[int, int]] = []
    count: Counter[int] = Counter()
    for at in sorted(fitting, key=lambda at: -_likelihood(found[at])):
        mention, place = found[at].candidate.mention, found[at].candidate.place
        full = count[place] >= len(listed(values[slots[place].option.dest]))
        if full or any(first <= mention.last and mention.first <= last for first, last in spans):
            continue
        spans.append((mention.first, mention.last))
        count[place] += len(mention.parts) or 1
        right.add(at)
    return right, fitting


def _likelihood(one: Scored) -> float:
    """Which of several pairs that fit a reference is meant: the one that the words speak for."""
    match = one.candidate.match
    return (
        one.candidate.seen.name + 0.5 * one.candidate.seen.help + (3 * match.share + 2 * match.exact if match else 0.0)
    )


def _fits(one: Scored, slot: Slot, values: Mapping[str, Any]) -> bool:
    if slot.option.dest not in values:
        return False
    words, wanted = spelling_in_slot(one.candidate.mention, slot), listed(values[slot.option.dest])
    if len(words) == len(wanted) and all(map(same, words, wanted)):
        return True
    among = slot.several and any(same(words[0], each) for each in wanted)
    return len(words) == 1 and (among or (len(wanted) > 1 and same(words[0], ",".join(wanted))))


def _by_value(found: Sequence[Scored], right: Collection[int], fitting: Collection[int]) -> Iterable[list[int]]:
    """By value the places of its pairs: the right ones, and the wrong ones that do not fit as well."""
    groups: dict[tuple[int, int], list[int]] = defaultdict(list)
    for place, one in enumerate(found):
        if place in right or place not in fitting:
            groups[one.candidate.mention.first, one.candidate.mention.last].append(place)
    return groups.values()


def _switch_groups(
    row: Row, slots: Sequence[Slot], weights: TermWeights, placed: Sequence[FilledSlot]
) -> Iterator[Group]:
    spent = used_tokens(row.statement, placed, slots)
    for place, said in switch_evidence(row.statement, slots, weights, spent, {one.slot for one in placed}):
        option = slots[place].option
        if option.dest not in row.values:
            yield Group([said.vector], [0])
            continue
        value = _as_truth(row.values[option.dest])
        if _as_truth(option.default or "") == value:
            continue
        boolean = value in {"true", "false"}
        wanted = _as_truth(switch_value(slots[place], said)) if boolean else (option.switch_value or "").lower()
        other = option.switch and boolean and (option.switch_value or value).lower() != value
        yield Group([said.vector], [int(wanted == value and not other)])


def _as_truth(value: object) -> str:
    text = str(value).lower()
    return {"1": "true", "0": "false"}.get(text, text)


def choice(groups: Sequence[Group], kinds: int, penalty: float) -> tuple[np.ndarray, float, np.ndarray]:
    """Weights under which the right candidate of each group is likeliest, "none of them" being a candidate of each kind.

    Returns: weights by feature, bias, and the score of "none" by kind.
    """
    vectors = np.array([vector for group in groups for vector in group.vectors], float)
    right = np.array([one for group in groups for one in group.right], float)
    sizes = np.array([len(group.vectors) for group in groups])
    kind, weight = np.array([group.kind for group in groups]), np.array([group.weight for group in groups])
    starts, member = np.r_[0, np.cumsum(sizes)[:-1]], np.repeat(np.arange(len(sizes)), sizes)
    mean, spread = vectors.mean(0), vectors.std(0) + 1e-6
    scaled = (vectors - mean) / spread
    count, total = scaled.shape[1], np.add.reduceat(right, starts)
    target, none = right / np.maximum(1, total)[member], (total == 0).astype(float)

    def loss(point: np.ndarray) -> tuple[float, np.ndarray]:
        scores, idle = scaled @ point[:count], point[count + kind]
        top = np.maximum(np.maximum.reduceat(scores, starts), idle)
        powers, rest = np.exp(scores - top[member]), np.exp(idle - top)
        whole = np.add.reduceat(powers, starts) + rest
        log = np.log(whole) + top
        value = -(weight[member] * target * (scores - log[member])).sum() - (weight * none * (idle - log)).sum()
        slope = np.zeros_like(point)
        slope[:count] = scaled.T @ (weight[member] * (powers / whole[member] - target)) + penalty * point[:count]
        np.add.at(slope, count + kind, weight * (rest / whole - none))
        return value + 0.5 * penalty * float((point[:count] ** 2).sum()), slope

    found = minimize(loss, np.zeros(count + kinds), jac=True, method="L-BFGS-B", options={"maxiter": 100}).x
    return found[:count] / spread, float(-(found[:count] * mean / spread).sum()), found[count:]


def fitted(material: Sequence[Material]) -> dict[str, Any]:
    """All tables but those of whole answers."""
    values, bias, none = choice([group for one in material for group in one.values], len(KINDS), PENALTY["value"])
    switch, switch_bias, idle = choice([group for one in material for group in one.switches], 1, PENALTY["switch"])
    entry, _, _ = choice([one.entry for one in material if one.entry is not None], 1, PENALTY["entry"])
    return {
        "value": _table(VALUE_FEATURES, values, bias),
        "stake": {kind: round(STAKE[kind] - float(score), 4) for kind, score in zip(KINDS, none, strict=True)},
        "switch": _table(SWITCH_FEATURES, switch, switch_bias - float(idle[0])),
        "entry": _table(ENTRY_FEATURES, entry),
        "answer": dict.fromkeys(ANSWER_FEATURES, 0.0) | {"entry": 1.0},
        "confidence": dict.fromkeys(CONFIDENCE_FEATURES, 0.0),
    }


def _table(names: Sequence[str], weights: np.ndarray, bias: float = 0.0) -> dict[str, float]:
    return {name: round(float(one), 4) for name, one in zip(names, weights, strict=True)} | {"bias": round(bias, 4)}


def shared(command: Command, row: Row) -> float:
    """Twice the options given as the reference gives them, against all that both give; 2 where nothing differs, -1 for another entry point."""
    if not same_entry(command.entry.signature, row.signature):
        return -1.0
    wanted, given = stated(row.values, row.signature), stated(command.values, row.signature)
    hits = sum(dest in given and _alike(value, given[dest]) for dest, value in wanted.items())
    size = len(wanted) + len(given)
    return 2.0 if hits == len(wanted) == len(given) and row.readable else 2 * hits / size if size else 1.0


def _alike(one: Sequence[str], other: Sequence[str]) -> bool:
    return len(one) == len(other) and all(map(same, one, other))


def stated(values: Mapping[str, Any], signature: Signature) -> dict[str, list[str]]:
    """What is given, by dest, without what is the default anyway."""
    options = {option.dest: option for option in signature.options}
    return {dest: listed(value) for dest, value in values.items() if not _is_default(options.get(dest), listed(value))}


def _is_default(option: Option | None, words: Sequence[str]) -> bool:
    if option is None:
        return False
    if option.default is not None and len(words) == 1 and same(option.default, words[0]):
        return True
    return option.switch and words == ["False"] and option.switch_value != "False" and option.default != "True"


class Answered(NamedTuple):
    """The commands for a row by weights that never saw its repository, and how each stands to the reference."""

    material: Material
    commands: list[Command]
    shared: list[float]


def of_repository(root: Path, rows: Sequence[Mapping[str, Any]], cache: Path) -> list[Material]:
    """All that the rows of one repository teach."""
    facts = RepositoryFacts(RepoIndex.open(root, f"{root.name}-fit", cache))
    indexes: dict[str, EntryIndex] = {}
    found = []
    for row in (row_of(data, facts) for data in rows):
        if row is not None:
            if row.folder not in indexes:
                indexes[row.folder] = EntryIndex(facts, row.folder)
            found.append(material_of(row, indexes[row.folder]))
    return found


def answered(material: Sequence[Material], tables: Mapping[str, Any]) -> list[Answered]:
    """The commands for each row."""
    model = Weights(tables)
    found = []
    for one in material:
        made = commands(one.row.statement, one.entries, model)
        found.append(Answered(one, made, [shared(command, one.row) for command in made]))
    return found


def folds(material: Sequence[Material]) -> Iterator[tuple[list[Material], list[Material]]]:
    """The rows of all repositories but a fifth, and those of that fifth."""
    names = sorted({one.row.repository for one in material})
    random.Random(SEED).shuffle(names)
    for fold in range(FOLDS):
        out = set(names[fold::FOLDS])
        yield [m for m in material if m.row.repository not in out], [m for m in material if m.row.repository in out]


def answer_table(held_out: Sequence[Answered]) -> dict[str, float]:
    """Weights of whole answers: the one that shares most with the reference is likeliest."""
    groups = []
    for one in held_out:
        best = max(one.shared, default=-1.0)
        if best >= 0:
            right = [int(share >= best - 1e-9) for share in one.shared]
            groups.append(Group([list(command.vector) for command in one.commands], right))
    return _table(ANSWER_FEATURES, choice(groups, 1, PENALTY["answer"])[0])


def confidence_table(judged: Sequence[tuple[list[float], bool]]) -> dict[str, float]:
    """Weights that say how likely the first answer is right, by logistic regression on rows that were held out."""
    groups = [Group([vector], [int(right)]) for vector, right in judged]
    weights, bias, idle = choice(groups, 1, PENALTY["confidence"])
    return _table(CONFIDENCE_FEATURES, weights, bias - float(idle[0]))


class Judged(NamedTuple):
    """The first answer to a row by weights that never saw its repository."""

    row: Row
    shared: float
    confidence: list[float]


def judged(one: Answered, answer: Mapping[str, float]) -> Judged | None:
    """The best command of a row by a table of answers, and how it stands to the reference; None where none was made."""
    model = shipped_weights.Linear(answer)
    scored = [msgspec.structs.replace(command, score=model(command.vector)) for command in one.commands]
    places = sorted(range(len(scored)), key=lambda at: -scored[at].score)
    if not places:
        return None
    best, row = scored[places[0]], one.material.row
    text = text_of(best, workdir_of(best, row.folder, True)) or ""
    found = [scored[at] for at in places]
    return Judged(row, one.shared[places[0]], confidence_vector(row.statement, best, text, found))


def cross_validated(material: Sequence[Material]) -> tuple[dict[str, Any], list[Judged]]:
    """Tables fitted on all rows, and the first answer to each row by tables that never saw its repository."""
    held_out = [answered(out, fitted(kept)) for kept, out in folds(material)]
    found: list[Judged] = []
    for place, several in enumerate(held_out):
        table = answer_table([one for at, others in enumerate(held_out) if at != place for one in others])
        found += [one for one in (judged(each, table) for each in several) if one is not None]
    everything = [one for several in held_out for one in several]
    confidence = confidence_table([(one.confidence, one.shared > RIGHT) for one in found if one.row.readable])
    return fitted(material) | {"answer": answer_table(everything), "confidence": confidence}, found


def report(found: Sequence[Judged], confidence: Mapping[str, float]) -> str:
    """How many rows are answered as the reference does, with the right entry point, and how many are right of those called likely."""
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    shares: dict[str, float] = defaultdict(float)
    model = shipped_weights.Linear(confidence)
    for one in found:
        likely, right = int(1 / (1 + math.exp(-model(one.confidence))) >= LIKELY), int(one.shared > RIGHT)
        counts[one.row.group].update(
            rows=1, entry=int(one.shared >= 0), right=right, likely=likely, kept=likely * right
        )
        shares[one.row.group] += max(0.0, min(1.0, one.shared))
    return "".join(
        f"{group:10} rows {c['rows']:4} entry {c['entry']:4} right {c['right']:4} shared {shares[group] / c['rows']:.3f} "
        f"likely {c['likely']:4} of them right {c['kept']:4}\n"
        for group, c in sorted(counts.items())
    )


def main(words: Sequence[str] | None = None) -> None:
    """Read the rows, fit, report, and keep the weights where that is asked."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--repositories", nargs="+", type=Path, required=True, metavar="DIR", help="folders of repositories"
    )
    parser.add_argument("--rows", nargs="+", type=Path, required=True, metavar="FILE", help="rows with references")
    parser.add_argument("--cache", type=Path, required=True, metavar="DIR", help="where indexes are kept")
    parser.add_argument("--write", action="store_true", help="keep the weights, for the navigator")
    options = parser.parse_args(words)
    by_root: dict[Path, list[dict[str, Any]]] = defaultdict(list)
    for line in (line for path in options.rows for line in path.read_text(encoding="utf-8").splitlines()):
        data = json.loads(line)
        name = data["github"].rstrip("/").rpartition("/")[2].lower()
        root = next((folder / name for folder in options.repositories if (folder / name).is_dir()), None)
        if root is not None and data["type"].startswith("Bash"):
            by_root[root].append(data)
    material = [one for root, rows in sorted(by_root.items()) for one in of_repository(root, rows, options.cache)]
    tables, found = cross_validated(material)
    print(report(found, tables["confidence"]), end="")
    if options.write:
        place = Path(str(shipped_weights.__file__)).with_suffix(".json")
        place.write_text(json.dumps(tables, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
