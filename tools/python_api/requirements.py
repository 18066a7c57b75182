"""What a repository says it needs: requirements files, package metadata, conda environments, README blocks. Reads only."""

import os
import re
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import msgspec

from ml_agent.tools.foreign_files import is_file, read_text
from ml_agent.tools.python_api.distributions import modules_of, normalized
from ml_agent.tools.signatures.setup_files import config_lines, dig, read_project, setup_arguments

MAX_FILES = 40
MAX_LINES = 5000
"""Of one file or list."""
MAX_DEPTH = 3
"""Folders below the root in which requirements are looked for."""
MAX_YAML = 64 * 1024
_SKIPPED = frozenset({".git", "node_modules", "site-packages", ".venv", "venv", "third_party", "thirdparty", "vendor"})
_INSTALL = re.compile(r"^\s*+[$!>%]?\s*+(?:sudo\s++)?(?:python3?\s+-m\s+)?pip3?\s+install\s+(.+)$")
_NAME = re.compile(r"[A-Za-z0-9](?:[\w.-]*[A-Za-z0-9])?", re.ASCII)
"""Of a distribution."""
_CONDA = re.compile(r"^\s*+[$!>]?\s*+(?:conda|mamba)\s+install\s+(.+)$")
_CONDA_NAMES = {
    "pytorch": "torch",
    "pytorch-cpu": "torch",
    "pytorch-gpu": "torch",
    "tensorflow-gpu": "tensorflow",
    "opencv": "opencv-python-headless",
    "py-opencv": "opencv-python-headless",
    "faiss": "faiss-cpu",
    "msgpack-python": "msgpack",
    "matplotlib-base": "matplotlib",
    "pytables": "tables",
    "lightning": "pytorch-lightning",
    "python-graphviz": "graphviz",
    "prompt_toolkit": "prompt-toolkit",
}
_CONDA_ONLY = frozenset(
    [
        "python",
        "pip",
        "setuptools",
        "wheel",
        "cudatoolkit",
        "pytorch-cuda",
        "cudnn",
        "cuda",
        "mkl",
        "blas",
        "openssl",
        "ca-certificates",
        "sqlite",
        "zlib",
        "readline",
        "ncurses",
        "xz",
        "tk",
        "libffi",
        "gcc",
        "gxx",
        "cmake",
        "make",
        "git",
        "conda",
        "libgcc-ng",
        "libstdcxx-ng",
        "ffmpeg",
        "intel-openmp",
        "numpy-base",
        "nb_conda",
        "jupyter_core",
    ]
)


class DeclaredRequirement(msgspec.Struct, frozen=True, kw_only=True):
    """One requirement as the repository writes it."""

    name: str
    """Distribution, normalised."""
    text: str
    """What pip is given."""
    where: str
    """File that says so, relative to the root."""


def requirement_files(root: Path, near: Path | None = None) -> list[Path]:
    """Files of requirements: those nearest to `near` (a folder) first, then the root's, then others."""
    found = []
    for here, folders, names in os.walk(root):
        depth = len(Path(here).relative_to(root).parts)
        folders[:] = sorted(name for name in folders if depth < MAX_DEPTH and name not in _SKIPPED)
        paths = [Path(here, name) for name in sorted(names)]
        found += [path for path in paths if _is_requirements(path) and is_file(path)]
    home = near or root

    def rank(path: Path) -> tuple[bool, int, bool, bool, str]:
        above = _is_above(path, home)
        depth = -len(_home_of(path).parts) if above else len(path.parts)
        return (not above, depth, _is_special(path), path.name != "requirements.txt", path.name)

    return sorted(found, key=rank)[:MAX_FILES]


def _home_of(path: Path) -> Path:
    """The folder that a file of requirements speaks of."""
    return path.parent.parent if path.parent.name in ("requirements", "requirement") else path.parent


def _is_above(path: Path, home: Path) -> bool:
    return _home_of(path) in (home, *home.parents)


def _is_special(path: Path) -> bool:
    return re.search(r"dev|test|doc|lint|build|optional|extra|colab|gpu|cuda|mac|win", path.name) is not None


