"""The texts that functions of a repository take, by their own tests."""

import ast
from pathlib import Path

import pytest

from ml_agent.tools.check.python import check_python
from ml_agent.tools.index import RepoIndex
from ml_agent.tools.python_api.accepted import accepted_texts


@pytest.mark.parametrize(
    ("body", "found"),
    [
        ("assert pool in {'cls', 'mean'}, 'no such pool'", {"pool": ("cls", "mean")}),
        ("assert pool is None or pool in ('cls', 'mean')", {"pool": ("cls", "mean")}),
        ("assert pool in ['a', 'b'] and size in ('s', 'l')", {"pool": ("a", "b"), "size": ("s", "l")}),
        ("if size not in ('s', 'l'):\n        raise ValueError(size)", {"size": ("s", "l")}),
        ("net = {'max': 1, 'mean': 2}[pool]", {"pool": ("max", "mean")}),
        ("pool = pool.lower()\n    assert pool in {'cls', 'mean'}", {}),
        ("assert pool in known", {}),
        ("assert pool in {'cls', 3}", {}),
        ("if size:\n        assert pool in {'cls', 'mean'}", {}),
        ("assert other in {'cls', 'mean'}", {}),
    ],
)
def test_what_a_function_tests_first(body: str, found: dict[str, tuple[str, ...]]) -> None:
    (node,) = ast.parse(f"def build(size, pool='cls'):\n    {body}\n").body
    assert isinstance(node, ast.FunctionDef)
    assert accepted_texts(node) == found


def test_another_text_is_refused(tmp_path: Path) -> None:
    (tmp_path / "net.py").write_text(
        "class Net:\n    def __init__(self, size, pool='cls'):\n        assert pool in {'cls', 'mean'}\n"
    )
    index = RepoIndex.open(tmp_path, "v1")
    (finding,) = check_python("from net import Net\nNet(3, pool='max')\n", index)
    assert (finding.code, finding.severity, finding.subject) == ("bad-call", "error", "Net.pool")
    assert "takes one of cls, mean for pool" in finding.message
    for right in ("Net(3, 'mean')", "Net(3, pool=None)", "Net(3, *['max'])", "Net(3, **{'pool': 'max'})"):
        assert check_python(f"from net import Net\n{right}\n", index) == []
