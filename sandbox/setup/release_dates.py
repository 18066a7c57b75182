"""Prints the newest version of a distribution that was out on a day. Runs inside the sandbox, with its Python.

    python release_dates.py NAME YYYY-MM-DD

Reads the package index as pip is configured for it: the JSON form with upload times (PEP 700), or HTML that carries them.
"""

import json
import os
import re
import sys
import urllib.request


def main() -> None:
    """Exit 1 when the index does not say when files were uploaded."""
    from pip._internal.models.index import PyPI
    from pip._vendor.packaging.version import InvalidVersion, Version

    name, day = sys.argv[1], sys.argv[2]
    base = os.environ.get("PIP_INDEX_URL") or PyPI.simple_url
    accept = "application/vnd.pypi.simple.v1+json, text/html;q=0.1"
    request = urllib.request.Request("{}/{}/".format(base.rstrip("/"), name), headers={"Accept": accept})
    with urllib.request.urlopen(request, timeout=60) as answer:
        body = answer.read().decode("utf-8", "replace")
        kind = answer.headers.get("Content-Type", "")
    found = []
    for file, uploaded in from_json(body) if "json" in kind else from_html(body):
        match = re.match(r"[A-Za-z0-9_.]+?-(\d[\w.!+]*?)(?:-|\.tar|\.zip|\.whl)", file)
        if match and uploaded and uploaded[:10] <= day:
            try:
                version = Version(match.group(1))
            except InvalidVersion:
                continue
            if not version.is_prerelease:
                found.append(version)
    if not found:
        sys.exit(1)
    print(max(found))


def from_json(body: str) -> list:  # type: ignore[type-arg]
    return [(f["filename"], f.get("upload-time", "")) for f in json.loads(body)["files"] if not f.get("yanked")]


def from_html(body: str) -> list:  # type: ignore[type-arg]
    found = []
    for attributes, file in re.findall(r"<a\s([^>]*)>\s*([^<]+?)\s*</a>", body):
        uploaded = re.search(r'data-upload-time="([^"]+)"', attributes)
        if "data-yanked" not in attributes:
            found.append((file, uploaded.group(1) if uploaded else ""))
    return found


if __name__ == "__main__":
    main()
