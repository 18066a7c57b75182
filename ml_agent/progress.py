"""The live display on stderr: what is done now, and behind it what each phase found."""

import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence

from rich.console import Console, ConsoleOptions, RenderResult
from rich.live import Live
from rich.padding import Padding
from rich.spinner import Spinner
from rich.table import Table
from rich.text import Text

from ml_agent.model.budget import Usage
from ml_agent.state import Plain
from ml_agent.terminal import Terminal, terminal_text

PATIENCE, AGAIN = 3.0, 30.0
"""Seconds after which a phase that is still under way is told where no spinner can be seen, and is told again."""
_DOING = {
    "understand": "reading the instruction",
    "search": "searching for repositories",
    "rank": "ranking repositories",
    "plan": "reading the repository",
    "generate": "writing the answer",
    "check": "checking the answer against the repository",
    "execute": "setting up and running it",
    "diagnose": "finding out what went wrong",
}
_LONGEST_LINE = 200
"""Characters of a program's line that are shown; all of it with --verbose and in the run folder."""
_MOST_DETAILS = 8
_LAST_LINES = 3
_NAME_WIDTH = 10


def spent(usage: Usage) -> str:
    """Requests, tokens and money in a few words; "" where no model was asked."""
    if not usage.calls:
        return ""
    money = "" if usage.cost is None else f", {usage.cost:.4f} USD"
    return f"{usage.calls} request{'s' if usage.calls > 1 else ''}, {usage.tokens:,} tokens{money}"


class _CurrentStep:
    """What is done at this moment: drawn anew several times a second."""

    def __init__(self, name: str, usage: Callable[[], Usage], lines: deque[str]) -> None:
        self._name, self._usage, self._lines = name, usage, lines
        self._spinner, self._started = Spinner("dots"), time.monotonic()

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """The spinner with seconds and what was spent, below it the last lines of output."""
        seconds, money = time.monotonic() - self._started, spent(self._usage())
        said = f"{self._name}: {_DOING.get(self._name, '')} {seconds:.0f} s" + (f", {money}" if money else "")
        self._spinner.update(text=Text(said))
        yield self._spinner
        for line in list(self._lines):
            yield Text(f"  | {line}", style="dim", no_wrap=True, overflow="ellipsis")


class Progress:
    """Shows what is done now and leaves behind what was found; plain lines where the output is no terminal.

    Args:
        console: where to.
        verbose: every detail, and every line that the sandbox prints.
        ask: puts the question which of several answers is meant; None where nobody is to be asked.
        live: whether what is done now is drawn, and drawn over, where the console can.
    """

    def __init__(
        self,
        console: Terminal,
        *,
        verbose: bool = False,
        ask: Callable[[Sequence[Plain]], int | None] | None = None,
        live: bool = True,
    ) -> None:
        self._console, self._verbose, self._ask = console, verbose, ask
        self._moves = live and console.is_terminal and not console.is_dumb_terminal
        self._live: Live | None = None
        self._left = threading.Event()
        self._started = 0.0
        self._usage: Callable[[], Usage] = Usage
        self._told_calls = 0
        self._lines: deque[str] = deque(maxlen=_LAST_LINES)
        self._unfinished = ""

    def watch(self, usage: Callable[[], Usage]) -> None:
        """Show from now on what was spent."""
        self._usage = usage

    def on_phase(self, name: str, moment: str, note: str) -> None:
        """React to a node that is entered or left."""
        if moment == "enter":
            self._begin(name)
            return
        self.close()
        details = [*self._details(note), *self._spending()]
        self._tell(name, (terminal_text(note).splitlines() or [""])[0], details)

    def _begin(self, name: str) -> None:
        self._left.set()  # a phase that failed was not left
        self._started = time.monotonic()
        self._lines.clear()
        self._unfinished = ""
        if self._moves:
            now = _CurrentStep(name, self._usage, self._lines)
            self._live = Live(now, console=self._console, transient=True, refresh_per_second=8)
            self._live.start()
        else:
            self._left = threading.Event()
            threading.Thread(target=self._still, args=[name, self._left], daemon=True).start()

    def _details(self, note: str) -> list[str]:
        lines = terminal_text(note).splitlines()[1:]
        if self._verbose or len(lines) <= _MOST_DETAILS:
            return lines
        return [*lines[:_MOST_DETAILS], f"… {len(lines) - _MOST_DETAILS} more (--verbose)"]

    def _spending(self) -> Iterator[str]:
        """What was spent so far, where this phase asked a model."""
        usage = self._usage()
        if usage.calls > self._told_calls:
            yield f"so far {spent(usage)}"
        self._told_calls = usage.calls

    def _tell(self, name: str, outcome: str, details: Sequence[str]) -> None:
        seconds = f"{time.monotonic() - self._started:.1f}"
        if not self._console.is_terminal:
            self._print(f"{name:<{_NAME_WIDTH}} {outcome} ({seconds} s)")
            for line in details:
                self._print(f"{'':<{_NAME_WIDTH}} {line}")
            return
        grid = Table.grid(padding=(0, 1, 0, 0), expand=True)
        grid.add_column(width=_NAME_WIDTH, no_wrap=True)
        grid.add_column(ratio=1, overflow="fold")
        grid.add_column(justify="right", no_wrap=True)
        grid.add_row(Text(name, style="bold"), Text(outcome), Text(f"{seconds} s", style="dim"))
        for line in details:
            grid.add_row("", Text(line, style="dim"))
        self._console.print(grid)

    def _print(self, line: str) -> None:
        self._console.say(line)

    def _still(self, name: str, left: threading.Event) -> None:
        """Tell from time to time that a phase is under way, until it is left."""
        patience, meanwhile = PATIENCE, ": " if name == "execute" else "; meanwhile, in the environment: "
        while not left.wait(patience):
            last = f"{meanwhile}{self._lines[-1]}" if self._lines else ""
            seconds = time.monotonic() - self._started
            self._print(f"{name:<{_NAME_WIDTH}} still {_DOING[name]}{last} ({seconds:.0f} s)")
            patience = AGAIN

    def on_output(self, text: str) -> None:
        """Show the last lines of what runs in the sandbox, all of them where everything is to be said."""
        whole = self._unfinished + text.replace("\r\n", "\n").replace("\r", "\n")
        *lines, self._unfinished = whole.split("\n")
        self._unfinished = self._unfinished[-10_000:]
        for line in lines:
            shown = terminal_text(line).rstrip()
            if any(map(str.isalnum, shown)):
                self._lines.append(shown if len(shown) <= _LONGEST_LINE else f"{shown[:_LONGEST_LINE]}…")
                if self._verbose:
                    self._console.print(Padding(Text(f"| {shown}", style="dim"), (0, 0, 0, 2)))

    def choose(self, offered: Sequence[Plain]) -> int | None:
        """Ask which answer is meant, where somebody is to be asked."""
        if self._ask is None:
            return None
        self.close()
        return self._ask(offered)

    def close(self) -> None:
        """End what is drawn over."""
        self._left.set()
        if self._live is not None:
            self._live.stop()
            self._live = None
