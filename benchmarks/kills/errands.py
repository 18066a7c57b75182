"""What is killed: five commands on small repositories, how each is gone on with, and what must come out all the same."""

import hashlib
import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import msgspec

from ml_agent.runs import CONFIG, RESULT
from ml_agent.tools.run_folders import CHECKPOINTS

Words = list[str]
PROGRAM = """
import argparse, pathlib, subprocess, time
parser = argparse.ArgumentParser()
parser.add_argument("--lr", type=float, default=0.1, help="learning rate")
parser.add_argument("--epochs", type=int, default=3, help="number of epochs")
parser.add_argument("--optimizer", choices=["adam", "sgd"], default="adam", help="which optimizer")
args = parser.parse_args()
subprocess.Popen(["setsid", "sleep", "{mark}"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
for epoch in range(args.epochs):
    print(f"epoch {{epoch}} loss {{1 / (epoch + 1):.3f}}", flush=True)
    time.sleep(0.2)
pathlib.Path("model.txt").write_text(f"{{args.lr}} {{args.epochs}} {{args.optimizer}}")
"""
README = "# {name}\n\nTrain the {name} model:\n\n```bash\npython {script} --lr 0.5 --epochs 2\n```\n"
SCRIPTS = {"fitting": "fit.py", "growing": "grow.py", "tuning": "tune.py"}
INSTRUCTION = "Train the {name} model with a learning rate of {lr} for {epochs} epochs."


class ErrandFolder(msgspec.Struct, frozen=True, kw_only=True):
    """Where the errands find their repositories and rows."""

    folder: Path
    mark: str
    """Seconds that a child of the programs sleeps: nobody else's sleep is that long."""

    @property
    def repos(self) -> Path:
        """The repositories, by name."""
        return self.folder / "repos"

    @property
    def rows(self) -> Path:
        """The rows of the bench."""
        return self.folder / "rows.jsonl"


class Errand(msgspec.Struct, frozen=True, kw_only=True):
    """One command."""

    name: str
    begin: Callable[[ErrandFolder, Path], Words]
    """begin(place, out): its words."""
    go_on: Callable[[ErrandFolder, Path], Words]
    """What a user types after a kill."""
    outcome: Callable[[Path], Any]
    """outcome(out): what must be the same as in an undisturbed run."""
    prepare: Callable[[ErrandFolder, Path], Words] | None = None
    """A command that is killed before, so that there is something to go on with."""


def lay(place: ErrandFolder) -> None:
    """Write the repositories and the rows."""
    rows = []
    for number, (name, script) in enumerate(SCRIPTS.items(), 1):
        root = place.repos / name
        root.mkdir(parents=True)
        (root / script).write_text(PROGRAM.format(mark=place.mark))
        (root / "README.md").write_text(README.format(name=name, script=script))
        for row, lr in enumerate(("0.25", "0.125"), 1):
            instruction = INSTRUCTION.format(name=name, lr=lr, epochs=row + 1)
            output = f"python {script} --lr {lr} --epochs {row + 1}"
            rows.append({
                "github_id": number, "id": row, "github": f"https://github.com/local/{name}", "path": ".", "type": "Bash Script",
                "instruction": instruction, "output": output, "arguments": {"lr": lr, "epochs": str(row + 1)}, "oracle": "",
            })  # fmt: skip
    place.rows.write_text("".join(json.dumps(row) + "\n" for row in rows))


def errands(sandbox: str) -> tuple[Errand, ...]:
    """The five; those that run something do so in this sandbox (docker or local)."""

    def solve(place: ErrandFolder, out: Path) -> Words:
        instruction = INSTRUCTION.format(name="fitting", lr="0.25", epochs=3)
        words = ["solve", instruction, "--repo", str(place.repos / "fitting"), "--run", "full", "--sandbox", sandbox]
        return [*words, "--network", "none", "--quiet", "--json", "--out", str(out / "run")]

    def resume(place: ErrandFolder, out: Path) -> Words:
        begun = (out / "run" / CONFIG).exists()
        return ["resume", str(out / "run"), "--quiet", "--json"] if begun else solve(place, out)

    def predict(place: ErrandFolder, out: Path) -> Words:
        words = ["bench", "predict", "--tasks", str(place.rows), "--repos", str(place.repos), "--navigator", "offline"]
        return [*words, "--setting", "agent", "--jobs", "2", "--out", str(out / "predictions.jsonl")]

    def run(place: ErrandFolder, out: Path) -> Words:
        words = ["bench", "run", "--form", "A", "--agent", "offline", "--tasks", str(_few(place)), "--jobs", "2"]
        return [*words, "--repos", str(place.repos), "--sandbox", sandbox, "--out", str(out / "results")]

    def make(place: ErrandFolder, out: Path) -> Words:
        roots = [str(place.repos / name) for name in SCRIPTS]
        return ["bench", "make", *roots, "--rows", "6", "--jobs", "2", "--out", str(out / "made.jsonl")]

    return (
        Errand(name="solve", begin=solve, go_on=resume, outcome=_solve_traces),
        Errand(name="resume", begin=resume, go_on=resume, outcome=_solve_traces, prepare=solve),
        Errand(name="bench predict", begin=predict, go_on=predict, outcome=_predict_traces),
        Errand(name="bench run", begin=run, go_on=run, outcome=_ran),
        Errand(name="bench make", begin=make, go_on=make, outcome=lambda out: (out / "made.jsonl").read_text()),
    )


def _few(place: ErrandFolder) -> Path:
    """Two rows: each takes seconds in a sandbox."""
    few = place.folder / "few.jsonl"
    lines = place.rows.read_text().splitlines(keepends=True)
    few.write_text(lines[0] + lines[2])
    return few


def _solve_traces(out: Path) -> Any:
    folder = out / "run"
    result = json.loads((folder / RESULT).read_text())
    made = {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in _files(folder / "outputs")}
    names = sorted(path.name for path in folder.iterdir() if not path.name.startswith((CHECKPOINTS, ".lock")))
    kept = {name: result[name] for name in ("ending", "evidence", "exit_code")}
    return {
        **kept,
        "answer": {name: result["answer"][name] for name in ("kind", "text", "workdir")},
        "made": made,
        "names": names,
    }


def _predict_traces(out: Path) -> Any:
    rows = _rows(out / "predictions.jsonl")
    return [{name: value for name, value in row.items() if name != "usage"} for row in rows]


def _ran(out: Path) -> Any:
    rows = _rows(out / "results" / "output.jsonl")
    return [{name: row[name] for name in ("instance_id", "error", "eval_script", "eval_exit_code")} for row in rows]


def _rows(path: Path) -> Sequence[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def _files(folder: Path) -> list[Path]:
    return [path for path in sorted(folder.rglob("*")) if path.is_file()] if folder.is_dir() else []
