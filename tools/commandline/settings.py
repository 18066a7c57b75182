"""The settings within an option: `--opts SOLVER.BASE_LR 0.01 OUTPUT_DIR runs/1`."""

from collections.abc import Mapping, Sequence

from ml_agent.tools.commandline.reader import VARIABLE, Reader
from ml_agent.tools.signatures.model import Option
from ml_agent.tools.signatures.nearest import nearest


def read_settings(reader: Reader) -> None:
    """Take what the words of an option say of the settings within it."""
    for holder in (option.dest for option in reader.signature.holders):
        words = reader.values.get(holder)
        known = {option.dest: option for option in reader.signature.options if option.within == holder}
        if isinstance(words, list):
            left = _take(reader, [str(word) for word in words], known)
            if left:
                reader.values[holder] = left
            else:
                del reader.values[holder]


def _take(reader: Reader, words: Sequence[str], known: Mapping[str, Option]) -> list[str]:
    """Store the settings that are known; returns the words of all others."""
    left: list[str] = []
    for key, value in zip(words[::2], words[1::2], strict=False):
        option = known.get(key)
        if option is not None:
            reader.store(option, [value])
            continue
        left += [key, value]
        if not VARIABLE.search(key):
            near = nearest(key, list(known))
            reader.note_foreign("unknown-option", f"{reader.signature.path} has no setting {key}", key, near)
    if len(words) % 2:
        left.append(words[-1])
        if not VARIABLE.search(words[-1]):
            message = f"{words[-1]} has no value: settings are written as KEY VALUE"
            reader.note("bad-call", message, None, words[-1], sure=False)
    return left
