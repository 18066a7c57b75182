"""The check of what is called on the result of a call."""

import time

import pytest

from ml_agent.tools.check.python import check_python
from ml_agent.tools.index import RepoIndex
from tests.tools.test_check_python import one

CHAINED = {
    "ridge.py": (
        "class Base:\n    def copied(self) -> 'Base':\n        return self\n"
        "    def other(self) -> Base:\n        import copy\n        return copy.copy(self)\n"
        "class Path:\n    def first(self): return 1\n"
        "class Ridge(Base):\n    def __init__(self, alpha=1.0): ...\n"
        "    def fit(self, xs, ys):\n        if not xs:\n            raise ValueError\n        return self\n"
        "    def maybe(self, xs):\n        if xs:\n            return self\n"
        "    def predict(self, xs):\n        return [x for x in xs]\n"
        "    def path(self):\n        return Path()\n"
    )
}


@pytest.fixture(scope="module")
def chained(tmp_path_factory: pytest.TempPathFactory) -> RepoIndex:
    root = tmp_path_factory.mktemp("chained")
    for path, text in CHAINED.items():
        (root / path).write_text(text)
    return RepoIndex.open(root, "1")


class TestChains:
    @pytest.mark.parametrize(
        ("text", "code", "subject"),
        [
            ("Ridge().transform([1])", "no-such-name", "Ridge.transform"),
            ("m = Ridge(alpha=1).fit([1], [2])\nm.predcit([3])", "no-such-name", "m.predcit"),
            ("m = Ridge()\nm.fit([1], [2]).score([3])", "no-such-name", "Ridge.score"),
            ("Ridge(alpha=1).fit([1])", "bad-call", "Ridge.fit.ys"),
            ("Ridge().copied().fit([1], zs=2)", "bad-call", "Ridge.fit.zs"),
            ("Ridge().path().last()", "no-such-name", "Path.last"),
            ("m = Ridge().fit([1], [2])\nn = m.copied()\nn.fitted", "no-such-name", "n.fitted"),
            ("Ridge().predict([1]).mean()", "cannot-tell", "Ridge.predict"),
            ("m = Ridge()\ny = m.predict([1])\ny.mean()", "cannot-tell", "Ridge.predict"),
            ("Ridge().maybe([1]).fits()", "cannot-tell", "Ridge.maybe"),
            ("Ridge().other().fits()", "cannot-tell", "Base.other"),
        ],
    )
    def test_what_is_called_on_the_result_of_a_call_is_looked_at(
        self, text: str, code: str, subject: str, chained: RepoIndex
    ) -> None:
        finding = one(f"from ridge import Ridge\n{text}", chained)
        assert (finding.code, finding.subject) == (code, subject)
        assert finding.severity == ("unsure" if code == "cannot-tell" else "error")

    @pytest.mark.parametrize(
        "text",
        [
            "print(Ridge(alpha=1).fit([1], [2]).predict([3]))",
            "m = Ridge().fit([1], [2]).copied()\nprint(m.fit(xs=[1], ys=[2]).predict([3]))",
            "m = Ridge()\nm.extra = 1\nprint(m.copied().extra)",
            "Ridge().path().first()",
            "class Own(Ridge):\n    def fit(self, xs):\n        return self\nOwn().fit([1]).predict([2])",
            "import json\njson.loads('1').mean().item()",
            "'a b'.split().index('a')",
            "m = Ridge()\nm = m.fit([1], [2])\nm.anything()",
        ],
    )
    def test_what_is_right_or_not_of_the_repository_is_left_alone(self, text: str, chained: RepoIndex) -> None:
        assert check_python(f"from ridge import Ridge\n{text}", chained) == []

    def test_a_long_chain_is_checked_in_time(self, chained: RepoIndex) -> None:
        text = "from ridge import Ridge\nRidge()" + ".copied()" * 60
        began = time.monotonic()
        check_python(text, chained)
        assert time.monotonic() - began < 5
