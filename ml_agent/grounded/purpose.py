"""Training a model or applying one: what the wording asks for, and what the name of a script says that it does."""

from functools import cache
from pathlib import PurePosixPath

from ml_agent.matching.terms import canonical, terms

_CONTRARY, _IS_UPKEEP = 0.4, 2.0
_APPLYING = (
    "test",
    "evaluate",
    "infer",
    "inference",
    "predict",
    "sample",
    "generate",
    "demo",
    "validate",
    "visualize",
    "extract",
    "convert",
)
_UPKEEP = ("download", "upload", "push", "install", "setup", "deploy", "release", "format", "lint")


def opposes(path: str, said: frozenset[str]) -> float:
    """What speaks against a script whose name says that it does what the user did not ask for.

    A test where training is wanted and the other way round; the upkeep of the repository, such as an upload.
    """
    stem = frozenset(terms(PurePosixPath(path).stem))
    if any(canonical(word) in stem and canonical(word) not in said for word in _UPKEEP):
        return _IS_UPKEEP
    train, apply = canonical("train"), _applying()
    if train in said:
        return _CONTRARY * (bool(stem & apply) and train not in stem and not said & apply)
    return _CONTRARY * (train in stem and bool(said & apply) and not stem & apply)


@cache
def _applying() -> frozenset[str]:
    return frozenset(canonical(word) for word in _APPLYING)
