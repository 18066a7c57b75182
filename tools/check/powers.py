"""What an answer would do on the machine of whoever pastes it, beyond running a program."""

from typing import Literal

from tools.check.bash_powers import bash_powers
from tools.check.power import Found
from tools.hidden import words_with_hidden


def powers(text: str, workdir: str = ".", kind: Literal["bash", "python"] = "bash") -> list[Found]:
    """Characters that a terminal obeys; of bash substitutions, redirections that leave the repository, secrets, pipes to a shell.

    Args:
        text: bash or Python; what cannot be parsed is looked through all the same.
        workdir: folder relative to the repository from which it runs.
        kind: the language.
    """
    hidden = [Found("control-character", word) for word in words_with_hidden(text)]
    return list(dict.fromkeys([*hidden, *(bash_powers(text, workdir) if kind == "bash" else ())]))
