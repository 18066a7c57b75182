"""What uv is asked, as bash, and what its answers say.

With the package index in reach nothing of a package or a repository runs: what a resolution must know of sources is told to uv
(`dependency-metadata`), and the interpreter that it would build others with only answers what kind of interpreter it is.
"""

import json
import re
import shlex
import tomllib
from collections.abc import Iterable, Mapping
from email.parser import HeaderParser
from typing import Any, Literal

import msgspec

from ml_agent.sandbox.environment import BUILD_FOLDER
from ml_agent.sandbox.setup.system import ready_made
from ml_agent.sandbox.uv_program import NO_INDEX
from ml_agent.tools.python_api.distributions import normalized

RESOLVE = "$resolve"
"""A folder of one resolution's own."""
BUILD = f"$VIRTUAL_ENV/{BUILD_FOLDER}"
"""Where sources and what is made of them lie while an environment is made; seen by the installer and by builds."""

_UNREAD = "ML-AGENT-METADATA"
"""Stands before what the wheel says of itself that uv cannot read, such as `pytz (>=2011k)`."""

Reason = Literal["build", "unsatisfiable", "not-found", "network", "disk", "time", "unknown"]

_SHA256 = re.compile("[0-9a-f]{64}", re.ASCII)
_BUILD = re.compile(r"Failed to (?:download and )?build `?([A-Za-z0-9][\w.-]*)==([\w.!+-]+)`?")
NO_VERSION = re.compile(r"(?<=\d)(?:[a-z]|\.x)(?=\s*(?:[,);]|$))")
"""What stands behind a version and only old installers took: `pytz (>=2011k)`, `cython>=0.x`."""
_REASONS: tuple[tuple[Reason, re.Pattern[str]], ...] = (
    ("network", re.compile(r"dns error|[Cc]onnect(?:ion)? (?:error|refused|reset)|Failed to fetch|timed out|client error|tunnel error")),
    ("not-found", re.compile(r"was not found in the (?:package registry|cache|provided package locations)|no versions? of|only .* (?:is|are) available")),
    ("unsatisfiable", re.compile(r"No solution found|unsatisfiable|incompatible")),
)  # fmt: skip
_FULL = re.compile(r"No space left on device|Disk quota exceeded|disk limit|File too large")
_MISSING = re.compile(
    r"(?:[Bb]ecause|and) ([A-Za-z0-9][\w.-]*) was not found|there (?:is|are) no versions? of ([A-Za-z0-9][\w.-]*)"
)
_WANTED = re.compile(r"depends on ([A-Za-z0-9][\w.-]*?)(?:\[[\w,]*\])?[<>=!~]")
_NAMED = re.compile(r"(?<![\w.-])([A-Za-z0-9][\w.-]*?)(?:\[[\w,]*\])?(?:[<>=!~]=|[<>])")


class Wanted(msgspec.Struct, frozen=True, kw_only=True):
    """What one resolution is to meet."""

    requirements: tuple[str, ...]
    constraints: tuple[str, ...] = ()
    day: str = ""
    """Nothing newer than this day, YYYY-MM-DD, is taken; "" takes today's."""
    young: tuple[str, ...] = ()
    """Distributions of which nothing newer than `settled` is taken."""
    settled: str = ""
    ready: tuple[str, ...] = ()
    """Distributions that are taken as wheels or not at all."""
    dependencies: bool = True

    @property
    def meaning(self) -> "Wanted":
        """The same for requirements that differ in order and spelling alone."""
        return msgspec.structs.replace(self, requirements=tuple(sorted(set(map(plain, self.requirements)))))


class Source(msgspec.Struct, frozen=True, kw_only=True):
    """A source distribution as the index has it."""

    address: str
    sha256: str
    name: str
    """Of the file."""
    day: str = ""


class Package(msgspec.Struct, frozen=True, kw_only=True):
    """One package of a resolution."""

    name: str
    version: str
    source: Source | None = None
    wheels: tuple[str, ...] = ()
    """Their addresses."""
    hashes: tuple[str, ...] = ()

    @property
    def pin(self) -> str:
        """The requirement that gives just this."""
        return f"{self.name}=={self.version}"


