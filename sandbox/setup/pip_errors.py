"""Reads what pip says when it fails: which requirement it was, and what can be asked for instead."""

import re

import msgspec

from ml_agent.sandbox.setup.distributions import normalized

_NO_MATCH = re.compile(
    r"Could not find a version that satisfies the requirement (\S+?)(?: \(from (?!versions)[^)]*\))? \(from versions: (.*)\)"
)
_NONE_FOUND = re.compile(r"No matching distribution found for (\S+)")
_CONFLICT = re.compile(r"ResolutionImpossible|conflicting dependencies|has conflicting|Cannot install .* because")
_REQUESTED = re.compile(r"The user requested (?:\(constraint\) )?([\w.-]+)")
_BUILD = (
    re.compile(r"Failed (?:building wheel|to build)(?: for)? '?([\w.-]+)"),
    re.compile(r"Failed to build installable wheels for .*?\(([\w.-]+)"),
    re.compile(r"Could not build wheels for ([\w.-]+)"),
)
_COLLECTING = re.compile(r"^[^\S\n]*+(?:Collecting|Processing|Obtaining) (\S+)", re.MULTILINE)
_NETWORK = re.compile(
    r"Temporary failure in name resolution|Network is unreachable|NewConnectionError|Max retries exceeded|CERTIFICATE_VERIFY_FAILED"
)
_GIT = re.compile(
    r"git clone .*? (\S+://\S+)|Cannot find command 'git'|remote: Repository not found|could not read Username"
)
_DISK = re.compile(r"No space left on device|Disk quota exceeded")


class PipFailure(msgspec.Struct, frozen=True, kw_only=True):
    """Why an installation failed."""

    kind: str
    """not-found, conflict, build, git, network, disk or unknown."""
    names: tuple[str, ...] = ()
    """Distributions meant, normalised."""
    versions: tuple[str, ...] = ()
    """Versions that there are, of the first one."""
    line: str = ""


def read_pip_failure(output: str) -> PipFailure:
    """What the output of a failed `pip install` says."""
    if _DISK.search(output):
        return PipFailure(kind="disk", line=_line(output, _DISK))
    match = _NO_MATCH.search(output)
    if match:
        versions = tuple(word.strip() for word in match[2].split(",") if word.strip() != "none")
        if not versions and _NETWORK.search(output):
            return PipFailure(kind="network", line=_line(output, _NETWORK))
        return PipFailure(kind="not-found", names=(_name(match[1]),), versions=versions, line=match[0][:300])
    match = _NONE_FOUND.search(output)
    if match:
        return PipFailure(kind="not-found", names=(_name(match[1]),), line=match[0])
    if _CONFLICT.search(output):
        names = tuple(dict.fromkeys(normalized(name) for name in _REQUESTED.findall(output)))
        return PipFailure(kind="conflict", names=names, line=_line(output, _CONFLICT))
    if _GIT.search(output):
        return PipFailure(kind="git", names=_last_collected(output), line=_line(output, _GIT))
    return _build_failure(output)


def relaxed(requirement: str, versions: tuple[str, ...]) -> str | None:
    """The requirement with its pin moved to the nearest version there is, without it, or None when nothing is left."""
    from packaging.requirements import Requirement  # needed where pip has failed

    try:
        parsed = Requirement(requirement)
    except ValueError:
        return None
    pinned = [spec.version for spec in parsed.specifier if spec.operator in ("==", "===", "~=")]
    extras = f"[{','.join(sorted(parsed.extras))}]" if parsed.extras else ""
    if not parsed.specifier and not parsed.url:
        return None
    if pinned and versions:
        nearest = _nearest(pinned[0].removesuffix(".*"), versions)
        candidate = f"{parsed.name}{extras}=={nearest}"
        if nearest and candidate != requirement:
            return candidate
    return f"{parsed.name}{extras}"


def _nearest(wanted: str, versions: tuple[str, ...]) -> str | None:
    """The lowest version above the wanted one, else the highest below."""
    from packaging.version import Version

    try:
        target = Version(wanted.partition("+")[0])
        there = sorted(Version(version) for version in versions)
    except ValueError:
        return None
    final = [version for version in there if not version.is_prerelease] or there
    above = [version for version in final if version >= target]
    return str(above[0] if above else final[-1]) if final else None


def _build_failure(output: str) -> PipFailure:
    names = tuple(normalized(match[1]) for pattern in _BUILD if (match := pattern.search(output)))
    if names or "metadata-generation-failed" in output or "subprocess-exited-with-error" in output:
        return PipFailure(kind="build", names=names or _last_collected(output), line=_reason(output))
    if _NETWORK.search(output):
        return PipFailure(kind="network", line=_line(output, _NETWORK))
    errors = [line for line in output.splitlines() if line.startswith(("ERROR", "error"))]
    return PipFailure(kind="unknown", line=(errors or output.strip().splitlines() or [""])[-1][:300])


def _last_collected(output: str) -> tuple[str, ...]:
    found = _COLLECTING.findall(output)
    return (_name(found[-1]),) if found else ()


def _name(text: str) -> str:
    egg = re.search(r"egg=([\w.-]+)", text)
    match = egg or re.match(r"([A-Za-z0-9][\w.-]*)", text.rpartition("/")[2] if "://" in text else text)
    return normalized(match[1].removesuffix(".git")) if match else ""


def _reason(output: str) -> str:
    """The line of a failed build that says most."""
    wanted = re.compile(r"\s*+(?:\w+Error: |error: (?!subprocess|metadata)|.*fatal error: |.*command '.*' failed)")
    lines = [line.strip() for line in output.splitlines() if wanted.match(line)]
    return lines[-1][:300] if lines else "the package cannot be built"


def _line(output: str, pattern: re.Pattern[str]) -> str:
    return next((line.strip()[:300] for line in output.splitlines() if pattern.search(line)), "")
