"""Paths below a folder: relative, and without a step upwards. Whatever goes into or comes out of a workspace goes by one of them."""

from dataclasses import dataclass
from pathlib import PurePosixPath


@dataclass(frozen=True, slots=True)
class InnerPath:
    """Where a file is below a folder that somebody else had in hands. There is none that leads out: ValueError says so."""

    pure: PurePosixPath

    def __post_init__(self) -> None:
        if leads_out(self.pure):
            raise ValueError(f"the path {self.pure} leads out of the workspace")

    def __str__(self) -> str:
        return str(self.pure)

    def __truediv__(self, other: "InnerPath") -> "InnerPath":
        return InnerPath(self.pure / other.pure)

    @property
    def is_top(self) -> bool:
        """Whether it is the folder itself."""
        return not self.pure.parts


def leads_out(path: PurePosixPath) -> bool:
    """Whether a path below a folder may be elsewhere."""
    return path.is_absolute() or ".." in path.parts


def safe_relative(path: str) -> InnerPath:
    """A path inside the workspace; ValueError for one that leads out of it."""
    return InnerPath(PurePosixPath(path))
