"""Fit what tells whether a request is about a repository: `python -m benchmarks.fit.about --repositories DIR … --written FILE … [--write]`.

Each request is paired with its own repository and with others. Development repositories and their relatives teach nothing.
"""

import argparse
import json
import random
import sys
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from importlib.resources import files
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from sklearn.linear_model import LogisticRegression  # type: ignore[import-untyped]
from sklearn.metrics import roc_auc_score  # type: ignore[import-untyped]

from ml_agent.benchmarks.fit.relatives import family, relatives
from ml_agent.benchmarks.fit.rows import facts_of
from ml_agent.benchmarks.written.marks import MARK
from ml_agent.matching.about import ABOUT_FEATURES, RelevanceModel
from ml_agent.matching.mentions import ParsedRequest, read_request
from ml_agent.matching.vocabulary import Vocabulary

SEED, FOLDS = 0, 5
OTHERS = 3
"""Other repositories that each request is paired with."""
MOST_OF_ONE = 6
"""Marked requests of one repository that are used."""
NOWHERE = 6
"""Repositories that an everyday request is put beside."""
LEAST_SHARE = 0.05
"""Terms that a smaller share of repositories uses are rare."""
RAREST_PASSAGES = 6e-4
LOSS = 0.03
"""The share of requests that may be turned down though they are about the repository."""


class LabelledRequest(NamedTuple):
    """A request with the name of its repository."""

    repository: str
    group: str
    """The file that it comes from."""
    text: str


def everyday() -> list[str]:
    """Requests that are about no repository of machine learning."""
    return files("ml_agent.benchmarks.fit").joinpath("everyday.txt").read_text(encoding="utf-8").splitlines()


class RequestRepositoryPair(NamedTuple):
    """A request beside a repository."""

    asked: LabelledRequest
    vector: list[float]
    against: bool
    """Whether rare words speak against it."""
    own: bool


def main(arguments: Sequence[str] | None = None) -> int:
    """Fit, print what is turned down of repositories that were left out, write the table."""
    options = _parser().parse_args(arguments)
    roots = [path for folder in options.repositories for path in sorted(folder.iterdir()) if path.is_dir()]
    with ProcessPoolExecutor(options.jobs) as pool:
        found = pool.map(partial(_vocabulary, cache=options.cache), roots, chunksize=4)
        books = {root.name.lower(): one for root, one in zip(roots, found, strict=True) if one.passages}
    if len({root.name.lower() for root in roots}) < len(roots):
        sys.stderr.write("several folders have one name: the last one counts\n")
    rng = random.Random(SEED)
    asked = [one for file in options.written for one in requests(file, rng) if one.repository in books]
    held = [one for file in options.rows for one in requests(file, rng) if one.repository in books]
    kept_apart = relatives() | {one.repository for one in held}
    learned = sorted(books.keys() - kept_apart)
    table = usual({name: books[name] for name in learned})
    fold = {name: place % FOLDS for place, name in enumerate(rng.sample(learned, len(learned)))}
    drawn = {name: [other for other in learned if fold[other] == fold[name]] for name in learned}
    pairs = paired([one for one in asked if one.repository in fold], books, drawn, table)
    pairs += nowhere(learned, books, table)
    scores = held_out(pairs, fold)
    own = [score for score, one in zip(scores, pairs, strict=True) if one.own]
    weights = fitted(pairs) | {"least": round(float(np.quantile(own, LOSS)), 4)}
    others = sorted({one.repository for one in held})
    strange = paired(held, books, dict.fromkeys(others, others), table)
    sys.stdout.write(f"{len(learned)} repositories, {len(table['terms'])} terms\n")
    sys.stdout.write(report(pairs, scores, weights["least"]))
    sys.stdout.write(report(strange, [scored(weights, one.vector) for one in strange], weights["least"]))
    if options.write:
        place = Path(str(files("ml_agent.matching").joinpath("about.json")))
        place.write_text(json.dumps(weights | table, sort_keys=True, separators=(",", ":")) + "\n", encoding="utf-8")
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repositories", type=Path, nargs="+", required=True, help="folders of repositories")
    parser.add_argument("--written", type=Path, nargs="+", required=True, help="files of rows or of marked requests")
    parser.add_argument("--rows", type=Path, nargs="*", default=[], help="rows that are answered, and teach nothing")
    parser.add_argument("--cache", type=Path, default=Path.home() / ".cache" / "ml-agent" / "fit")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--write", action="store_true", help="write ml_agent/matching/about.json")
    return parser


def _vocabulary(root: Path, cache: Path) -> Vocabulary:
    return facts_of(root, cache).vocabulary


def requests(file: Path, rng: random.Random) -> list[LabelledRequest]:
    """The requests of a file of rows, or some marked ones of each repository, without their marks."""
    lines = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    group = f"{file.parent.name}/{file.stem}"
    marked = [LabelledRequest(_name(line), group, _plain(line)) for line in lines if "instruction" not in line]
    rng.shuffle(marked)
    seen: Counter[str] = Counter()
    few = []
    for one in marked:
        seen[one.repository] += 1
        if seen[one.repository] <= MOST_OF_ONE:
            few.append(one)
    return [LabelledRequest(_name(line), group, _plain(line)) for line in lines if "instruction" in line] + few


