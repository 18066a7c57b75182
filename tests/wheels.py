"""Distributions for tests, made by hand so that no index is needed."""

import zipfile
from collections.abc import Mapping
from pathlib import Path


def make_wheel(folder: Path, name: str, version: str, files: Mapping[str, str], about: str = "") -> str:
    """Write a wheel of these files, with more lines `about` it, into a folder, made where it is not there yet; its file's name."""
    folder.mkdir(parents=True, exist_ok=True)
    plain = name.lower().replace("-", "_").replace(".", "_")
    file, info = f"{plain}-{version}-py3-none-any.whl", f"{plain}-{version}.dist-info"
    with zipfile.ZipFile(folder / file, "w") as archive:
        for path, text in files.items():
            archive.writestr(path, text)
        archive.writestr(f"{info}/METADATA", f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n{about}")
        archive.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        archive.writestr(f"{info}/RECORD", "".join(f"{path},,\n" for path in files))
    return file
