"""Shell scripts: positional parameters, getopts, and the commands inside."""

import posixpath
import re
from bisect import bisect
from collections.abc import Iterator

from ml_agent.tools.signatures.model import Option, Signature
from ml_agent.tools.signatures.sources import Sources

PLACE = re.compile(r"\$(?:(\d)|\{(\d+)(?:(:?[-=?+])([^}]{0,500}))?\})")
ALL = re.compile(r"\$[@*]|\$\{[@*][^}]*\}|\bshift\b")
NAMED = re.compile(
    r"^[ \t]*+(?:local\s+|export\s+|readonly\s+)?([A-Za-z_]\w*)=[\"']?\$(?:(\d)\b|\{(\d+)(?::?[-=?+][^}]*)?\})[\"']?[ \t]*(?:#.*)?$",
    re.MULTILINE,
)
OPTIONS_DONE = re.compile(r"\bshift\s+[\"']?(?:\$\(\(|\$\[|`expr)[^\n;&|]*\bOPTIND\b[^\n;&|]*")
"""Drops what getopts has read."""
GETOPTS = re.compile(r"\bgetopts\s+[\"']?([:\w]+)[\"']?\s+(\w+)")
FUNCTION = re.compile(r"\s*+(?:function\s+[\w-]++\s*+(?:\(\))?|[\w-]++\s*+\(\))\s*+(?P<brace>\{)?")
LEGAL = re.compile(
    r"copyright|all rights reserved|SPDX-|licen[cs]ed? (?:under|at$|found in)|apache\.org/licenses|required by applicable law",
    re.IGNORECASE,
)
COMMENT = re.compile(r"(?:^|(?<=\s))#.*")
CALLS = re.compile(
    r"(?:^|[\s;&|(])(?:python[\d.]*|torchrun|accelerate|bash|sh|deepspeed|horovodrun|mpirun|srun|source|make|pip\d?|\./\S+)(?:\s|$)"
)
READ = re.compile(r"\$(?:\{([A-Za-z_]\w*+)(?:(:?[-=])([^}\n]{0,80}+))?|([A-Za-z_]\w*+))")
"""A variable that is used, with the beginning of its default."""
ASSIGNED = re.compile(
    r"(?:^|[\s;&|(])(?:(?:local|export|readonly|declare(?:\s+-\w+)?)\s+)?([A-Za-z_]\w*)\+?=|\b(?:for|read(?:\s+-\w+)*|mapfile(?:\s+-\w+)*)\s+([A-Za-z_]\w*)",
    re.MULTILINE,
)
OF_SHELL = frozenset(
    [
        "BASH",
        "BASH_SOURCE",
        "BASH_VERSION",
        "BASH_REMATCH",
        "BASHPID",
        "FUNCNAME",
        "HOME",
        "HOSTNAME",
        "IFS",
        "LINENO",
        "OLDPWD",
        "OPTARG",
        "OPTIND",
        "PATH",
        "PPID",
        "PS1",
        "PWD",
        "RANDOM",
        "REPLY",
        "SECONDS",
        "SHELL",
        "TERM",
        "TMPDIR",
        "UID",
        "USER",
    ]
)
"""Variables that are there in any shell."""
SOURCED = re.compile(r"^[ \t]*(?:source|\.)[ \t]++\S*?([\w.-]+\.sh)\b", re.MULTILINE)
MAX_VARIABLES = 12
MAX_SOURCED = 4
MAX_PLACES = 30


def read(sources: Sources, path: str) -> tuple[Signature, ...]:
    """The signature of a shell script."""
    text = sources.text(path)
    if text is None:
        return ()
    bare = [_strip_comment(line) for line in re.sub(r"\\[ \t]*\n", " ", text).split("\n")]
    code, outer = "\n".join(bare), "\n".join(_outside_functions(bare))
    sourced = "\n".join(_sourced(sources, path, code))
    options = _places(f"{outer}\n{sourced}", path) + _getopts(outer, path)
    takes_all = bool(ALL.search(OPTIONS_DONE.sub("", outer)))
    calls = tuple(line.strip() for line in code.split("\n") if CALLS.search(line) and not line.lstrip().startswith("#"))
    return (
        Signature(
            path=path, kind="shell", framework="shell", options=options, syntax="plain", doc=leading_comment(text),
            calls=calls[:200], accepts_unknown=takes_all or not options,
            variables=_variables(outer, sourced),
        ),
    )  # fmt: skip


