"""A run in the terminal: the same page as lines."""

from rich.table import Table
from rich.text import Text

from ml_agent.console import Terminal
from ml_agent.view.outputs import OutputView
from ml_agent.view.page import DraftView, Page
from ml_agent.wording import counted

STATUS = {"honoured": "used", "default": "its default", "not found": "not used"}


def show(page: Page, outputs: tuple[OutputView, ...], console: Terminal) -> None:
    """Print what happened in a run: the way, the drafts with what was wrong, the values, the outputs, the cost."""
    result = page.result
    console.print(Text(result["instruction"], style="bold"))
    colour = "green" if result["exit_code"] == 0 else "yellow"
    console.print(Text.assemble((result["ending"], colour), f": {result['message']}\n"))
    for phase in page.phases:
        note = phase.note.partition("\n")[0]
        line = f"  {phase.name:<10} {note} "
        console.print(Text.assemble(line, (f"({phase.seconds:.1f} s)", "dim")))
    for notice in page.notices:
        console.print(Text(f"  {notice}", style="yellow"))
    for draft in page.drafts:
        _show_draft(draft, console)
    if result.get("answer"):
        _show_values(result["answer"].get("ledger") or [], console)
    for output in outputs:
        console.print(f"  made {output.path} ({output.size} bytes)")
    budget = result["budget"]
    tokens = budget["prompt_tokens"] + budget["completion_tokens"]
    asked = counted(budget["calls"], "request")
    console.print(f"\n{asked}, {tokens} tokens, {budget['seconds']:.1f} s; {result['folder']}")


def _show_draft(draft: DraftView, console: Terminal) -> None:
    console.print(Text.assemble("\n", (f"draft {draft.number}", "bold"), " ", (draft.because, "dim")))
    console.say(draft.text)
    for line in draft.problem.splitlines():
        console.print(Text(f"  {line}", style="dim"))


def _show_values(ledger: list[dict[str, str]], console: Terminal) -> None:
    if not ledger:
        return
    table = Table("you wrote", "status", "where", title="your values", title_justify="left")
    for entry in ledger:
        table.add_row(entry["text"], STATUS.get(entry["status"], entry["status"]), entry.get("where") or "")
    console.print(table)
