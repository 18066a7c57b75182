"""What we look at after a run, made to be much: each look takes a moment, whatever the program wrote."""

from pathlib import Path

import pytest

from ml_agent.delivery.doubts import doubts_of
from ml_agent.delivery.expectation import CreatedFile
from ml_agent.sandbox.contract import Response
from tests.processor_time import within


@pytest.mark.promise(
    "Many files of one size, in the repository and among the results, are each read once.",
    by="ml_agent.delivery.doubts, by sums",
)
def test_many_files_of_one_size(tmp_path: Path) -> None:
    root, outputs = tmp_path / "root", tmp_path / "outputs"
    root.mkdir()
    outputs.mkdir()
    for number in range(1000):
        (root / f"{number}").write_text(f"{number:100}")
    for number in range(1, 201):
        (outputs / f"{number}").write_text(f"{-number:100}")
    (outputs / "copy").write_text(f"{900:100}")
    made = [CreatedFile(path=path.name, size=100) for path in outputs.iterdir()]
    ended = Response(ended="exited", exit_code=0)
    doubts = within(2, lambda: doubts_of(ended, [], made, root, outputs))
    assert [one.doubt for one in doubts] == ["copy is unchanged from the repository as 900"]
