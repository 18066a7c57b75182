"""Errors of the bench.

BenchError                a file or setting of the bench is off (exit 2)
├── TaskFileError         the file of tasks cannot be read
├── PredictionFileError   the file of predictions cannot be read
└── AgentMissingError     another agent is not installed here (exit 3)
"""

from ml_agent.errors import UsageError


class BenchError(UsageError):
    """Base of all errors that the bench raises on purpose."""


class TaskFileError(BenchError):
    """The file of tasks cannot be read."""


class PredictionFileError(BenchError):
    """The file of predictions cannot be read."""


class AgentMissingError(BenchError):
    """Another agent is not installed here; the message says how to install it."""

    exit_code = 3
