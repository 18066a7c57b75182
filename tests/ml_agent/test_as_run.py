"""What was run is what is handed over: the saved answer works alone, and what was done beside it is said."""

import subprocess
from pathlib import Path

from ml_agent.as_run import mended, rewritten
from ml_agent.draft import Draft
from ml_agent.sandbox.repair import Repair
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


def test_a_rewriting_repair_belongs_to_the_draft_that_it_rewrote() -> None:
    draft = Draft(kind="bash", text="python train.py")
    moved = Repair(kind="folder", arguments=("src", "python ../train.py"))
    assert (rewritten(draft, moved).text, rewritten(draft, moved).workdir) == ("python ../train.py", "src")
    code = Draft(kind="python", text="import train\n")
    assert (rewritten(code, moved).text, rewritten(code, moved).workdir) == ("import train\n", "src")


def test_a_repair_that_robs_the_user_of_a_value_is_not_taken() -> None:
    from ml_agent.tools.findings import Finding

    draft = Draft(kind="bash", text="python train.py --device cuda")
    offered = [
        Repair(kind="folder", arguments=("src", "python train.py --device cpu")),
        Repair(kind="environment", arguments=("CUDA_VISIBLE_DEVICES=",)),
    ]

    def look(one: Draft) -> Draft:
        lost = Finding(code="value-not-used", message="cuda", severity="error")
        return Draft(kind="bash", text=one.text, findings=() if "cuda" in one.text else (lost,))

    found = mended(draft, (), 6, lambda _one, taken: offered[len(taken)] if len(taken) < 2 else None, look)
    assert found == (draft, offered)
