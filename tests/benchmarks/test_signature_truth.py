"""The truth benchmark on two small repositories."""

from pathlib import Path

import pytest

from ml_agent.benchmarks.signature_truth import main

GOOD = """
import argparse
import missing_library
parser = argparse.ArgumentParser()
parser.add_argument("--lr", type=float, default=0.1)
parser.add_argument("--gpu", default=missing_library.count())
parser.parse_args()
"""
COMPUTED = """
import argparse, time
parser = argparse.ArgumentParser()
parser.add_argument("--at", default=time.time())
parser.parse_args()
"""
MAKER = "import argparse\ndef make():\n    p = argparse.ArgumentParser()\n    p.add_argument('--x')\n    return p\n"


def test_it_finds_what_differs_and_what_could_not_run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "one").mkdir()
    (tmp_path / "one" / "good.py").write_text(GOOD)
    (tmp_path / "one" / "maker.py").write_text(MAKER)
    (tmp_path / "two").mkdir()
    (tmp_path / "two" / "computed.py").write_text(COMPUTED)
    (tmp_path / "two" / "broken.py").write_text("import argparse\nargparse.ArgumentParser(\n")
    assert main([str(tmp_path)]) == 0
    text = capsys.readouterr().out
    assert "two/computed.py --at: default" in text and "not run    two/broken.py: SyntaxError" in text
    assert "one: 3/3 (100.00 %) of the options equal; 2/2" in text
    assert (
        "ALL: 3/4 (75.00 %) of the options equal; 3/4 (75.00 %) of the files that make a parser ran; candidates 4"
        in text
    )
    assert "differing fields {'default': 1}" in text
