"""A run in the terminal: the same page as lines."""

from rich.markup import escape as markup_escape
from rich.table import Table

from ml_agent.console import Terminal
from ml_agent.terminal import terminal_text
from ml_agent.view.outputs import OutputView
from ml_agent.view.page import DraftView, Page


def escape(text: str) -> str:
    """Text of others as a terminal may show it."""
    return markup_escape(terminal_text(text))


def show(page: Page, outputs: tuple[OutputView, ...], console: Terminal) -> None:
    """Print what happened in a run: the way, the drafts with what was wrong, the values, the outputs, the cost."""
    result = page.result
    console.print(f"[bold]{escape(result['instruction'])}[/bold]", highlight=False)
    colour = "green" if result["exit_code"] == 0 else "yellow"
    console.print(f"[{colour}]{escape(result['ending'])}[/{colour}]: {escape(result['message'])}\n", highlight=False)
    for phase in page.phases:
        note = phase.note.partition("\n")[0]
        console.print(f"  {phase.name:<10} {escape(note)} [dim]({phase.seconds:.1f} s)[/dim]", highlight=False)
    for notice in page.notices:
        console.print(f"  [yellow]{escape(notice)}[/yellow]", highlight=False)
    for draft in page.drafts:
        _show_draft(draft, console)
    if result.get("answer"):
        _show_values(result["answer"].get("ledger") or [], console)
    for output in outputs:
        console.print(f"  made {escape(output.path)} ({output.size} bytes)", highlight=False)
    budget = result["budget"]
    tokens = budget["prompt_tokens"] + budget["completion_tokens"]
    console.print(
        f"\n{budget['calls']} requests, {tokens} tokens, {budget['seconds']:.1f} s; {escape(result['folder'])}",
        highlight=False,
    )


def _show_draft(draft: DraftView, console: Terminal) -> None:
    console.print(f"\n[bold]draft {draft.number}[/bold] [dim]{escape(draft.because)}[/dim]", highlight=False)
    console.print(escape(draft.text), highlight=False, soft_wrap=True)
    for line in draft.problem.splitlines():
        console.print(f"  [dim]{escape(line)}[/dim]", highlight=False)


def _show_values(ledger: list[dict[str, str]], console: Terminal) -> None:
    if not ledger:
        return
    table = Table("you wrote", "status", "where", title="your values", title_justify="left")
    for entry in ledger:
        table.add_row(escape(entry["text"]), entry["status"], escape(entry.get("where") or ""))
    console.print(table)
