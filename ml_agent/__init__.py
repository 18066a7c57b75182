"""ML-Agent: from one sentence about a machine-learning task to a command or code that is checked, run and judged.

Public names (everything else may change between versions):

    solve, start, asolve    answer an instruction; `start` hands out the events while it runs
    continue_run            go on from a finished run with what you say to its result
    check                   check a command or code against a repository, without running it
    explain                 what the entry points of a repository take
    find                    repositories that may do a task
    Run, Result, Answer, Doubt, Event, Checked, Finding, Signature, Candidate   what these return
    AgentError and its kinds   what these raise

Nothing is imported before it is used: `import ml_agent` costs next to nothing.
"""

from importlib import import_module

TYPE_CHECKING = False
"""For type checkers it is true; `typing` itself may lie in the working folder, see `__main__`."""
if TYPE_CHECKING:
    from typing import Any

    from ml_agent.api import asolve, check, continue_run, explain, find, solve, start
    from ml_agent.api_types import Answer, Checked, Event, Result
    from ml_agent.background import CancelledRunError, Run
    from ml_agent.draft import Doubt
    from ml_agent.errors import AgentError, BudgetExceededError, ConfigurationError, ProviderError, UsageError
    from ml_agent.tools.candidates import Candidate
    from ml_agent.tools.findings import Finding
    from ml_agent.tools.signatures.model import Signature

_HOMES = {
    "ml_agent.api": ["asolve", "check", "continue_run", "explain", "find", "solve", "start"],
    "ml_agent.api_types": ["Answer", "Checked", "Event", "Result"],
    "ml_agent.background": ["CancelledRunError", "Run"],
    "ml_agent.draft": ["Doubt"],
    "ml_agent.errors": ["AgentError", "BudgetExceededError", "ConfigurationError", "ProviderError", "UsageError"],
    "ml_agent.tools.candidates": ["Candidate"],
    "ml_agent.tools.findings": ["Finding"],
    "ml_agent.tools.signatures.model": ["Signature"],
}
"""The public names by the module that defines them; the imports above say the same to type checkers, which do not run this."""

__all__ = [
    "AgentError",
    "Answer",
    "BudgetExceededError",
    "CancelledRunError",
    "Candidate",
    "Checked",
    "ConfigurationError",
    "Doubt",
    "Event",
    "Finding",
    "ProviderError",
    "Result",
    "Run",
    "Signature",
    "UsageError",
    "asolve",
    "check",
    "continue_run",
    "explain",
    "find",
    "solve",
    "start",
]


def __getattr__(name: str) -> "Any":
    """Import a public name when it is first used."""
    home = next((module for module, names in _HOMES.items() if name in names), "")
    if not home:
        raise AttributeError(f"module 'ml_agent' has no attribute {name!r}")
    return getattr(import_module(home), name)
