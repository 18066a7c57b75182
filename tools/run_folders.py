"""Which folders are runs of this program: what they hold is about a repository, and no part of the one that they lie in."""

from pathlib import Path, PurePath

TRAJECTORY, CHECKPOINTS = "trajectory.jsonl", "checkpoints.sqlite"
MARKS = frozenset({TRAJECTORY, CHECKPOINTS})
"""Every run has both from its first step on, finished or not, and no other program writes the two together."""


def is_run_folder(folder: Path) -> bool:
    """Whether a folder is a run's: its copy of the repository would copy itself, and its answers are no documents."""
    try:
        return all((folder / name).is_file() for name in MARKS)
    except OSError:  # one that we may not look into
        return False


def is_of_a_run(root: Path, path: PurePath) -> bool:
    """Whether a path below `root` lies in a run's folder; `root` itself may be one."""
    return any(is_run_folder(root / folder) for folder in path.parents if folder.name)
