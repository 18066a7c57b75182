"""The whole navigator on repositories that its tables had not seen, and how far its confidence can be believed."""

import json
import random
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple

import numpy as np
from sklearn.linear_model import LogisticRegression  # type: ignore[import-untyped]

from ml_agent.benchmarks.data import Task, load_tasks, repository_folder
from ml_agent.benchmarks.fit.about import LabelledRequest
from ml_agent.benchmarks.fit.relatives import family
from ml_agent.benchmarks.predict.unit import answer_text
from ml_agent.benchmarks.same_call import same_call
from ml_agent.draft import Draft
from ml_agent.drafting import draft_answers
from ml_agent.grounded.navigator import GroundedNavigator
from ml_agent.matching.confidence import CONFIDENCE_FEATURES
from ml_agent.matching.model import Model
from ml_agent.navigator import Given, Workspace
from ml_agent.tools.candidates import Candidate
from ml_agent.tools.index import RepoIndex

PENALTY, SEED = 0.3, 0
FOREIGN = "foreign"
"""The group of answers to requests about another repository."""
SURE, LIKELY, ANSWERED = 0.9, 0.5, 0.05
"""What share must be right of answers called sure, the probability from which one is likely, and below which none is given alone."""


class FirstAnswer(NamedTuple):
    """The first answer to a row."""

    repository: str
    key: str
    group: str
    """wild, other (ML-Bench), written, made, or foreign: of another repository."""
    kind: str
    style: str
    vector: list[float]
    passed: bool
    text: str


class FitPaths(NamedTuple):
    """Where things lie."""

    repositories: Sequence[Path]
    """Folders with one folder for each repository."""
    cache: Path
    """For indexes."""
    tables: Path
    """One table for each repository that was left out; any one serves a repository that nobody fitted to."""


def first_answers(tasks: Sequence[Task], group: str, places: FitPaths) -> Iterator[FirstAnswer]:
    """The first answer to each row whose repository is at hand, by tables that never saw that repository.

    Args:
        tasks: the rows.
        group: what they are: wild, written, other (ML-Bench, held against the strict scorer) or made.
        places: repositories, indexes, tables.
    """
    for task in tasks:
        root = _root(task, places.repositories)
        if root is None:
            continue
        asked = _Question(_navigator(root.name, places.tables), task.instruction, _workspace(task, root, places.cache))
        draft, vector = asked.first()
        text = answer_text(draft, task.folder) if draft is not None else ""
        passed = bool(text) and same_call(task, text, root).passed
        yield FirstAnswer(root.name, f"{root.name}-{task.id}", group, task.kind, task.style, vector, passed, text)


def foreign_answers(several: Sequence[LabelledRequest], places: FitPaths) -> Iterator[FirstAnswer]:
    """The first answer of another repository to each request that this one does not turn down: none of them is right."""
    rng = random.Random(SEED)
    folders = (path for folder in places.repositories for path in sorted(folder.iterdir()) if path.is_dir())
    roots = {root.name.lower(): root for root in folders}
    for number, one in enumerate(several):
        root = roots[rng.choice(sorted(roots.keys() - family([one.repository])))]
        candidate = Candidate(full_name=f"local/{root.name}", url=str(root), commit="fit")
        workspace = Workspace(index=_index(root, places.cache), candidate=candidate)
        asked = _Question(_navigator(root.name, places.tables), one.text, workspace)
        draft, vector = (None, []) if asked.is_turned_down() else asked.first()
        if draft is not None:
            yield FirstAnswer(root.name, f"{one.group}-{number}", FOREIGN, draft.kind, "", vector, False, draft.text)


class _Question:
    """A request put to one repository."""

    def __init__(self, navigator: GroundedNavigator, instruction: str, workspace: Workspace) -> None:
        given = Given(path=workspace.path if workspace.path_given else "")
        self._navigator, self._workspace = navigator, workspace
        self._request = navigator.understand(instruction, given)

    def is_turned_down(self) -> bool:
        """Whether it is found to be about something else."""
        return self._navigator.assess(self._request, self._workspace).foreign

    def first(self) -> tuple[Draft | None, list[float]]:
        """The first answer, and what speaks for and against it."""
        drafts = draft_answers(self._navigator, self._request, self._workspace, 1)
        if not drafts:
            return None, [0.0] * len(CONFIDENCE_FEATURES)
        return drafts[0], self._navigator.support(self._request, self._workspace, drafts[0])


def _root(task: Task, folders: Sequence[Path]) -> Path | None:
    found = (repository_folder(task, folder) for folder in folders)
    return next((root for root in found if root is not None), None)


@cache
def _navigator(name: str, tables: Path) -> GroundedNavigator:
    path = tables / f"{name}.json"
    if not path.is_file():
        path = next(iter(sorted(tables.glob("*.json"))))
    return GroundedNavigator(Model(json.loads(path.read_text(encoding="utf-8"))))


