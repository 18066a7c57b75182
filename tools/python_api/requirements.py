"""Which third-party modules a repository says it needs."""

import re
from collections.abc import Iterable, Iterator
from pathlib import Path, PurePosixPath
from typing import Any

from ml_agent.tools.config_text import read_toml
from ml_agent.tools.documents.text import read_text
from ml_agent.tools.python_source import parse_python

_NAME = re.compile(r"^\s*(?:-\s+)?['\"]?([A-Za-z][\w.-]*)\s*(?:\[[^\]]*\])?\s*(?=[<>=!~;@,'\"#\s]|$)")
_IMPORT_NAMES = {
    "opencv-python": ("cv2",),
    "opencv-python-headless": ("cv2",),
    "opencv-contrib-python": ("cv2",),
    "opencv": ("cv2",),
    "pillow": ("PIL",),
    "scikit-learn": ("sklearn",),
    "scikit-image": ("skimage",),
    "pyyaml": ("yaml",),
    "beautifulsoup4": ("bs4",),
    "python-dateutil": ("dateutil",),
    "protobuf": ("google",),
    "attrs": ("attr", "attrs"),
    "pytorch": ("torch",),
    "pytorch-gpu": ("torch",),
    "faiss-cpu": ("faiss",),
    "faiss-gpu": ("faiss",),
    "tensorflow-gpu": ("tensorflow",),
    "pytorch-lightning": ("pytorch_lightning", "lightning"),
    "umap-learn": ("umap",),
    "gitpython": ("git",),
    "python-levenshtein": ("Levenshtein",),
    "hydra-core": ("hydra",),
    "pycocotools-windows": ("pycocotools",),
    "mpi4py": ("mpi4py",),
    "absl-py": ("absl",),
    "torch": ("torch",),
    "biopython": ("Bio",),
    "pyopengl": ("OpenGL",),
    "ipython": ("IPython",),
    "pysocks": ("socks",),
    "moviepy": ("moviepy",),
}


def read_requirements(root: Path, files: Iterable[str]) -> tuple[str, ...]:
    """Import names of what requirement files, setup.py, pyproject.toml and environment files ask for, sorted."""
    found: set[str] = set()
    for path in files:
        for name in _distributions(root / path, PurePosixPath(path).name.lower()):
            found.update(import_names(name))
    return tuple(sorted(found))


def import_names(distribution: str) -> tuple[str, ...]:
    """The modules that a distribution brings, by the usual rule that both have the same name, but for known exceptions."""
    plain = re.sub(r"[-_.]+", "-", distribution).lower()
    return (*_IMPORT_NAMES.get(plain, ()), plain.replace("-", "_"), distribution)


def _distributions(path: Path, name: str) -> Iterator[str]:
    if name.endswith(".txt") and ("require" in name or "constraints" in name):
        yield from _from_lines(read_text(path))
    elif name in ("environment.yml", "environment.yaml", "conda.yml", "conda.yaml") or name.startswith("environment"):
        yield from _from_lines(read_text(path)) if name.endswith((".yml", ".yaml")) else ()
    elif name == "setup.py":
        yield from _from_setup(read_text(path))
    elif name in ("pyproject.toml", "pipfile"):
        yield from _from_toml(read_text(path))
    elif name == "setup.cfg":
        yield from _from_lines(read_text(path))


def _from_lines(text: str) -> Iterator[str]:
    for line in text.split("\n"):
        match = _NAME.match(line)
        if match:
            yield match[1]


def _from_setup(text: str) -> Iterator[str]:
    """Every string of a setup.py that looks like a requirement; too many do no harm."""
    if parse_python(text) is None:
        return
    for string in re.findall(r"['\"]([A-Za-z][\w.\-\[\]]*+[<>=!~;,\d.*\s\w]*+)['\"]", text):
        yield from _from_lines(string)


def _from_toml(text: str) -> Iterator[str]:
    try:
        yield from list(_from_tables(read_toml(text)))
    except (ValueError, RecursionError):
        return


def _from_tables(value: Any) -> Iterator[str]:
    """Strings in lists and keys of tables whose name says that they are dependencies."""
    if not isinstance(value, dict):
        return
    for key, item in value.items():
        if "dependencies" in key or key in ("requires", "packages", "dev-packages"):
            yield from _strings(item)
        yield from _from_tables(item)


def _strings(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        for key, item in value.items():
            yield key
            yield from _strings(item)
    elif isinstance(value, list):
        for item in value:
            if isinstance(item, str):
                yield from _from_lines(item)
