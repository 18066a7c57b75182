"""The host's package index settings, as far as a set-up step may know them.

pip itself reads them, from its files and the PIP_* variables. Credentials are taken out; nothing but what is listed here leaves the host.
"""

import os
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from urllib.parse import unquote, urlsplit

import msgspec

from ml_agent.sandbox.errors import SandboxUnavailableError
from ml_agent.tools.foreign_files import read_text

PROXIES = ("HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "http_proxy", "https_proxy", "no_proxy")
CERTIFICATES = ("SSL_CERT_FILE", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE")
CERTIFICATE_NAMES = ("PIP_CERT", "SSL_CERT_FILE", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "GIT_SSL_CAINFO")
DEFAULT_BUNDLE = Path("/etc/ssl/certs/ca-certificates.crt")

Place = Callable[[Path], str]
"""Where a folder of the host is found inside the sandbox."""


class PipSettings(msgspec.Struct, frozen=True, kw_only=True):
    """Package indexes, find-links places, certificates and proxies of the host."""

    index_url: str = ""
    extra_index_urls: tuple[str, ...] = ()
    find_links: tuple[str, ...] = ()
    trusted_hosts: tuple[str, ...] = ()
    constraints: tuple[str, ...] = ()
    """Requirements that versions must keep to."""
    no_index: bool = False
    certificates: Path | None = None
    """One bundle file of the host."""
    proxies: Mapping[str, str] = {}

    def folders(self) -> tuple[Path, ...]:
        """Folders of the host that an installation reads; to be mounted read-only."""
        places = (*self.find_links, self.index_url, *self.extra_index_urls)
        folders = [folder for place in places if (folder := _folder(place)) is not None]
        return tuple(dict.fromkeys(folders))

    def elsewhere(self) -> "PipSettings":
        """The same without folders that are no more than further places to look in: another machine does not have them."""
        return msgspec.structs.replace(
            self,
            find_links=tuple(one for one in self.find_links if _local(one) is None),
            extra_index_urls=tuple(one for one in self.extra_index_urls if _local(one) is None),
        )

    def environment(self, place: Place) -> dict[str, str]:
        """Variables for an install step, with folders written as they are found inside the sandbox."""

        def moved(url: str) -> str:
            folder, local = _folder(url), _local(url)
            if folder is None or local is None:
                return url
            inside = place(folder) + "/" + local.relative_to(folder).as_posix()
            return ("file://" if url.startswith("file:") else "") + inside.removesuffix("/.").rstrip("/")

        values = {
            "PIP_INDEX_URL": moved(self.index_url),
            "PIP_EXTRA_INDEX_URL": " ".join(map(moved, self.extra_index_urls)),
            "PIP_FIND_LINKS": " ".join(map(moved, self.find_links)),
            "PIP_TRUSTED_HOST": " ".join(self.trusted_hosts),
            "PIP_NO_INDEX": "1" if self.no_index else "",
        }
        return {name: value for name, value in values.items() if value} | dict(self.proxies)


def read_pip_settings() -> PipSettings:
    """The settings of this host. Raises SandboxUnavailableError where pip itself could not read them."""
    values = _configured()
    return PipSettings(
        index_url=next(iter(_urls(values.get("index-url", ""))), ""),
        extra_index_urls=_urls(values.get("extra-index-url", "")),
        find_links=_urls(values.get("find-links", "")),
        trusted_hosts=tuple(values.get("trusted-host", "").split()),
        constraints=_constraints(values.get("constraint", "")),
        no_index=values.get("no-index", "").lower() in ("1", "true", "yes", "on"),
        certificates=_certificates(values.get("cert", "")),
        proxies={name: without_credentials(value) for name in PROXIES if (value := os.environ.get(name))},
    )


def without_credentials(url: str) -> str:
    """The URL without user name and password; proxies are often given without a scheme."""
    return re.sub(r"^([\w+.-]+://)?[^/?#]*@", r"\1", url)


def _configured() -> dict[str, str]:
    """What pip's files and variables set, by name; variables above what is said of `pip install`, that above what is said of all."""
    from pip._internal.configuration import Configuration  # only where something is installed
    from pip._internal.exceptions import PipError

    read, values = Configuration(isolated=False), dict[str, str]()
    try:
        read.load()
    except PipError as error:  # without it an index of the user's own would be passed over for the public one
        said = " ".join(str(error).split())
        raise SandboxUnavailableError(f"pip cannot read its own settings, mend them first: {said}") from error
    for section in ("global.", "install.", ":env:."):
        values |= {key.removeprefix(section): text for key, text in read.items() if key.startswith(section) and text}
    return values


def _urls(text: str) -> tuple[str, ...]:
    return tuple(without_credentials(url) if "://" in url else url for url in text.split())


def _constraints(files: str) -> tuple[str, ...]:
    lines = [line.strip() for name in files.split() for line in read_text(Path(name).expanduser()).splitlines()]
    return tuple(line for line in lines if re.match(r"[A-Za-z0-9]", line))


def _certificates(configured: str) -> Path | None:
    candidates = [configured, *(os.environ.get(name, "") for name in CERTIFICATES), str(DEFAULT_BUNDLE)]
    return next((Path(name) for name in candidates if name and Path(name).is_file()), None)


def _local(url: str) -> Path | None:
    """The path that a file URL or plain path names; None for what lies on a server."""
    if url.startswith("file:"):
        return Path(unquote(urlsplit(url).path))
    return Path(url).expanduser().absolute() if url and "://" not in url else None


def _folder(url: str) -> Path | None:
    """What must be mounted for it: the folder, or for an index its parent, since its pages point next to it."""
    path = _local(url)
    if path is None or not path.exists():
        return None
    if path.is_file():
        path = path.parent
    if path.name == "simple" and _mountable(path.parent):
        path = path.parent
    return path if _mountable(path) else None


def _mountable(path: Path) -> bool:
    """Not the root, not a home folder or what holds it: those have more in them than packages."""
    return len(path.parts) > 2 and not Path.home().is_relative_to(path)
