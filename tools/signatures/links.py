"""Scripts that are links: Python looks for their modules beside the file that is linked, so they are what that file is."""

from collections.abc import Iterable

import msgspec

from ml_agent.tools.errors import UnsafePathError
from ml_agent.tools.files import Tree
from ml_agent.tools.signatures.model import Signature
from ml_agent.tools.signatures.sources import Sources


def linked_script(sources: Sources, path: str) -> str:
    """The Python file of the repository that a link to it stands for; `path` itself where it is none."""
    if not path.endswith(".py") or sources.files is None or not (sources.root / path).is_symlink():
        return path
    tree = Tree(sources.root)
    try:
        real = tree.resolve(path).relative_to(tree.root).as_posix()
    except UnsafePathError:
        return path
    return real if real.endswith(".py") and real in sources.files else path


def named_by_link(signatures: Iterable[Signature], path: str) -> tuple[Signature, ...]:
    """Signatures of a file as those of a link to it."""
    return tuple(_rename(signature, path) for signature in signatures)


def _rename(signature: Signature, path: str) -> Signature:
    options = tuple(
        msgspec.structs.replace(option, path=path) if option.path == signature.path else option
        for option in signature.options
    )
    return msgspec.structs.replace(signature, path=path, options=options)
