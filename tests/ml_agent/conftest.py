"""A small repository for whole runs."""

from pathlib import Path

import pytest

SCRIPT = (
    "import argparse\n"
    "parser = argparse.ArgumentParser()\n"
    'parser.add_argument("--lr", type=float, default=0.1, help="learning rate")\n'
    "args = parser.parse_args()\n"
    'print("epoch 1 loss 0.5")\n'
)


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """A folder with one script and a README."""
    root = tmp_path / "fitting"
    root.mkdir()
    (root / "fit.py").write_text(SCRIPT)
    (root / "README.md").write_text("# Fitting\n\nFit the linear model:\n\n```bash\npython fit.py --lr 0.5\n```\n")
    return root
