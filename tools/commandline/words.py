"""Reads the words of a command line against a signature, as argparse, absl and click do; the inverse of rendering."""

from collections.abc import Callable, Sequence

from ml_agent.tools.commandline.argparse_words import ArgparseWords
from ml_agent.tools.commandline.fire_words import read_fire
from ml_agent.tools.commandline.hydra_words import read_hydra
from ml_agent.tools.commandline.levels import read_levels
from ml_agent.tools.commandline.other_words import read_absl, read_click, read_overrides, read_plain
from ml_agent.tools.commandline.reader import ParsedCall, Reader
from ml_agent.tools.commandline.settings import read_settings
from ml_agent.tools.launchers import HELP
from ml_agent.tools.signatures.model import Signature

READERS: dict[str, Callable[[Reader, list[str]], None]] = {
    "argparse": lambda reader, words: ArgparseWords(reader, words).read(),
    "absl": read_absl,
    "click": read_click,
    "overrides": read_overrides,
    "plain": read_plain,
    "hydra": read_hydra,
    "fire": read_fire,
}
"""By framework or syntax."""


def parse_call(signature: Signature, words: Sequence[str]) -> ParsedCall:
    """Read the words that follow a script, module or console script.

    Args:
        signature: what is called; of several subcommands the one that the words name (see `choose`).
        words: unquoted words as a shell would pass them.
    """
    reader = Reader(signature)
    if len(words) == 1 and signature.lone_file and words[0].endswith(signature.lone_file):
        return reader.result(words)
    READERS.get(signature.framework, READERS[signature.syntax])(reader, list(words))
    read_settings(reader)
    read_levels(reader)
    if reader.excused or any(word in HELP for word in words):
        reader.findings = [finding for finding in reader.findings if finding.severity != "unsure"]
    else:
        reader.finish()
    return reader.result(words)


def choose(signatures: Sequence[Signature], words: Sequence[str]) -> Signature | None:
    """The signature that the words call: of subcommands the one whose names occur in order, else the bare one."""
    best: Signature | None = None
    for signature in signatures:
        rest = iter(words)
        fits = all(any(word in names for word in rest) for names in signature.spellings)
        if fits and (best is None or len(signature.subcommand) > len(best.subcommand)):
            best = signature
    return best
