"""What an answer would do on the machine of whoever pastes it, beyond running a program."""

from typing import Literal

from ml_agent.tools.check.bash_powers import bash_powers
from ml_agent.tools.check.power import PowerUse
from ml_agent.tools.check.python_powers import python_powers

LONGEST = {"bash": 20_000, "python": 100_000}
"""Characters; a longer text is refused as a whole."""


def powers(text: str, workdir: str = ".", kind: Literal["bash", "python"] = "bash") -> list[PowerUse]:
    """Substitutions, writing outside the repository, secrets, text and programs that are run.

    Args:
        text: bash or Python; what cannot be parsed is looked through all the same.
        workdir: folder relative to the repository from which it runs.
        kind: the language.
    """
    if len(text) > LONGEST[kind]:
        return [PowerUse("too-long", text)]
    return list(dict.fromkeys((bash_powers if kind == "bash" else python_powers)(text, workdir)))
