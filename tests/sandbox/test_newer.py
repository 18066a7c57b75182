"""Which failures newer libraries explain: by the frames of the traceback and by what the last line says."""

from pathlib import Path

import pytest

from ml_agent.sandbox.contract import Response
from ml_agent.sandbox.diagnosis import RunLocation, diagnose
from ml_agent.sandbox.repair_rules import candidates
from tests.sandbox.test_repair import scene

OWN = '  File "/workspace/lab/model.py", line 3, in fit\n    x\n'
ANSWER = '  File "/workspace/ml_agent_answer.py", line 1, in <module>\n    x\n'
LIBRARY = '  File "/opt/venv/lib/python3.11/site-packages/pandas/core/frame.py", line 9, in f\n    y\n'


def fix_of(root: Path, frames: str, error: str) -> str:
    (root / "lab").mkdir(exist_ok=True)
    (root / "lab/model.py").write_text("class Model:\n    def fit(self): self.shape = 1\n")
    said = f"Traceback (most recent call last):\n{frames}{error}\n"
    response = Response(ended="exited", exit_code=1, stderr=said, error_lines=tuple(said.splitlines()))
    found = diagnose(response, "python run.py", RunLocation(root=root))
    return found.fix.kind if found.fix is not None else ""


@pytest.mark.parametrize(
    ("frames", "error"),
    [
        (ANSWER + OWN + LIBRARY, "TypeError: Invalid value '1.5' for dtype 'int64'"),
        (OWN + LIBRARY, "AttributeError: 'Table' object has no attribute 'old'"),
        (OWN + LIBRARY, "ValueError: The 'loss' parameter of A must be a str among {'a'}. Got 'b' instead."),
        (OWN + LIBRARY, "DeprecationWarning: f is deprecated"),
        (ANSWER + LIBRARY, "AttributeError: 'Model' object has no attribute '__library_tags__'"),
        (OWN, "TypeError: pyramid() got an unexpected keyword argument 'multichannel'"),
        (OWN, "TypeError: Forest.__init__() got an unexpected keyword argument 'presort'"),
        (OWN, "AttributeError: 'MultiIndex' object has no attribute 'labels'"),
        (OWN, "AttributeError: 'Model' object has no attribute '_inherited_once'"),
        (OWN, "ValueError: assignment destination is read-only"),
        (OWN, "IndexError: invalid index to scalar variable."),
        (OWN, "TypeError: only 0-dimensional arrays can be converted to Python scalars"),
    ],
)
def test_a_library_refuses_what_the_repository_asks_of_it(tmp_path: Path, frames: str, error: str) -> None:
    assert fix_of(tmp_path, frames, error) == "aged"


@pytest.mark.parametrize(
    ("frames", "error"),
    [
        (ANSWER + LIBRARY, "TypeError: f() got an unexpected keyword argument 'a'"),
        (ANSWER, "TypeError: f() got an unexpected keyword argument 'a'"),
        (OWN, "TypeError: Model.fit() got an unexpected keyword argument 'a'"),
        (OWN, "AttributeError: 'NoneType' object has no attribute 'shape'"),
        (OWN, "AttributeError: 'Model' object has no attribute 'shape'"),
        (OWN, "AttributeError: 'Namespace' object has no attribute 'lr'"),
        (OWN, "IndexError: list index out of range"),
        (OWN + LIBRARY, "ValueError: Found array with 0 samples"),
        ('  File "/usr/lib/python3.11/json/decoder.py", line 1, in f\n    x\n', "TypeError: f() takes 1 argument"),
    ],
)
def test_the_answer_or_the_repository_is_at_fault(tmp_path: Path, frames: str, error: str) -> None:
    assert fix_of(tmp_path, frames, error) != "aged"


def test_only_old_code_is_given_old_libraries(tmp_path: Path) -> None:
    said = f"Traceback (most recent call last):\n{OWN}ValueError: assignment destination is read-only\n"
    (tmp_path / "lab").mkdir()
    (tmp_path / "lab/model.py").write_text("")
    found = diagnose(Response(ended="exited", exit_code=1, stderr=said), "", RunLocation(root=tmp_path))
    for day, expected in (
        ("2021-06-01", [("install", ("--exclude-newer 2021-06-01", "--python 3.9"))]),
        ("2999-01-01", []),
        ("", []),
    ):
        at = scene(tmp_path, date=day)
        assert [(one.kind, one.arguments) for one in candidates(found, at)] == expected