class Metadata(msgspec.Struct, frozen=True, kw_only=True):
    """What a package says of itself."""

    name: str
    version: str
    requires: tuple[str, ...] = ()
    python: str = ""
    extras: tuple[str, ...] = ()

    @staticmethod
    def read(text: str) -> "Metadata":
        """From the text of a METADATA file."""
        head = HeaderParser().parsestr(text.partition("\n\n")[0])
        return Metadata(
            name=str(head.get("Name", "")),
            version=str(head.get("Version", "")),
            requires=tuple(NO_VERSION.sub("", str(one)) for one in head.get_all("Requires-Dist", ())),
            python=str(head.get("Requires-Python", "")),
            extras=tuple(map(str, head.get_all("Provides-Extra", ()))),
        )


class Refusal(msgspec.Struct, frozen=True, kw_only=True):
    """Why uv gives no answer."""

    reason: Reason
    lines: tuple[str, ...] = ()
    """What it said, as far as it means something."""
    name: str = ""
    """The package meant."""
    version: str = ""
    named: tuple[str, ...] = ()
    """Distributions whose versions it speaks of; those first that another one wants otherwise."""
    unread: Metadata | None = None
    """Of the wheel that says of itself what uv cannot read."""

    @property
    def line(self) -> str:
        """One line of it."""
        return " ".join(self.lines)[:300] or "the installer failed"


def compile_text(wanted: Wanted, known: Iterable[Metadata]) -> str:
    """A bash text that prints a resolution as pylock.toml; else what uv says, and what a wheel says of itself that uv cannot read."""
    unread = f"""sed -nE 's/^hint: (The structure of|Metadata for) `([A-Za-z0-9._-]+)` \\(v([a-z0-9.!+-]+)\\).*/\\2==\\3/p' "{RESOLVE}/said" """
    install = f'"$ML_AGENT_UV" -q pip install --no-deps --no-build --no-config --python "{RESOLVE}/bin/python" ${{{NO_INDEX}:-}}'
    read = f"""{unread} | head -n 1 | xargs -r {install} --target "{RESOLVE}/read" 2>/dev/null; echo {_UNREAD}; sed -s '/^$/q' "{RESOLVE}"/read/*.dist-info/METADATA"""
    words = [
        '"$ML_AGENT_UV" -q pip compile --format pylock.toml --no-build-isolation --no-sources --no-header',
        f'--config-file "{RESOLVE}/uv.toml" --python "{RESOLVE}/bin/python" -o "{RESOLVE}/pylock.toml" ${{{NO_INDEX}:-}}',
        *(["--no-deps"] if not wanted.dependencies else []),
        *([f"--exclude-newer {shlex.quote(wanted.day)}"] if wanted.day else []),
        *(f"--exclude-newer-package {shlex.quote(f'{name}={wanted.settled}')}" for name in wanted.young),
        *(f"--only-binary {shlex.quote(name)}" for name in (*ready_made(), *wanted.ready)),
        *([f'-c "{RESOLVE}/constraints"'] if wanted.constraints else []),
        f'"{RESOLVE}/requirements.in"',
    ]
    return "\n".join(
        [
            "resolve=$(mktemp -d); trap 'rm -rf \"$resolve\"' EXIT",
            _answering_python(),
            requirements_text(f"{RESOLVE}/requirements.in", wanted.requirements),
            requirements_text(f"{RESOLVE}/constraints", wanted.constraints),
            _written(f"{RESOLVE}/uv.toml", map(_toml, known)),
            f'{" ".join(words)} >"{RESOLVE}/said" 2>&1 || {{ cat "{RESOLVE}/said"; {read} 2>/dev/null; exit 1; }}',
            f'cat "{RESOLVE}/pylock.toml"',
        ]
    )


