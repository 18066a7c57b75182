"""What the programs of a watched command were seen to do."""

import msgspec


class Seen(msgspec.Struct, frozen=True, kw_only=True):
    """What a watched command was seen to do."""

    programs: tuple[str, ...] = ()
    """Files of the repository that ran as programs, in order; `-m NAME` where a module did."""
    loaded: tuple[str, ...] = ()
    """Files of the repository that Python programs had loaded at their end."""
    packages: tuple[str, ...] = ()
    """Installed packages that they had loaded."""
    commands: tuple[str, ...] = ()
    """The simple commands of all shells, as written, without those that a shell saw fail."""
    failed: tuple[str, ...] = ()
    """Programs of the repository that ended with an error, one line each; what a Python program of the repository started is its own matter
    as long as no traceback of it comes out."""
    blind: bool = False
    """A Python program was started of which nothing was noted: nothing can be said of what it did."""
