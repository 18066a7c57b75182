"""Reads the words of a command line against a signature, as argparse, absl and click do; the inverse of rendering.

Below: options on the wrong side of a subcommand.
"""

from collections.abc import Callable, Sequence

from ml_agent.tools.commandline.argparse_words import ArgparseWords
from ml_agent.tools.commandline.hydra_words import read_hydra
from ml_agent.tools.commandline.other_words import read_absl, read_click, read_fire, read_overrides, read_plain
from ml_agent.tools.commandline.reader import Argument, ParsedCall, Reader
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
        fits = all(name in rest for name in signature.subcommand)
        if fits and (best is None or len(signature.subcommand) > len(best.subcommand)):
            best = signature
    return best


LEVELLED = frozenset({"argparse", "click", "typer"})
"""Libraries whose parsers read the words behind a subcommand apart from those before it."""


def read_levels(reader: Reader) -> None:
    """Note each option that stands on the wrong side of a subcommand: the parser there does not know it."""
    signature = reader.signature
    words = sorted(part.start for part in reader.given if part.kind == "subcommand")
    if signature.framework not in LEVELLED or not signature.whole or not words:
        return
    for part in reader.given:
        level = sum(at < part.start for at in words)
        option = part.option
        if option is None or part.kind != "option" or option.level == level or _has(reader, part, level):
            continue
        word = signature.subcommand[max(level, option.level) - 1]
        if option.level < level:
            message = f"{part.flag} is not an option of {word}; write it before {word}"
        else:
            message = f"{part.flag} is an option of {word}; write it after {word}"
        reader.note("unknown-option", message, None, part.flag)


def _has(reader: Reader, part: Argument, level: int) -> bool:
    """Whether the parser of a level may know a flag as it is written."""
    signature = reader.signature
    known = (o for o in signature.options if o.level == level)
    flags = [flag for option in known for flag in (*option.flags, *option.negative_flags)]
    short = signature.allow_abbrev and any(flag.startswith(part.flag) for flag in flags)
    return part.flag in flags or short
