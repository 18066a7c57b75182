"""The repository of a Python package, from what the package index says of it."""

import re
from functools import partial

import msgspec
import requests

from ml_agent.tools.deadline import within

TIMEOUT = 10.0
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,100}")
_LARGEST = 5_000_000


class _Info(msgspec.Struct, frozen=True):
    home_page: str | None = ""
    project_urls: dict[str, str] | None = None


class _Package(msgspec.Struct, frozen=True):
    info: _Info


def repository_of(package: str, web: str, index: str) -> str:
    """OWNER/NAME on the web site `web` by the package's own links, "" where it has none or the index does not say.

    `index` is the address of the index's JSON API, to which /NAME/json is added.
    """
    if not index or not _NAME.fullmatch(package):
        return ""
    ask = partial(requests.get, f"{index.rstrip('/')}/{package}/json", timeout=TIMEOUT)
    try:
        answer = within(TIMEOUT, ask)
        info = msgspec.json.decode(answer.content[:_LARGEST], type=_Package).info
    except (requests.RequestException, TimeoutError, msgspec.DecodeError):
        return ""  # a name that is no package is the usual case
    place = re.compile(re.escape(web.rstrip("/")) + r"/([\w-]+/[\w.-]+?)(?:\.git)?(?:[/#?].*)?", re.IGNORECASE)
    links = (info.home_page or "", *(info.project_urls or {}).values())
    return next((match[1] for link in links if (match := place.fullmatch(link.strip()))), "")
