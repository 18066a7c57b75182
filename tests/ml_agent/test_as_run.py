"""What was run is what is handed over: the saved answer works alone, and what was done beside it is said."""

import subprocess
from pathlib import Path

from tests.command import ml_agent
from tests.ml_agent.test_solve import LOCAL

COUNT = (
    "import argparse, json\n"
    "from lib.words import words\n"
    'parser = argparse.ArgumentParser(description="Count the words of a corpus")\n'
    'parser.add_argument("--min-length", type=int, default=1, help="shortest word to count")\n'
    "args = parser.parse_args()\n"
    'json.dump([word for word in words() if len(word) >= args.min_length], open("results/words.json", "w"))\n'
)


def made(root: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    return root


def test_what_was_done_before_is_in_the_saved_answer_and_said(tmp_path: Path) -> None:
    files = {
        "scripts/count.py": COUNT,
        "lib/__init__.py": "",
        "lib/words.py": "def words():\n    return ['a', 'bbb']\n",
    }
    readme = "# Count\n\nCount the words:\n\n    python scripts/count.py --min-length 3\n"
    root = made(tmp_path / "count", {**files, "README.md": readme})
    out = tmp_path / "out"
    asked = (
        "solve",
        "count the words with minimum length 2",
        "--repo",
        str(root),
        *LOCAL,
        "--quiet",
        "--out",
        str(out),
    )
    done = ml_agent(*asked)
    assert done.stdout == "python scripts/count.py --min-length 2\n"
    assert "run first: mkdir -p -- results" in done.stderr and "export PYTHONPATH=" in done.stderr
    assert f"{out}/reproduce.sh includes it" in done.stderr
    subprocess.run(["bash", str(out / "answer.sh")], cwd=root, capture_output=True, check=True)
    assert (root / "results/words.json").read_text() == '["bbb"]'
