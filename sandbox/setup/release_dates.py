"""Prints up to which version distributions may go so that they are as they were on a day. Runs inside the sandbox.

    python release_dates.py YYYY-MM-DD PYTHON NAME...

One line `NAME<=VERSION` each: the newest version that was out and has a wheel for that Python, else the oldest with such a
wheel, else the newest that was out. Nothing for one of which the index tells no upload times. Reads the package index as pip
is configured for it: the JSON form with upload times (PEP 700), or HTML that carries them.
"""

import json
import os
import re
import sys
import urllib.request
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache

MOST = 64 * 1024 * 1024  # bytes of what an index says of one distribution


def main() -> None:
    """Exit 1 when the index tells upload times of nothing."""
    day, python, names = sys.argv[1], sys.argv[2], sys.argv[3:]
    with ThreadPoolExecutor(8) as pool:
        lines = list(filter(None, pool.map(lambda name: bound(name, day, python), names)))
    print("\n".join(lines))
    sys.exit(not lines)


def bound(name: str, day: str, python: str) -> str:
    from pip._internal.models.index import PyPI

    base = os.environ.get("PIP_INDEX_URL") or PyPI.simple_url
    accept = "application/vnd.pypi.simple.v1+json, text/html;q=0.1"
    request = urllib.request.Request("{}/{}/".format(base.rstrip("/"), name), headers={"Accept": accept})
    try:
        with urllib.request.urlopen(request, timeout=60) as answer:
            body = answer.read(MOST).decode("utf-8", "replace")
            kind = answer.headers.get("Content-Type", "")
    except OSError as error:
        print(f"{name}: {error}", file=sys.stderr)
        return ""
    files = [file for file in (from_json(body) if "json" in kind else from_html(body)) if file[1]]
    version = chosen(files, day, python)
    return f"{name}<={version}" if version else ""


def chosen(files: list, day: str, python: str) -> str:  # type: ignore[type-arg]
    """Of file names with upload times and the Pythons that they are for."""
    tags, before, wheels = wheel_tags(python), [], []
    for file, uploaded, wanted in files:
        version = version_of(file)
        if version is None or not allows(wanted or "", python):
            continue
        if uploaded[:10] <= day:
            before.append(version)
        if file.endswith(".whl") and tags & set(tags_of(file)):
            wheels.append(version)
    ready = set(wheels) & set(before)
    if ready or wheels:
        return str(max(ready) if ready else min(wheels))
    return str(max(before)) if before else ""


@lru_cache(None)
def allows(wanted: str, python: str) -> bool:
    from pip._vendor.packaging.specifiers import InvalidSpecifier, SpecifierSet

    try:
        return SpecifierSet(wanted).contains(python + ".99")
    except InvalidSpecifier:
        return False


def version_of(file: str):  # type: ignore[no-untyped-def]
    """None for what is no final version."""
    from pip._vendor.packaging.version import InvalidVersion, Version

    match = re.match(r"[A-Za-z0-9_.-]+?-(\d[\w.!+]*?)(?:-|\.tar|\.zip|\.whl)", file)
    try:
        version = Version(match.group(1)) if match else None
    except InvalidVersion:
        return None
    return None if version is None or version.is_prerelease else version


def tags_of(file: str) -> list:  # type: ignore[type-arg]
    """What a wheel's name says that it fits, as strings."""
    parts = file[: -len(".whl")].split("-")[-3:]
    pythons, abis, platforms = (part.split(".") for part in parts)
    return ["-".join((one, abi, platform)) for one in pythons for abi in abis for platform in platforms]


@lru_cache(None)
def wheel_tags(python: str) -> set:  # type: ignore[type-arg]
    """What a wheel may say that is to fit this machine under that Python."""
    from pip._internal.utils.compatibility_tags import get_supported

    return {str(tag) for tag in get_supported(python.replace(".", ""))}


def from_json(body: str) -> list:  # type: ignore[type-arg]
    files = [file for file in json.loads(body)["files"] if not file.get("yanked")]
    return [(file["filename"], file.get("upload-time", ""), file.get("requires-python")) for file in files]


def from_html(body: str) -> list:  # type: ignore[type-arg]
    found = []
    for attributes, file in re.findall(r"<a\s([^>]*)>\s*([^<]+?)\s*</a>", body):
        uploaded = re.search(r'data-upload-time="([^"]+)"', attributes)
        wanted = re.search(r'data-requires-python="([^"]+)"', attributes)
        python = wanted.group(1).replace("&gt;", ">").replace("&lt;", "<") if wanted else ""
        if "data-yanked" not in attributes:
            found.append((file, uploaded.group(1) if uploaded else "", python))
    return found


if __name__ == "__main__":
    main()
