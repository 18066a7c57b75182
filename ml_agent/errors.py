"""Errors of the agent, each with the exit code that the command line ends with.

AgentError                    70
├── UsageError                 2   the call's words are off
├── ConfigurationError         3   key, Docker, endpoint
│   ├── WrongSettingError      3   a value that a setting cannot have
│   └── EndpointSettingError   3   the model's endpoint refuses the key, or does not know the model
├── ProviderError              4   a model, GitHub or a repository's host does not answer as it should
│   └── ModelError             4   the model is gone
│       └── EndpointError      4   its endpoint failed or refused, and asking again would not help
├── BudgetExceededError        5   a limit on tokens, money, calls, attempts or time
├── RunLockedError             2   another process works on this run
└── InternalError             70   a defect of ours
"""

from collections.abc import Iterator
from contextlib import contextmanager

from ml_agent.sandbox.errors import SandboxError
from ml_agent.tools.errors import (
    CatalogError,
    PluginError,
    RepositoryError,
    SearchError,
    ToolError,
    UnreachableError,
    UnsafePathError,
)

LIMIT_FLAGS = {
    "tokens": "--max-tokens", "usd": "--max-cost", "attempts": "--max-attempts", "seconds": "--max-seconds",
}  # fmt: skip
"""Limits that `solve` and `resume` take as flags; the others are settings alone."""


class AgentError(Exception):
    """Base of all errors that the agent raises on purpose; the message is one line and says what to do next."""

    exit_code = 70


class UsageError(AgentError, ValueError):
    """What the user typed cannot be done."""

    exit_code = 2


class RunLockedError(UsageError):
    """Another process works on this run."""


class ConfigurationError(AgentError):
    """A key, an engine or an endpoint is missing or does not answer."""

    exit_code = 3


class WrongSettingError(ConfigurationError):
    """A setting has a value that it cannot have."""

    def __init__(self, setting: str, problem: str) -> None:
        """`setting` is its name in `Settings`; `problem` says what is wrong with the value."""
        super().__init__(f"setting {setting}: {problem}; see ml-agent solve --help")
        self.setting, self.problem = setting, problem


class ProviderError(AgentError):
    """A model endpoint or GitHub did not answer as it should."""

    exit_code = 4


class EndpointSettingError(ConfigurationError):
    """The endpoint answers, and what the user set for it is wrong."""


class ModelError(ProviderError):
    """The model is gone: the run ends with what was reached, and can be gone on with."""


class EndpointError(ModelError):
    """The endpoint failed or refused, and asking it again soon would not help."""


class BudgetExceededError(AgentError):
    """A limit would be passed; nothing was spent on the request that would have passed it."""

    exit_code = 5

    def __init__(self, what: str, spent: float, limit: float, needed: float = 0.0) -> None:
        """`what` names the limit (tokens, usd, calls, seconds, attempts, ...), the rest is in its unit; `needed` is the next step's."""
        raised = LIMIT_FLAGS.get(what, f"the setting max_{what}")
        state = f"is used up (spent: {spent:g})"
        if needed:
            state = f"is not enough (spent: {spent:g}; the next request may need {needed:g})"
        super().__init__(f"the budget of {limit:g} {what} {state}: raise {raised} or narrow the task")
        self.what, self.spent, self.limit = what, spent, limit


class InternalError(AgentError):
    """A defect of ours."""


def install_extra(name: str) -> str:
    """How an optional part of this package is installed: it is on no index, so the command is one for a checkout."""
    return f"pip install '.[{name}]' in a checkout of ML-Agent"


def exit_code_for(error: Exception) -> int:
    """The documented exit code for an error that reached the command line."""
    if isinstance(error, AgentError):
        return error.exit_code
    if isinstance(error, (SandboxError, PluginError)):
        return ConfigurationError.exit_code
    if isinstance(error, (SearchError, UnreachableError)):
        return ProviderError.exit_code
    if isinstance(error, (UnsafePathError, CatalogError, RepositoryError)):
        return UsageError.exit_code
    return InternalError.exit_code if not isinstance(error, ToolError) else 1


@contextmanager
def as_agent_errors() -> Iterator[None]:
    """Turn errors of the tools and of the sandbox into kinds of AgentError, with the same message and exit code.

    Raises AgentError, from the error that it stands for.
    """
    try:
        yield
    except (ToolError, SandboxError) as error:
        code = exit_code_for(error)
        kinds: tuple[type[AgentError], ...] = (UsageError, ConfigurationError, ProviderError)
        made = next((kind for kind in kinds if kind.exit_code == code), AgentError)(str(error))
        made.exit_code = code
        raise made from error