def _outside_functions(lines: list[str]) -> Iterator[str]:
    """The lines that stand in no function; a function ends with the first line that begins with its brace."""
    ends = [at for at, line in enumerate(lines) if line.lstrip().startswith("}")]
    after = -1
    for at, line in enumerate(lines):
        if at <= after or (_opens_function(lines, at) and line.rstrip().endswith("}")):
            continue
        end = bisect(ends, at)
        if end < len(ends) and _opens_function(lines, at):
            after = ends[end]
        else:
            yield line


def _opens_function(lines: list[str], at: int) -> bool:
    found = FUNCTION.match(lines[at])
    if found is None:
        return False
    return bool(found["brace"]) or (
        found.end() == len(lines[at]) and "".join(lines[at + 1 : at + 2]).lstrip()[:1] == "{"
    )


def _strip_comment(line: str) -> str:
    if "#" not in line:
        return line
    if '"' in line or "'" in line:
        return "" if line.lstrip().startswith("#") else line
    return COMMENT.sub("", line)


def leading_comment(text: str) -> str:
    """The first comment that says something else than who may copy the file, of those before the first command."""
    found: list[str] = []
    paragraph: list[str] = []
    for line in [*text.split("\n"), ""]:
        is_comment = line.startswith("#")
        said = "" if line.startswith("#!") or not is_comment else line.lstrip("# ").strip()
        if said:
            paragraph.append(said)
            continue
        found += [] if any(map(LEGAL.search, paragraph)) else paragraph
        paragraph = []
        if not is_comment and (found or line.strip()):
            break
    return " ".join(" ".join(found).split())[:500]


def _places(code: str, path: str) -> tuple[Option, ...]:
    """$1 .. $n in order; one with a default, or tested for, may be left out."""
    defaults: dict[int, str | None] = {}
    optional: set[int] = set()
    found: set[int] = set()
    for match in PLACE.finditer(_without_single_quotes(code)):
        place = int(match.group(1) or match.group(2))
        if not 0 < place <= MAX_PLACES:
            continue
        found.add(place)
        if match.group(3) in (":-", "-", ":=", "="):
            optional.add(place)
            defaults.setdefault(place, match.group(4))
    names = {int(m.group(2) or m.group(3)): m.group(1) for m in NAMED.finditer(code)}
    last = max(found, default=0)
    return tuple(
        Option(
            dest=names.get(place, f"arg{place}"), default=defaults.get(place), path=path, nargs="?" if place in optional else None,
            required=False, sure=place in optional,
        )
        for place in range(1, last + 1)
    )  # fmt: skip


def _sourced(sources: Sources, path: str, code: str) -> Iterator[str]:
    """Scripts of the same folder that run as a part of this one."""
    for name in dict.fromkeys(SOURCED.findall(code)[:MAX_SOURCED]):
        yield sources.text(posixpath.join(posixpath.dirname(path), name)) or ""


def _variables(code: str, sourced: str) -> tuple[tuple[str, str], ...]:
    """The environment variables that are read: those with a default, and those that neither the script nor what it sources sets."""
    bare = _without_single_quotes(code)
    own = {name for match in ASSIGNED.finditer(f"{bare}\n{sourced}") for name in match.groups() if name}
    found: dict[str, str] = {}
    for match in READ.finditer(bare):
        name, operator, default = match[1] or match[4], match[2], match[3]
        if name not in OF_SHELL and (operator or name not in own):
            found[name] = found.get(name) or " ".join((default or "").split())
    return tuple(found.items())[:MAX_VARIABLES]


def _without_single_quotes(code: str) -> str:
    """awk '{print $1}' is not a parameter of the script."""
    return re.sub(r"'[^'\n]*'", "''", code)


def _getopts(code: str, path: str) -> tuple[Option, ...]:
    found = GETOPTS.search(code)
    if found is None:
        return ()
    letters = re.findall(r"(\w)(:?)", found.group(1))
    return tuple(
        Option(
            dest=letter, flags=(f"-{letter}",), nargs=None if value else "0", switch_value=None if value else "True",
            type="str" if value else "bool", path=path,
        )
        for letter, value in letters
    )  # fmt: skip
