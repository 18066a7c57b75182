"""Where options stand that belong to a subcommand, or to the program around it."""

from ml_agent.tools.commandline.reader import Argument, Reader

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
            message = f"{part.flag} is no option of {word}; it stands before that word"
        elif not signature.open_before:
            message = f"{part.flag} is an option of {word}, and stands behind that word"
        else:
            continue
        reader.note("unknown-option", message, None, part.flag)


def _has(reader: Reader, part: Argument, level: int) -> bool:
    """Whether the parser of a level may know a flag as it is written."""
    signature = reader.signature
    known = (o for o in signature.options if o.anywhere or o.level == level)
    flags = [flag for option in known for flag in (*option.flags, *option.negative_flags)]
    short = signature.allow_abbrev and any(flag.startswith(part.flag) for flag in flags)
    return part.flag in flags or short