def _name(line: Mapping[str, Any]) -> str:
    return str(line["github"]).rstrip("/").rpartition("/")[2].lower()


def _plain(line: Mapping[str, Any]) -> str:
    return str(line["instruction"]) if "instruction" in line else MARK.sub(lambda m: m["words"], line["text"])


def usual(books: Mapping[str, Vocabulary]) -> dict[str, Any]:
    """How common terms are in these repositories: the share that uses one, and the mean share of their passages that has it."""
    using = Counter(term for one in books.values() for term in one.known)
    passages: dict[str, float] = defaultdict(float)
    for one in books.values():
        for term, number in one.said.items():
            passages[term] += number / max(20, one.passages)
    number = len(books)
    common = sorted(term for term, count in using.items() if count >= LEAST_SHARE * number)
    terms = {term: [round(using[term] / number, 4), round(passages[term] / number, 5)] for term in common}
    return {"terms": terms, "rare": [LEAST_SHARE / 2, RAREST_PASSAGES]}


def paired(
    asked: Sequence[LabelledRequest],
    books: Mapping[str, Vocabulary],
    drawn: Mapping[str, Sequence[str]],
    table: Mapping[str, Any],
) -> list[RequestRepositoryPair]:
    """Each request beside its repository and some others, none of which is a relative.

    Args:
        asked: the requests.
        books: the words of each repository.
        drawn: by repository: those from which others are drawn.
        table: how common terms are.
    """
    about, rng, found = _without_weights(table), random.Random(SEED), []
    for one in asked:
        statement, near = read_request(one.text), family([one.repository])
        strangers = [name for name in drawn[one.repository] if name not in near]
        for name in [one.repository, *rng.sample(strangers, min(OTHERS, len(strangers)))]:
            found.append(_pair(one, statement, books[name], about)._replace(own=name == one.repository))
    return found


def nowhere(
    learned: Sequence[str], books: Mapping[str, Vocabulary], table: Mapping[str, Any]
) -> list[RequestRepositoryPair]:
    """Each everyday request beside some repositories."""
    about, rng = _without_weights(table), random.Random(SEED)
    return [
        _pair(LabelledRequest(name, "everyday", text), read_request(text), books[name], about)
        for text in everyday()
        for name in rng.sample(learned, NOWHERE)
    ]


def _pair(
    asked: LabelledRequest, statement: ParsedRequest, book: Vocabulary, about: RelevanceModel
) -> RequestRepositoryPair:
    return RequestRepositoryPair(
        asked, about.vector(statement, book), bool(about.unknown_terms(statement, book)), own=False
    )


def _without_weights(table: Mapping[str, Any]) -> RelevanceModel:
    return RelevanceModel({"weights": dict.fromkeys(ABOUT_FEATURES, 0.0), "bias": 0.0, "least": 0.0} | dict(table))


def fitted(pairs: Sequence[RequestRepositoryPair]) -> dict[str, Any]:
    """Weights of a logistic regression for which as many requests are about another repository as about this one."""
    model = LogisticRegression(C=1.0, max_iter=5000, class_weight="balanced")
    model.fit(np.array([one.vector for one in pairs]), [one.own for one in pairs])
    weights = {name: round(float(w), 4) for name, w in zip(ABOUT_FEATURES, model.coef_[0], strict=True)}
    return {"weights": weights, "bias": round(float(model.intercept_[0]), 4)}


def scored(table: Mapping[str, Any], vector: Sequence[float]) -> float:
    """The log-odds of a pair."""
    weights = [table["weights"][name] for name in ABOUT_FEATURES]
    return float(table["bias"] + np.dot(weights, vector))


def held_out(pairs: Sequence[RequestRepositoryPair], fold: Mapping[str, int]) -> list[float]:
    """The log-odds of each pair by weights that saw no repository of its fold."""
    tables = [fitted([one for one in pairs if fold[one.asked.repository] != part]) for part in range(FOLDS)]
    return [scored(tables[fold[one.asked.repository]], one.vector) for one in pairs]


def report(pairs: Sequence[RequestRepositoryPair], scores: Sequence[float], least: float) -> str:
    """By group: how well own pairs are told from others, and the shares of both that are turned down."""
    lines = []
    for group in sorted({one.asked.group for one in pairs}):
        several = [(one, score) for one, score in zip(pairs, scores, strict=True) if one.asked.group == group]
        both = len({one.own for one, _ in several}) > 1
        area = roc_auc_score([one.own for one, _ in several], [score for _, score in several]) if both else float("nan")
        lines.append(f"{group:20} area {area:.3f}; turned down:")
        for own in (True, False) if both else (False,):
            down = [one.against and score < least for one, score in several if one.own == own]
            lines.append(f" {np.mean(down):.1%} of {len(down)} {'own' if own else 'others'}")
        lines.append("\n")
    return "".join(lines)


if __name__ == "__main__":
    sys.exit(main())