def near_files(root: Path, near: Path) -> list[Path]:
    """The files of requirements that hold for what lies in `near`: above it, and for no special purpose; conda's where there are no others."""
    own = [path for path in requirement_files(root, near) if _is_above(path, near) and not _is_special(path)]
    plain = [path for path in own if path.suffix not in (".yml", ".yaml")]
    return plain or own


def package_requires(folder: Path) -> list[str]:
    """What the package of a folder says in its files that it needs, extras apart, as far as that is written out."""
    lines = [
        *_project(folder / "pyproject.toml"),
        *_list(setup_arguments(read_text(folder / "setup.py")).get("install_requires")),
    ]
    lines += config_lines(read_text(folder / "setup.cfg"), "options", "install_requires")
    return [found[1] for line in lines[:MAX_LINES] if (found := parse(line)) is not None]


def wanted_by(root: Path, near: Path | None = None) -> list[DeclaredRequirement]:
    """Everything the repository asks for, what stands nearest to `near` first; one entry a distribution."""
    found: dict[str, DeclaredRequirement] = {}
    for wanted in _all(root, near):
        found.setdefault(wanted.name, wanted)
    return list(found.values())


def own_names(root: Path) -> frozenset[str]:
    """What the repository's own package is called, normalised, as far as its files say."""
    project = read_project(read_text(root / "pyproject.toml"))
    tables = (dig(project, "project"), dig(project, "tool", "poetry"), setup_arguments(read_text(root / "setup.py")))
    said = (*(table.get("name") for table in tables), *config_lines(read_text(root / "setup.cfg"), "metadata", "name"))
    return frozenset(
        normalized(name.strip()) for name in said if isinstance(name, str) and _NAME.fullmatch(name.strip())
    )


def wanted_python(root: Path) -> str:
    """What the repository says about Python's version, as a specifier such as `>=3.8,<3.11`; empty when it says nothing."""
    project = read_project(read_text(root / "pyproject.toml"))
    said = dig(project, "project").get("requires-python")
    said = said or dig(project, "tool", "poetry", "dependencies").get("python")
    if isinstance(said, str):
        return _caret(said)
    setup = setup_arguments(read_text(root / "setup.py")).get("python_requires")
    if isinstance(setup, str):
        return setup
    for path in sorted(root.glob("*.y*ml")):
        for line in _list(_conda(path)) if _is_conda(path) else ():
            match = re.match(r"python\s*=+\s*(\d+\.\d+)", line)
            if match:
                return f"=={match[1]}.*"
    pipfile = dig(read_project(read_text(root / "Pipfile")), "requires")
    pinned = [read_text(root / ".python-version"), read_text(root / "runtime.txt").removeprefix("python-")]
    pinned += [str(value) for value in pipfile.values()]
    found = [match for text in pinned if (match := re.match(r"(3\.\d+)", text.strip()))]
    return f"=={found[0][1]}.*" if found else ""


def _all(root: Path, near: Path | None) -> Iterator[DeclaredRequirement]:
    """Files above the task first, then what the package itself says, then what is for tests and documents or lies elsewhere."""
    files = requirement_files(root, near)
    own = [path for path in files if _is_above(path, near or root) and not _is_special(path)]
    yield from requirements_of(own, root)
    yield from _parse_lines(_project(root / "pyproject.toml"), "pyproject.toml")
    yield from _parse_lines(_list(setup_arguments(read_text(root / "setup.py")).get("install_requires")), "setup.py")
    yield from _parse_lines(config_lines(read_text(root / "setup.cfg"), "options", "install_requires"), "setup.cfg")
    pipfile = dig(read_project(read_text(root / "Pipfile")), "packages")
    yield from _parse_lines(map(_poetry, pipfile, pipfile.values()), "Pipfile")
    yield from requirements_of((path for path in files if path not in own), root)
    for name in ("pyproject.toml", "setup.py"):
        yield from _in_file(root / name, root)  # its extras
    for readme in _readmes(root, near):
        yield from _parse_lines(_readme_lines(readme), readme.relative_to(root).as_posix())


