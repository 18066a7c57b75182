"""Words of a request that an answer has no place for are said, also where nothing else is."""

from pathlib import Path

import pytest

from tests.command import ml_agent

SCRIPT = """import argparse
parser = argparse.ArgumentParser(description="Score the sentences of a text file")
parser.add_argument("--input", required=True, help="text file, one sentence a line")
parser.add_argument("--mode", choices=["mean", "max"], default="mean", help="how word scores are joined")
print(parser.parse_args())
"""


@pytest.mark.parametrize(("more", "lost"), [(" with mode median", "mode median"), (" of the novel", ""), ("", "")])
def test_quiet_says_in_a_line_what_found_no_place(more: str, lost: str, tmp_path: Path) -> None:
    (tmp_path / "score.py").write_text(SCRIPT)
    (tmp_path / "sample.txt").write_text("one\n")
    (tmp_path / "README.md").write_text("# Score\n\n```bash\npython score.py --input sample.txt\n```\n")
    words = ("--repo", str(tmp_path), "--run", "none", "--navigator", "offline", "--out", str(tmp_path / "out"), "-q")
    done = ml_agent("solve", f"score the sentences in sample.txt{more}", *words)
    assert (done.returncode, done.stdout) == (0, "python score.py --input sample.txt\n"), done.stderr
    assert len(done.stderr.splitlines()) == bool(lost) and lost in done.stderr
