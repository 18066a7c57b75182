"""Errors of the tools.

ToolError
├── UnsafePathError      a path leaves the repository
├── RepositoryError      a repository cannot be had
│   ├── UnsafeUrlError   a URL or option that git must not be given
│   └── UnreachableError its host does not answer
├── SearchError          GitHub cannot be searched
│   └── RateLimitError   GitHub asks to wait longer than allowed
├── CatalogError         a catalogue file is malformed
├── RenderError          a call cannot be written as a command line
└── PluginError          what another package adds cannot be used
"""


class ToolError(Exception):
    """Base of all errors that the tools raise on purpose."""


class UnsafePathError(ToolError, ValueError):
    """A path points outside the repository."""


class RepositoryError(ToolError):
    """A repository does not exist or cannot be read."""


class UnsafeUrlError(RepositoryError, ValueError):
    """A URL that git must not be given."""


class UnreachableError(RepositoryError):
    """The host of a repository did not answer: another time it may."""


class SearchError(ToolError):
    """GitHub could not be searched."""


class RateLimitError(SearchError):
    """GitHub's rate limit would make us wait longer than allowed."""


class CatalogError(ToolError, ValueError):
    """A catalogue file is malformed."""


class RenderError(ToolError, ValueError):
    """A function call cannot be written as a command line."""


class PluginError(ToolError):
    """What a package adds cannot be used."""
