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
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ml_agent.api import asolve, check, continue_run, explain, find, solve, start
    from ml_agent.api_types import Answer, Checked, Doubt, Event, Result
    from ml_agent.background import CancelledRunError, Run
    from ml_agent.errors import AgentError, BudgetExceededError, ConfigurationError, ProviderError, UsageError
    from ml_agent.tools.candidates import Candidate
    from ml_agent.tools.findings import Finding
    from ml_agent.tools.signatures.model import Signature

_PLACES = {
    "asolve": "ml_agent.api",
    "check": "ml_agent.api",
    "continue_run": "ml_agent.api",
    "explain": "ml_agent.api",
    "find": "ml_agent.api",
    "solve": "ml_agent.api",
    "start": "ml_agent.api",
    "Answer": "ml_agent.api_types",
    "Checked": "ml_agent.api_types",
    "Doubt": "ml_agent.api_types",
    "Event": "ml_agent.api_types",
    "Result": "ml_agent.api_types",
    "CancelledRunError": "ml_agent.background",
    "Run": "ml_agent.background",
    "AgentError": "ml_agent.errors",
    "BudgetExceededError": "ml_agent.errors",
    "ConfigurationError": "ml_agent.errors",
    "ProviderError": "ml_agent.errors",
    "UsageError": "ml_agent.errors",
    "Candidate": "ml_agent.tools.candidates",
    "Finding": "ml_agent.tools.findings",
    "Signature": "ml_agent.tools.signatures.model",
}

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


def __getattr__(name: str) -> Any:
    """Import a public name when it is first used."""
    if name not in _PLACES:
        raise AttributeError(f"module 'ml_agent' has no attribute {name!r}")
    return getattr(import_module(_PLACES[name]), name)
