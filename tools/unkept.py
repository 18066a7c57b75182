"""Says once that nothing can be kept: whatever then fails to be written fails for that one reason."""

import logging
from threading import Lock

_LOG = logging.getLogger(__name__)
_LINE = "the cache folder cannot be written (%s): all is read anew each time and no run can be resumed; set ML_AGENT_CACHE_DIR to a folder that can"
_first = Lock()
"""Whoever gets it tells; it is never given back."""


def warn_of_cache(error: Exception) -> None:
    """Say in one line what a cache that cannot be written costs and what to do; only the first time in this process."""
    if _first.acquire(blocking=False):
        _LOG.warning(_LINE, getattr(error, "strerror", None) or error)
