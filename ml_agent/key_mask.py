"""Keys that a provider says back to us are masked where its words come in, before anything shows, keeps or cuts them."""

import json
import re
from collections.abc import Iterable, Mapping
from urllib.parse import quote, quote_plus

MASK = "***"
_HEADERS = ("authorization", "api-key", "x-api-key", "proxy-authorization")
_SHORTEST = 8
"""Characters; what is shorter (`none`) is no key, and an ordinary word."""
_TELLING = 12
"""Characters of a key's beginning that are masked, too, where the rest was cut off."""


def keys_in(headers: Mapping[str, str], query: Iterable[str] = ()) -> tuple[str, ...]:
    """The keys that a request's headers carry, and the values of its address's query, which may be some."""
    said = (headers.get(name, "") for name in _HEADERS)
    words = [word for value in said for word in (value, value.rpartition(" ")[2])] + list(query)
    return tuple(dict.fromkeys(word for word in words if len(word) >= _SHORTEST and word.rpartition(" ")[2] != "none"))


def masked(text: str, secrets: Iterable[str]) -> str:
    """The text without these keys, also written for an address or JSON, and without the beginning of one that was cut."""
    forms = {form for secret in secrets for form in _forms(secret)}
    if not forms:
        return text
    pieces, at = [], 0
    for found in re.finditer("|".join(re.escape(form[:_TELLING]) for form in forms), text):
        if found.start() >= at:
            pieces += [text[at : found.start()], MASK]
            at = found.start() + max(_same(text, found.start(), form) for form in forms)
    return "".join([*pieces, text[at:]])


def _forms(secret: str) -> list[str]:
    quoted = [quote(secret, safe=""), quote(secret), quote_plus(secret)]
    lower = [re.sub("%[0-9A-F]{2}", lambda found: found[0].lower(), one) for one in quoted]
    in_json = json.dumps(secret)[1:-1]
    return [secret, *quoted, *lower, in_json, in_json.replace("/", r"\/")]


def _same(text: str, start: int, form: str) -> int:
    """How many characters of a form stand there, whole or cut."""
    pairs = zip(text[start : start + len(form)], form, strict=False)
    return next((count for count, (one, other) in enumerate(pairs) if one != other), min(len(form), len(text) - start))


# An endpoint's address as it may be shown and kept: without user and password, and without what its query says.

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