def install_text(packages: Iterable[Package], seeds: bool, target: str = "$VIRTUAL_ENV", lock: str = "$pins") -> str:
    """A bash text that makes an environment anew and puts packages into it that come as wheels.

    Args:
        packages: What is put there.
        seeds: Whether pip, and before Python 3.12 setuptools, can be imported as in every environment of Python's own: from its wheels.
        target: Its folder.
        lock: A file of packages to be put there instead.
    """
    pins = [package.pin for package in packages]
    lines = [
        "set -e",
        f'mkdir -p "{target}" && find "{target}" -mindepth 1 -maxdepth 1 -not -name {BUILD_FOLDER} -exec rm -rf {{}} +',
        f'"$ML_AGENT_UV" -q venv --relocatable --allow-existing --python "$ML_AGENT_PYTHON" "{target}"',
    ]
    if seeds:
        lines += [
            "folder=$(\"$ML_AGENT_PYTHON\" -I -S -c 'import ensurepip, os; print(os.path.dirname(ensurepip.__file__))')/_bundled",
            '[ -e "$folder"/pip-*.whl ] 2>/dev/null || folder=/usr/share/python-wheels',
            f'ls "$folder"/pip-*.whl "$folder"/setuptools-*.whl >$(echo "{target}"/lib/python3.*/site-packages)/bundled.pth 2>/dev/null || true',
            f'printf \'#!/bin/sh\\nexec "$(dirname "$0")/python" -m pip "$@"\\n\' >"{target}/bin/pip" && chmod 755 "{target}/bin/pip"',
        ]
    if pins or lock != "$pins":
        lines += [
            "pins=$(mktemp)",
            _written("$pins", pins),
            f'"$ML_AGENT_UV" -q pip install --no-deps --no-build --no-config --python "{target}/bin/python" ${{{NO_INDEX}:-}} -r "{lock}"',
        ]
    return "\n".join(lines)


def link_text(wheels: str) -> str:
    """A bash text that installs built wheels, words of bash, without a network and without what is shared with other runs."""
    uv = '"$ML_AGENT_UV" -q pip install --no-cache --offline --no-deps --no-build --no-config --link-mode copy'
    return f'{uv} --python "$VIRTUAL_ENV/bin/python" {wheels}'


def at_once_text(wanted: Wanted) -> str:
    """A bash text that makes the environment from a resolution, and prints that where it could, with wheels alone."""
    lock = f"{RESOLVE}/pylock.toml"
    return f'{compile_text(wanted, ())} >/dev/null\n{install_text((), seeds=True, lock=lock)} && cat "{lock}"'


def look_text(names: Iterable[str], day: str) -> str:
    """A bash text that prints the modules in the wheels of distributions, a line each: its name, then what lies at its top."""
    uv = f'"$ML_AGENT_UV" -q pip install --no-deps --no-build --exclude-newer {shlex.quote(day)} --python "$ML_AGENT_PYTHON"'
    lines = [
        'look=$(mktemp -d); trap \'rm -rf "$look"\' EXIT; cd "$look"',
        f"for name in {' '.join(map(shlex.quote, names))}; do",
        f'{uv} --target "$name" --link-mode symlink ${{{NO_INDEX}:-}} "$name" >/dev/null 2>&1 && ',
        'echo "$name" $(cd "$name" && find . -maxdepth 3 \\( -name \'*.py\' -o -name \'*.so\' \\) | head -n 3000) >"said-$name" &',
        "done; wait; cat said-* || true",
    ]
    return "\n".join(lines)


def read_lock(text: str) -> tuple[Package, ...]:
    """The packages of a pylock.toml."""
    found = []
    for entry in tomllib.loads(text).get("packages", ()):
        sdist, wheels = entry.get("sdist"), entry.get("wheels", ())
        address = str((sdist or {}).get("url") or (sdist or {}).get("path") or "")
        source = Source(
            address=address,
            sha256=_digest(sdist or {}),
            name=address.rpartition("/")[2],
            day=str((sdist or {}).get("upload-time", ""))[:10],
        )
        hashes = [_digest(one) for one in (*wheels, *([sdist] if sdist else ()))]
        found.append(
            Package(
                name=str(entry["name"]),
                version=str(entry.get("version", "")),
                source=source if sdist else None,
                wheels=tuple(str(one.get("url") or one.get("path") or "") for one in wheels),
                hashes=tuple(filter(None, hashes)),
            )
        )
    return tuple(found)


