"""Where version control keeps its own files: addresses with tokens, settings, logs. They are no part of a repository's content."""

from pathlib import Path

FOLDERS = frozenset({".git", ".hg", ".svn", ".bzr", ".jj", ".sl", "_darcs"})
"""Of git, Mercurial, Subversion and the others; in a submodule or a linked work tree `.git` is a file."""


def is_control(path: str) -> bool:
    """Whether a path (with `/`) is version control's own, or goes through what is: some disks do not tell case."""
    return any(part.casefold() in FOLDERS for part in path.split("/"))


def is_git_folder(folder: Path) -> bool:
    """Whether a folder is one of git's own, whatever it is called: a bare repository, or git's files kept apart."""
    try:
        return (folder / "HEAD").is_file() and (folder / "objects").is_dir() and (folder / "refs").is_dir()
    except OSError:  # one that we may not look into
        return False
