"""What one line says of a run."""

from pathlib import Path

import pytest

from ml_agent.draft import Draft, Output
from ml_agent.execution import folders_written, summary_of
from ml_agent.sandbox.contract import Response


def test_the_line_says_of_which_day_the_libraries_were() -> None:
    well = Response(ended="exited", exit_code=0, seconds=2.0)
    assert summary_of(well) == "ran to the end in 2.0 s"
    assert summary_of(well, dated="libraries as of 2021-04") == "ran to the end in 2.0 s (libraries as of 2021-04)"


@pytest.mark.parametrize(
    ("text", "made"),
    [
        ("python run.py --out outputs/x.json", ("outputs",)),
        ("python run.py --out_dir outputs", ()),
        ("python run.py --out data/x.json", ()),
        ("python run.py > logs/run.txt 2>/dev/null", ("logs",)),
        ("python run.py --out ../outputs/x.json", ()),
        ("for k in 1 2; do python run.py --out outputs/x_$k.json; done", ("outputs",)),
    ],
)
def test_folders_of_files_that_the_answer_names_are_made(tmp_path: Path, text: str, made: tuple[str, ...]) -> None:
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "old.json").write_text("{}")
    (tmp_path / "outputs").mkdir()  # empty, so in no checkout
    outputs = ("outputs/x.json", "data/x.json", "outputs")
    draft = Draft(kind="bash", text=text, source="llm", outputs=tuple(Output(path=path) for path in outputs))
    assert folders_written(draft, "", tmp_path) == made
