"""Each row's judge passes what its reference delivered and refuses three wrong outputs (`make bench-rows` runs the references)."""

import shutil
from pathlib import Path

import pytest

from ml_agent.benchmarks.form_d.rows import FOLDER, load_rows

pytest.importorskip("PIL", reason="Pillow is one of the development tools: make setup")

from ml_agent.benchmarks.form_d.inputs import make_inputs
from ml_agent.benchmarks.form_d.judges import judge

ROWS = load_rows()


@pytest.fixture
def laid(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[str, Path, Path]:
    """A row's name, its inputs as they are made today, and a copy of the outputs that its reference delivered."""
    name = str(request.param)
    inputs, outputs = tmp_path / "inputs", tmp_path / "outputs"
    make_inputs(name, inputs)
    shutil.copytree(FOLDER / "expected" / name, outputs)
    return name, inputs, outputs


every_row = pytest.mark.parametrize("laid", ROWS, indirect=True)


@every_row
def test_what_the_reference_delivered_passes(laid: tuple[str, Path, Path]) -> None:
    name, inputs, outputs = laid
    assert judge(name, inputs, outputs) == ""
    assert {f"outputs/{path.name}" for path in outputs.iterdir()} == set(ROWS[name].outputs)


@every_row
def test_wrong_outputs_are_refused(laid: tuple[str, Path, Path]) -> None:
    """What differs from the right outputs lies in wrong/NAME/WHY."""
    name, inputs, outputs = laid
    wrong = sorted((FOLDER / "wrong" / name).iterdir())
    assert len(wrong) == 3
    for folder in wrong:
        shutil.rmtree(outputs)
        shutil.copytree(FOLDER / "expected" / name, outputs)
        assert list(folder.iterdir())
        shutil.copytree(folder, outputs, dirs_exist_ok=True)
        assert judge(name, inputs, outputs), f"{name}: {folder.name} passes"


@every_row
def test_an_output_that_is_missing_empty_or_a_link_is_refused(laid: tuple[str, Path, Path]) -> None:
    name, inputs, outputs = laid
    for output in ROWS[name].outputs:
        path = outputs / Path(output).name
        content = path.read_bytes()
        path.unlink()
        assert judge(name, inputs, outputs), f"without {output}"
        path.touch()
        assert judge(name, inputs, outputs), f"with {output} empty"
        path.unlink()
        path.symlink_to(FOLDER / "expected" / name / path.name)
        assert judge(name, inputs, outputs), f"with {output} as a link"
        path.unlink()
        path.write_bytes(content)


def test_of_each_kind_there_are_enough() -> None:
    assert len(ROWS) == 30
    assert sum(row.steps > 1 for row in ROWS.values()) >= 10
    assert sum(row.old for row in ROWS.values()) >= 10
    assert sum(row.old and row.compiled for row in ROWS.values()) >= 3
    assert len({row.field for row in ROWS.values()}) >= 12
