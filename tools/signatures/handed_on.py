"""Shell scripts that hand their words on: `torchrun train.py "$@"` takes what train.py takes."""

import posixpath
import re
from collections.abc import Mapping

import msgspec

from ml_agent.tools.signatures.model import Signature

_HANDS_ON = re.compile(
    r"(?P<file>[^\s\"']+\.py)[\"']?\s(?P<between>[^\n]*\s)?[\"']?(?:\$@|\$\*|\$\{@(?::\d+)?\})[\"']?(?:\s|$)"
)
_OWN_FOLDER = re.compile(r"\$\(dirname [^)\n]{1,60}\)[\"']?")

_LONGEST_CALL = 2_000

Signatures = Mapping[str, tuple[Signature, ...]]


def with_handed_options(signature: Signature, found: Signatures) -> Signature:
    """The signature of a shell script with the options of the program that gets its words."""
    call = next(filter(None, map(_find_call, reversed(signature.calls))), None)
    inner = _program_of(signature, call, found) if call is not None else None
    if call is None or inner is None:
        return signature
    own = tuple(msgspec.structs.replace(one, required=one.nargs is None) for one in signature.options)
    taken, placed = {one.dest for one in own}, not (call["between"] or "").strip()
    handed = tuple(
        msgspec.structs.replace(one, required=one.required and one.positional)
        for one in inner.options
        if one.dest not in taken and (placed or not one.positional)
    )
    return msgspec.structs.replace(
        signature, options=(*own, *handed), syntax=inner.syntax, accepts_unknown=inner.accepts_unknown,
        unseen=inner.unseen, exclusive=inner.exclusive, doc=signature.doc or inner.doc,
    )  # fmt: skip


def _find_call(call: str) -> re.Match[str] | None:
    return _HANDS_ON.search(_OWN_FOLDER.sub(".", call[:_LONGEST_CALL]))


def _program_of(signature: Signature, call: re.Match[str], found: Signatures) -> Signature | None:
    """The program that is given all words; None where it is not known, or has subcommands or other ways of its own."""
    folder = posixpath.dirname(signature.path)
    for base in (folder, "."):
        path = posixpath.normpath(posixpath.join(base, call["file"]))
        several = [one for one in found.get(path, ()) if one.kind == "python"]
        if len(several) == 1 and not several[0].subcommand and several[0].syntax == "argparse":
            return several[0]
    return None
