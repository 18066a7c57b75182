"""The example of `ml-agent solve --help` that needs nothing but what is shipped says what it is shown to say."""

from pathlib import Path

import ml_agent


def test_each_number_goes_where_it_was_meant(tmp_path: Path) -> None:
    result = ml_agent.solve(
        "cluster 600 points into 4 groups",
        catalog="sample",
        run="none",
        cache_dir=str(tmp_path / "cache"),
        out=str(tmp_path / "out"),
    )
    assert result.answer is not None
    assert "--sample-size 600" in result.answer.text and "--n-clusters 4" in result.answer.text