def requirements_of(files: Iterable[Path], root: Path) -> Iterator[DeclaredRequirement]:
    """All that some of these files ask for, in order."""
    for path in files:
        lines = _conda_pip(path) if path.suffix in (".yml", ".yaml") else _lines(path, root, set())
        yield from _parse_lines(lines, path.relative_to(root).as_posix())


def read_requirements(root: Path, files: Iterable[str]) -> tuple[str, ...]:
    """Names of the modules that requirement files, project files and conda environments ask for, sorted; whatever their purpose."""
    found: set[str] = set()
    for name in files:
        for wanted in _in_file(root / name, root):
            found |= {*modules_of(wanted.name), wanted.name.replace("-", "_")}
    return tuple(sorted(found))


def _in_file(path: Path, root: Path) -> Iterator[DeclaredRequirement]:
    name = path.name.lower()
    if name == "pyproject.toml":
        groups = dig(read_project(read_text(path)), "project", "optional-dependencies").values()
        yield from _parse_lines([*_project(path), *(line for group in groups for line in _list(group))], name)
    elif name == "setup.py":
        given = setup_arguments(read_text(path))
        extras = given.get("extras_require")
        more = [line for group in (extras.values() if isinstance(extras, dict) else ()) for line in _list(group)]
        yield from _parse_lines([*_list(given.get("install_requires")), *more], name)
    elif name == "setup.cfg":
        yield from _parse_lines(config_lines(read_text(path), "options", "install_requires"), name)
    elif name == "pipfile":
        packages = dig(read_project(read_text(path)), "packages") | dig(read_project(read_text(path)), "dev-packages")
        yield from _parse_lines(map(_poetry, packages, packages.values()), name)
    elif _is_requirements(path) or "constraints" in name:
        yield from requirements_of([path], root)


def parse(line: str) -> tuple[str, str] | None:
    """Name and text of one line of a requirements file; None for options, paths and what cannot be read."""
    line = re.sub(r"(^|\s)#.*$", "", line).strip()
    line = re.sub(r"(?<!\s)\s++--hash=\S+|\\$", "", line).strip()
    line = re.sub(r"(?<!\s)\s++@\s+file:.*$", "", line)  # pip freeze in a conda environment writes the author's disk
    if not line or line.startswith(("-", ".", "/", "http:", "https:", "git:")):
        return None
    if line.startswith("git+"):
        match = re.search(r"#(?:[^#]*&)?egg=([\w.-]+)", line)
        return (normalized(match[1]), line) if match else None
    from packaging.requirements import Requirement  # takes longer than all of this module

    try:
        requirement = Requirement(line)
        if requirement.marker is not None and not requirement.marker.evaluate({"extra": ""}):
            return None
        requirement.marker = None
        return normalized(requirement.name), str(requirement)
    except ValueError:  # no requirement, or one with a number that Python does not read
        return None


def _parse_lines(lines: Iterable[str], where: str) -> Iterator[DeclaredRequirement]:
    for line in islice(lines, MAX_LINES):
        found = parse(line)
        if found is not None:
            yield DeclaredRequirement(name=found[0], text=found[1], where=where)


def _is_requirements(path: Path) -> bool:
    if path.suffix == ".txt" and "requirement" in path.name.lower():
        return True
    if path.suffix in (".yml", ".yaml"):
        return _is_conda(path)
    return path.parent.name in ("requirements", "requirement") and path.suffix in (".txt", ".in")


def _is_conda(path: Path) -> bool:
    return (
        re.fullmatch(r"(?:conda[-_]?)?(?:environment|env|conda|requirements?)[\w.-]*\.ya?ml", path.name.lower())
        is not None
    )


def _lines(path: Path, root: Path, seen: set[Path]) -> Iterator[str]:
    """The lines of a file and of those that it includes from the repository."""
    if path in seen or len(seen) >= MAX_FILES or not path.resolve().is_relative_to(root.resolve()):
        return
    seen.add(path)
    for line in read_text(path).splitlines()[:MAX_LINES]:
        match = re.match(r"\s*(?:-r|--requirement)[\s=]+(\S+)", line)
        if match:
            yield from _lines(path.parent / match[1], root, seen)
        else:
            yield line


