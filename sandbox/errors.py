"""Errors of the sandbox.

SandboxError
├── SandboxUnavailableError   no engine, no image, no bubblewrap
└── SandboxLostError          the container died under us

KeyboardInterrupt
└── InterruptedRunError       Ctrl-C while a command ran: nobody who waits for its end may take it for one
"""

from ml_agent.sandbox.contract import Response


class SandboxError(Exception):
    """Base of all errors that the sandbox raises on purpose."""


class SandboxUnavailableError(SandboxError):
    """This kind of sandbox cannot be had here; the message says what is missing and what to do."""


class SandboxLostError(SandboxError):
    """The container or process group disappeared while it was needed."""


class InterruptedRunError(KeyboardInterrupt):
    """The user's Ctrl-C, after the command that ran was ended."""

    def __init__(self, response: Response) -> None:
        """`response` is what the command said until then."""
        super().__init__("interrupted")
        self.response = response