def _digest(file: Mapping[str, Any]) -> str:
    """The SHA-256 that an index gives for a file; "" where it gives none: what it says else becomes part of a path."""
    said = str(file.get("hashes", {}).get("sha256", "")).lower()
    return said if _SHA256.fullmatch(said) else ""


def read_refusal(output: str, ended: str = "exited") -> Refusal:
    """What uv's words say of a failure."""
    output, _, unread = output.partition(f"{_UNREAD}\n")
    lines = tuple(line.strip() for line in output.splitlines() if line.strip() and not line.startswith("warning:"))
    if _FULL.search(output):
        return Refusal(reason="disk", lines=lines[:12])
    if ended != "exited":
        return Refusal(reason="time", lines=(f"the installer ended: {ended}",))
    if (match := _BUILD.search(output)) is not None:
        return Refusal(reason="build", lines=lines[:8], name=normalized(match[1]), version=match[2])
    plain = " ".join(output.split())
    reason: Reason = next((name for name, pattern in _REASONS if pattern.search(plain)), "unknown")
    missing = _MISSING.search(plain)
    named = dict.fromkeys(map(normalized, [*_WANTED.findall(plain), *_NAMED.findall(plain)]))
    name = normalized(missing[1] or missing[2]) if missing else ""
    read = Metadata.read(unread) if unread.strip() else None
    return Refusal(reason=reason, lines=lines[:12], name=name, named=tuple(named), unread=read)


def _answering_python() -> str:
    """An interpreter that says what it is, and runs nothing else."""
    stub = [
        "#!/bin/bash",
        'for word; do case "$word" in *get_interpreter_info*)',
        '  exec -a "$0" "$ML_AGENT_PYTHON" -S "$@";;',
        "esac; done",
        'echo "nothing is built here" >&2; exit 77',
    ]
    return "\n".join(
        [
            f'mkdir -p "{RESOLVE}/bin"',
            _written(f"{RESOLVE}/bin/python", stub),
            f'chmod +x "{RESOLVE}/bin/python"',
            f'echo "home = $(dirname "$ML_AGENT_PYTHON")" >"{RESOLVE}/pyvenv.cfg"',
        ]
    )


def requirements_text(path: str, requirements: Iterable[str]) -> str:
    """A command that writes a file of requirements for uv, in which nothing is an option, a path or an address."""
    return _written(path, filter(None, map(plain, requirements)))


def _written(path: str, lines: Iterable[str]) -> str:
    """A command that writes lines into a file."""
    words = " ".join(shlex.quote(line) for line in lines)
    return f"printf '%s\\n' {words} >\"{path}\"" if words else f': >"{path}"'


def _toml(known: Metadata) -> str:
    values = {"name": known.name, "version": known.version, "requires-dist": list(known.requires)}
    values |= {"requires-python": known.python} if known.python else {}
    values |= {"provides-extra": list(known.extras)} if known.extras else {}
    return "[[dependency-metadata]]\n" + "\n".join(f"{name} = {json.dumps(value)}" for name, value in values.items())


def plain(requirement: str) -> str:
    """A requirement, written anew on one line; "" for what is none, and for one with an address, which no index has."""
    from packaging.requirements import Requirement  # takes long to import

    try:
        parsed = Requirement(requirement)
    except ValueError:
        return ""
    parsed.name = normalized(parsed.name)
    return "" if parsed.url else " ".join(str(parsed).split())


def name_of(requirement: str) -> str:
    """The distribution that a requirement begins with, as indexes compare it; "" for a mere address, whose scheme is no name."""
    match = re.match(r"\s*([A-Za-z0-9][\w.-]*+)(?![^\s@]*://)", requirement)
    return normalized(match[1]) if match else ""
