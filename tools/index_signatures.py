"""The signatures of all entry points of a repository."""

from pathlib import Path

from ml_agent.tools.reading import IndexWalk
from ml_agent.tools.signatures.console import read_console
from ml_agent.tools.signatures.handed_on import with_handed_options
from ml_agent.tools.signatures.model import Signature
from ml_agent.tools.signatures.read import SignatureReader


def read_all_signatures(
    root: Path, files: tuple[str, ...], reading: IndexWalk | None = None
) -> dict[str, tuple[Signature, ...]]:
    """Entry points by path, console scripts under the file of their function; files that are none are left out."""
    reading = reading or IndexWalk("signatures")
    reader = SignatureReader(root, frozenset(files), reading)
    consoles = read_console(reader, reading)  # first: of all that may be left out they are what a person misses most
    found = reading.results(files, reader.read)
    for signature in consoles:
        found[signature.path] = (*found.get(signature.path, ()), signature)
    return with_handed_options({path: signatures for path, signatures in found.items() if signatures})