@cache
def _index(root: Path, cache_folder: Path) -> RepoIndex:
    return RepoIndex.open(root, f"{root.name}-fit", cache_folder)


def _workspace(task: Task, root: Path, cache_folder: Path) -> Workspace:
    candidate = Candidate(full_name=f"local/{root.name}", url=task.github, commit="fit")
    return Workspace(
        index=_index(root, cache_folder), candidate=candidate, path=task.folder, path_given=bool(task.path)
    )


def fit_confidence(answers: Sequence[FirstAnswer], without: str = "") -> dict[str, float]:
    """Weights of a logistic regression from what speaks for an answer to whether it is right.

    Args:
        answers: of all rows; rows of `made` count little, because their requests are written by rules.
        without: a repository to leave out.
    """
    used = [one for one in answers if one.repository != without]
    model = LogisticRegression(C=PENALTY, max_iter=2000)
    weights = [_WEIGHT[one.group] for one in used]
    model.fit(np.array([one.vector for one in used]), [one.passed for one in used], sample_weight=weights)
    table = dict(zip(CONFIDENCE_FEATURES, (round(float(w), 4) for w in model.coef_[0]), strict=True))
    return table | {"bias": round(float(model.intercept_[0]), 4)}


_WEIGHT = {"wild": 1.0, "written": 1.0, "other": 0.5, "made": 0.15, FOREIGN: 1.0}


class RatedAnswer(NamedTuple):
    """An answer with the probability that a model gives it which had not seen its repository."""

    answer: FirstAnswer
    probability: float


def rated(answers: Sequence[FirstAnswer]) -> list[RatedAnswer]:
    """Each answer with its probability, each repository left out in turn."""
    found: list[RatedAnswer] = []
    for repository in sorted({one.repository for one in answers}):
        table = fit_confidence(answers, repository)
        weights = np.array([table[name] for name in CONFIDENCE_FEATURES])
        for one in (one for one in answers if one.repository == repository):
            found.append(RatedAnswer(one, float(1 / (1 + np.exp(-(np.array(one.vector) @ weights + table["bias"]))))))
    return found


def sure_from(several: Sequence[RatedAnswer]) -> float:
    """The least probability from which on the share of right answers is SURE, the wild rows by themselves and all rows together."""
    for threshold in np.arange(0.5, 0.99, 0.01):
        groups = [
            [one for one in several if one.probability >= threshold and one.answer.group in names] for names in _HELD
        ]
        if all(group and np.mean([one.answer.passed for one in group]) >= SURE for group in groups):
            return round(float(threshold), 2)
    return 0.99


_HELD = (("wild",), ("written",), ("wild", "other"))


def curve(several: Sequence[RatedAnswer], group: str) -> list[tuple[float, int, float]]:
    """Risk and coverage: for each share of rows that is answered, the surest first, how many those are and how many are right."""
    chosen = sorted((one for one in several if one.answer.group == group), key=lambda one: -one.probability)
    found = []
    for share in (0.05, 0.1, 0.2, 0.33, 0.5, 0.75, 1.0):
        top = chosen[: max(1, round(share * len(chosen)))]
        found.append((share, len(top), float(np.mean([one.answer.passed for one in top]))))
    return found


def report(answers: Sequence[FirstAnswer]) -> str:
    """Right answers by repository and by style, and the curve of risk and coverage."""
    counts: dict[str, list[bool]] = {}
    for one in answers:
        for key in (
            f"{one.group} {one.repository}",
            f"{one.group} {one.kind}",
            f"{one.group} {one.style or '-'}",
            one.group,
        ):
            counts.setdefault(key, []).append(one.passed)
    lines = [f"{key:36} {sum(passed):4} of {len(passed)}" for key, passed in sorted(counts.items())]
    several = rated(answers)
    for group in sorted({one.group for one in answers} - {FOREIGN}):
        lines.append(f"{group}: answered first, right")
        lines += [f"  {share:4.0%} ({n:3} rows) {right:4.0%}" for share, n, right in curve(several, group)]
    elsewhere = [one.probability for one in several if one.answer.group == FOREIGN]
    for level, least in (("likely", LIKELY), ("a guess", ANSWERED)):
        lines.append(
            f"of another repository: {sum(p >= least for p in elsewhere)} of {len(elsewhere)} at least {level}"
        )
    return "\n".join(lines) + "\n"


def tables_of(answers: Sequence[FirstAnswer]) -> dict[str, float]:
    """What `Model.levels` is made from."""
    return fit_confidence(answers) | {"sure": sure_from(rated(answers)), "likely": LIKELY, "answered": ANSWERED}


def tasks_of(file: Path) -> list[Task]:
    """The rows of a file."""
    return list(load_tasks(str(file)).tasks)
