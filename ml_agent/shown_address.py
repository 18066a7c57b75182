"""An endpoint's address as it may be shown and kept: without user and password, and without what its query says."""

import re

from ml_agent.key_mask import MASK

_USER = re.compile(r"^((?:[\w+.-]+://)?)(?:[^/?#]*@|[^/?#:@]*:(?!\d*(?:[/?#]|$)).*@)")
"""What stands before the host; also a password whose slash or question mark is not written as an address needs it."""


def shown_address(url: str) -> str:
    """The address without credentials: `https://me:secret@host/v1?key=abc` is `https://host/v1?key=***`."""
    address, _, query = _USER.sub(r"\1", url).partition("#")[0].partition("?")
    names = [part.partition("=")[::2] for part in query.split("&") if part]
    kept = "&".join(f"{name}={MASK}" if value else MASK for name, value in names)
    return f"{address}?{kept}" if kept else address


def has_credentials(url: str) -> bool:
    """Whether the address itself holds something that must not be kept."""
    return shown_address(url) != url