def _project(path: Path) -> list[str]:
    content = read_project(read_text(path))
    own = _list(dig(content, "project").get("dependencies"))
    poetry = dig(content, "tool", "poetry", "dependencies")
    return own + [_poetry(name, value) for name, value in poetry.items() if name != "python"]


def _poetry(name: str, value: object) -> str:
    version = value.get("version", "") if isinstance(value, dict) else value
    return f"{name}{_caret(version)}" if isinstance(version, str) and version != "*" else name


def _caret(version: str) -> str:
    """Poetry's `^1.2` and `~1.2` as pip writes them."""
    match = re.match(r"\s*([\^~])\s*(\d{1,9})(?:\.(\d{1,9}))?([\d.]*)\s*$", version)
    if not match:
        return f"=={version}" if re.fullmatch(r"\d[\w.]*", version) else version
    sign, major, minor, rest = match.groups()
    low = f">={major}.{minor or 0}{rest or ''}"
    if sign == "~" or (major == "0" and minor):
        return f"{low},<{major}.{int(minor or 0) + 1}"
    return f"{low},<{int(major) + 1}"


def _list(value: object) -> list[str]:
    return [item for item in value if isinstance(item, str)] if isinstance(value, list | tuple) else []


def _conda(path: Path) -> list[Any]:
    import yaml  # few repositories have such a file

    try:
        content = yaml.safe_load(read_text(path, MAX_YAML))
    except (yaml.YAMLError, ValueError, RecursionError, TypeError, AttributeError, LookupError, ArithmeticError):
        return []  # a tag may call anything a number, a date or a switch
    found = content.get("dependencies") if isinstance(content, dict) else None
    return found if isinstance(found, list) else []


def _conda_pip(path: Path) -> list[str]:
    """A conda environment as lines for pip, where the package exists there."""
    lines = []
    for item in _conda(path):
        if isinstance(item, dict):
            lines += _list(item.get("pip"))
        elif isinstance(item, str) and (line := conda_to_pip(item)):
            lines.append(line)
    return lines


def conda_to_pip(item: str) -> str:
    """One conda dependency as a requirement; empty for what pip cannot install."""
    item = item.rpartition("::")[2].strip()
    name, _, rest = re.sub(r"\s+", "", item).partition("=")
    match = re.match(r"([\w.-]+)([<>!~]=?.*)?$", name)
    if not match or match[1].lower() in _CONDA_ONLY or match[1].startswith(("_", "lib")):
        return ""
    pip = _CONDA_NAMES.get(match[1].lower(), match[1])
    if match[2]:
        return f"{pip}{match[2]}{'=' + rest if rest else ''}"
    version = rest.lstrip("=").partition("=")[0]
    if not version:
        return pip
    return f"{pip}=={version}" if version.count(".") >= 2 or "*" in version else f"{pip}=={version}.*"


def _readmes(root: Path, near: Path | None) -> list[Path]:
    folders = [near, *near.parents] if near is not None else [root]
    inside = [folder for folder in folders if folder.is_relative_to(root)]
    return [path for folder in inside for path in sorted(folder.glob("[Rr][Ee][Aa][Dd][Mm][Ee]*")) if is_file(path)]


def _readme_lines(path: Path) -> list[str]:
    """Packages of `pip install` and `conda install` lines."""
    lines = []
    for line in read_text(path).splitlines():
        pip, conda = _INSTALL.match(line), _CONDA.match(line)
        found = pip or conda
        if found is None:
            continue
        words = re.split(r"&&|;|\||\s#", found[1])[0].split()
        if any(word in ("-r", "-e", "--requirement", "--editable", ".") for word in words):
            continue
        plain = _without_options(words)
        lines += plain if pip else [line for word in plain if (line := conda_to_pip(word))]
    return lines


def _without_options(words: list[str]) -> list[str]:
    found, skip = [], False
    for word in words:
        if skip:
            skip = False
        elif word.startswith("-"):
            skip = word in (
                "-c",
                "-i",
                "-f",
                "-t",
                "--index-url",
                "--extra-index-url",
                "--find-links",
                "--channel",
                "-n",
            )
        else:
            found.append(word.strip("\"'`"))
    return found
