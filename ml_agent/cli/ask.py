"""What `solve --ask` asks: which of several repositories, or of several answers, is meant."""

import sys
from collections.abc import Callable, Sequence

from ml_agent.console import Terminal
from ml_agent.errors import UsageError
from ml_agent.state import Plain
from ml_agent.tools.candidates import state_of
from ml_agent.unsure import lines_of


def asker(console: Terminal) -> Callable[[Sequence[Plain]], int | None]:
    """What asks on this terminal. Raises UsageError where nobody can answer."""
    if not (sys.stdin.isatty() and console.is_terminal):
        raise UsageError("--ask needs a terminal; without it, an unsure run prints the possible answers")
    return lambda offered: question(console, offered)


def question(console: Terminal, offered: Sequence[Plain]) -> int | None:
    """Show the answers with what speaks against each and read a number; None for an empty line or the end of input."""

    def say(line: str) -> None:
        console.say(line)

    repositories = "name" in offered[0]
    say("These may do it:" if repositories else "None of these is clearly what you asked for:")
    for number, one in enumerate(offered, 1):
        if repositories:
            say(f"  {number}  {one['name']} ({state_of(one)}): {one['why']}")
            continue
        head, *more = lines_of(one)
        say(f"  {number}  {head}")
        for line in more:
            say(f"     {line}")
        lost = [*one["unused"], *one["unplaced"]]
        against = f"; not used from your request: {', '.join(dict.fromkeys(lost))}" if lost else ""
        say(f"     folder {one['workdir']}{against}")
    while True:
        console.print(
            f"Which one? 1 to {len(offered)}, or Enter for {'the first' if repositories else 'none'}: ", end=""
        )
        typed = sys.stdin.readline()
        if not typed.strip():
            return None
        if typed.strip().isdigit() and 1 <= int(typed) <= len(offered):
            return int(typed) - 1
