"""What a run was asked to do; kept in the run folder so that it can be resumed."""

import msgspec


class Job(msgspec.Struct, frozen=True, kw_only=True):
    """The instruction and everything that says where to look."""

    instruction: str
    repository: str = ""
    """OWNER/NAME, URL or folder that the user named."""
    commit: str | None = None
    path: str = ""
    catalog: str = ""
    """A catalogue file, "sample", or "" for GitHub."""
    arguments: tuple[tuple[str, str], ...] = ()
    prefix_code: str = ""
    expect: tuple[str, ...] = ()
    """What should come out, each as PATH or PATH:KIND."""
    keep_outputs: str = ""
    """Folder of the user's that gets what the run made, too."""
    force: bool = False
    """Whether files there may be replaced."""
    show_inputs: bool = False
    """Whether files and folders that the instruction names by absolute path are shown to the program, read-only."""
    continues: str = ""
    """Folder of the run that this one goes on from: with its answer, its conversation and its environment."""
    words: str = ""
    """What the user says to what came of that run."""
    record: str = ""
    replay: str = ""
