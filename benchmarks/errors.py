"""Errors of the bench."""

from ml_agent.errors import UsageError


class BenchError(UsageError):
    """A file or a setting of the bench is off."""


class AgentMissingError(BenchError):
    """Another agent is not installed here; the message says how to install it."""

    exit_code = 3
