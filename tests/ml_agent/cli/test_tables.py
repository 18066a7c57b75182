"""Tables on terminals of any width: every cell is seen."""

import pytest

from ml_agent.cli.tables import draw_table

HEADS = ("run", "ending", "evidence", "instruction")
ROW = ("20260727-134327-dd2e92", "completed", "started", "fit the linear model with learning rate 0.25")


@pytest.mark.parametrize("columns", [10, 30, 70, 100])
def test_no_cell_is_empty_on_a_narrow_terminal(
    columns: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COLUMNS", str(columns))
    draw_table(HEADS, [ROW], whole=0)
    shown = capsys.readouterr().out
    assert max(map(len, shown.splitlines())) <= columns
    assert ("run: " in shown) == (columns < 70) and (columns < 30 or ROW[0] in shown)
    letters = [character for character in shown if character.isalnum()]
    assert all(letters.count(one) >= "".join(ROW).count(one) for one in "".join(ROW) if one.isalnum()), shown
