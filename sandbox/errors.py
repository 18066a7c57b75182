"""Errors of the sandbox.

SandboxError
├── SandboxUnavailableError   no engine, no image, no bubblewrap
├── SandboxLostError          the container died under us
└── SetupError                the environment could not be made
"""


class SandboxError(Exception):
    """Base of all errors that the sandbox raises on purpose."""


class SandboxUnavailableError(SandboxError):
    """This kind of sandbox cannot be had here; the message says what is missing and what to do."""


class SandboxLostError(SandboxError):
    """The container or process group disappeared while it was needed."""


class SetupError(SandboxError):
    """The environment that the repository asks for could not be made."""
