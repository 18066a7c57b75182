"""README commands and their mutations, checked and judged, on a small repository."""

from collections import Counter
from pathlib import Path

import pytest

from ml_agent.benchmarks.check_truth import Case, CheckedCase, Ruling, documented, lines, main, run
from ml_agent.tools.findings import Finding
from ml_agent.tools.index import RepoIndex

README = """# Net

```bash
python train.py --lr 0.1 --mode fast
python open.py --seed 1
python train.py --lr <rate>
python train.py --lr 0.1 ...
pip install net
```

```python
from net import fit

fit(rate=3)
```
"""
FILES = {
    "README.md": README,
    "train.py": """
import argparse
p = argparse.ArgumentParser()
p.add_argument("--lr", type=float, required=True)
p.add_argument("--mode", choices=["fast", "slow"])
p.parse_args()
""",
    "open.py": "import argparse\nfrom library import add\np = argparse.ArgumentParser()\nadd(p)\np.parse_args()\n",
    "net/__init__.py": "def fit(rate=1):\n    return rate\n",
}


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The files above."""
    root = tmp_path_factory.mktemp("net")
    for path, text in FILES.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text)
    return root


def test_only_whole_commands_of_the_repository_are_checked(repository: Path) -> None:
    texts = [case.text for case in documented(RepoIndex.open(repository, "1"), most=9)]
    assert [text.split("\n")[0] for text in texts] == [
        "python train.py --lr 0.1 --mode fast", "python open.py --seed 1", "from net import fit",
    ]  # fmt: skip


def test_the_real_parser_is_the_judge(repository: Path) -> None:
    found = run(repository, most=9, jobs=2)
    assert Counter(one.outcome for one in found if not one.case.mutation) == {"right": 2, "cannot tell": 1}
    broken = {one.case.mutation: one.outcome for one in found if one.case.mutation and "train" in one.case.text}
    assert broken == {
        "unknown-option": "caught", "wrong-choice": "caught", "wrong-type": "caught", "missing-required": "caught",
    }  # fmt: skip
    assert {one.case.text.split()[1] for one in found if one.case.mutation == "misspelt-script"} == {
        "tarin.py",
        "oepn.py",
    }
    assert all(one.outcome == "caught" for one in found if one.case.mutation == "misspelt-script")
    assert [one.outcome for one in found if one.case.mutation == "wrong-keyword"] == ["caught"]


@pytest.mark.parametrize(
    ("mutation", "severity", "opinion", "outcome"),
    [
        ("", "error", "accepted", "false error"),
        ("", "warning", "silent", "false warning"),
        ("", "unsure", "accepted", "cannot tell"),
        ("", "error", "refused", "refused"),
        ("unknown-option", "error", "refused", "caught"),
        ("unknown-option", "unsure", "refused", "untold"),
        ("unknown-option", "warning", "refused", "warned"),
        ("unknown-option", "error", "accepted", "undecided"),
    ],
)
def test_outcomes(mutation: str, severity: str, opinion: str, outcome: str) -> None:
    case = Case(root=Path(), text="x", folder=".", kind="bash", mutation=mutation)  # type: ignore[arg-type]
    finding = Finding(code="unknown-option", message="", severity=severity)  # type: ignore[arg-type]
    checked = CheckedCase(case=case, findings=(finding,), ruling=Ruling(opinion=opinion))  # type: ignore[arg-type]
    assert checked.outcome == outcome
    assert Counter(line.split()[0] for line in lines({"net": [checked]})[1:])["net"] == 1


def test_the_report_shows_what_is_wrong(repository: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main([str(repository), "--most", "2", "--show", "cannot tell"])
    said = capsys.readouterr().out
    assert "python open.py --seed 1" in said and "library.add adds options" in said and "ALL" in said
