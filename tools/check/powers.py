"""What an answer would do on the machine of whoever pastes it, beyond running a program."""

from typing import Literal

from tools.check.bash_powers import bash_powers
from tools.check.power import Found
from tools.check.python_powers import python_powers
from tools.hidden import words_with_hidden

LONGEST = {"bash": 20_000, "python": 100_000}
"""Characters; a longer text is refused as a whole."""


def powers(text: str, workdir: str = ".", kind: Literal["bash", "python"] = "bash") -> list[Found]:
    """Characters that a terminal obeys, substitutions, writing outside the repository, secrets, text and programs that are run.

    Args:
        text: bash or Python; what cannot be parsed is looked through all the same.
        workdir: folder relative to the repository from which it runs.
        kind: the language.
    """
    if len(text) > LONGEST[kind]:
        return [Found("too-long", text)]
    hidden = [Found("control-character", word) for word in words_with_hidden(text)]
    return list(dict.fromkeys([*hidden, *(bash_powers if kind == "bash" else python_powers)(text, workdir)]))
