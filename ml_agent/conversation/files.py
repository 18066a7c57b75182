"""How a file begins, without what says nothing of it: licences, shebangs, blank lines, imports."""

import fnmatch
import posixpath
import re
from collections.abc import Iterator, Sequence
from itertools import dropwhile, islice
from mimetypes import guess_type
from pathlib import Path, PurePosixPath

import msgspec

from ml_agent.conversation.entries import ASIDE, NAME_PARTS, Entry
from ml_agent.conversation.listing import options_of
from ml_agent.delivery.content import ContentNotJudged, report_apart
from ml_agent.delivery.expectation import Expectation, kind_of
from ml_agent.delivery.expected import expectations
from ml_agent.named_paths import named_paths
from ml_agent.navigator import Workspace
from ml_agent.prompts.untrusted import PromptText, framed
from ml_agent.tools.errors import ToolError
from ml_agent.tools.files import Tree
from ml_agent.tools.foreign_files import exists
from ml_agent.tools.retrieval import Bm25Index, tokenize
from ml_agent.tools.signatures.model import Signature
from ml_agent.tools.signatures.yaml_keys import flat_options, load_yaml, with_comments
from ml_agent.user_values import word_list

CUT = "\n..."
"""Behind a text that goes on."""
_READ, _READ_BINARY = 200_000, 4_000_000
_LINE = 160
_LICENCE = re.compile(r"copyright|licen[cs]e|all rights reserved|warrant|\bspdx\b|coding[:=]", re.IGNORECASE)
_IMPORT = re.compile(r"^(?:import [^\n]*|from [\w.]+ import (?:\([^()]*\)[^\n]*|[^\n]*))\n?", re.MULTILINE)
_CODE = re.compile(r"\.(?:py|sh|bash|ya?ml|json|toml|cfg|ini|gin|conf)$")
"""Code and configurations; other text is data."""
_NO_TEXT, _LOOKED_AT = re.compile("[\0\ufffd]"), 4_000
_PATTERN = re.compile(r"\w/\*|\*\.\w")
"""Of several files; `a * b` is none."""
_ENDING = re.compile(r"\w\.[A-Za-z]\w{0,7}$")
_ROWS = 8
"""Lines of data that show their form."""


def head_of(path: str, workspace: Workspace, most: int) -> str:
    """The beginning of a text file in at most so many characters; "" where it is no text, or cannot be read."""
    try:
        read = Tree(workspace.index.root).read_text(path, _READ)
    except (ToolError, OSError):
        return ""
    if _NO_TEXT.search(read[:_LOOKED_AT]):
        return ""
    lines = without_licence(read.splitlines())
    if not _CODE.search(path):
        lines = [*lines[:_ROWS], *(["..."] if len(lines) > _ROWS else [])]
    if path.endswith(".py"):
        lines = _IMPORT.sub("", "\n".join(lines)).split("\n")
    text = "\n".join(line[:_LINE].rstrip() for line in lines if line.strip(" #\t"))
    return text if len(text) <= most else text[:most].rpartition("\n")[0] + CUT


def facts_of(path: str, workspace: Workspace) -> str:
    """What is seen of a file that is no text, such as a picture's size; "" where nothing is known of its kind."""
    try:
        data = Tree(workspace.index.root).read_bytes(path, _READ_BINARY + 1)
    except (ToolError, OSError):
        return ""
    kind = kind_of(path)
    if kind == "file" or not data:
        return ""
    try:
        report = report_apart(data, len(data) <= _READ_BINARY, Expectation(path=path, kind=kind))
    except ContentNotJudged:
        return ""
    return "\n".join([report.said, *report.head[:_ROWS]])


def without_licence(lines: list[str]) -> list[str]:
    """The lines without a comment at their beginning that speaks of a licence, and without a shebang."""
    rest = list(dropwhile(lambda line: line.startswith("#!") or not line.strip(), lines))
    comment = next((at for at, line in enumerate(rest) if not line.startswith("#")), len(rest))
    speaks = any(_LICENCE.search(line) for line in rest[:comment])
    return without_licence(rest[comment:]) if speaks else rest


_SOURCE = re.compile(r"\.(?:c|cc|cpp|cu|cuh|h|hpp|js|ts|css|html?|rs|go|java|pyi|pyx|so|sh|bash|md|rst|ipynb|lock|in)$")
_CONFIGURES = re.compile(r"(?:^|[/_])(?:conf(?:ig)?s?|presets?|recipes?|hparams|settings)[/_.]")
_ABOUT = re.compile(
    r"(?:^|/)(?:readme|licen[cs]e|code_of_conduct|contributing|changelog|requirements|package|setup|tox|manifest|environment"
    r"|pyproject|citation|cmakelists|constraints|makefile|dockerfile)[^/]*$",
    re.IGNORECASE,
)
"""Files that set a project up or speak of it."""
_SETTINGS_FILE = re.compile(r"\.(?:ya?ml|json|toml|cfg|ini|gin|conf)$")
_MOST_GIVEN = 20
_READ_OF_CALL = 4_000
_SAID_OF_NAME = 0.5
_FILE = re.compile(r"\w\.\w{1,5}$")


def likely_files(words: str, workspace: Workspace, most: int) -> list[str]:
    """The files that a value of the answer may name, best first: data half of whose names the words say, and configurations of whose
    paths they say two words, one of them of the name."""
    said = _telling(words)
    fitting = [path for path in workspace.index.files if _may_be_given(path) and _fits(path, said)]
    hits = Bm25Index.of([tokenize(path.replace("/", " ")) for path in fitting]).top(sorted(said), len(fitting))
    worth = {hit.position: hit.score * (_SAID_OF_NAME + _said_of_name(fitting[hit.position], said)) for hit in hits}
    return [fitting[place] for place in sorted(worth, key=lambda place: (-worth[place], place))[:most]]


def _telling(words: str) -> frozenset[str]:
    """The words that may name a file: neither those of every sentence nor single letters and digits."""
    common = word_list("stop")
    return frozenset(word for word in tokenize(words) if len(word) > 1 and word not in common)


def _fits(path: str, said: frozenset[str]) -> bool:
    """Whether so much of a path is said that it may be meant."""
    if _said_of_name(path, said) >= _SAID_OF_NAME:
        return True
    if not (_SETTINGS_FILE.search(path) or _CONFIGURES.search(path)):
        return False
    terms = {term for term in NAME_PARTS.split(path.lower()) if term}
    return len(terms & said) > 1 and _said_of_name(path, said) > 0


def configuration(entry: Entry, words: str, workspace: Workspace, most: int) -> str:
    """The configuration that is likeliest meant: of those whose names fit, and those that documented calls of an entry point give; "" for none."""
    given = islice(_given_by(entry, workspace), _MOST_GIVEN)
    known = dict.fromkeys(path for path in (*likely_files(words, workspace, most), *given) if is_configuration(path))
    return nearest([path for path in known if path not in workspace.index.signatures], words)


def nearest(paths: Sequence[str], words: str) -> str:
    """The first of some paths of whose names the words say most; "" for none."""
    said = _telling(words)
    return max(paths, key=lambda path: _said_of_name(path, said), default="")


def says(words: str, path: str) -> bool:
    """Whether some words say a part of a file's name."""
    return _said_of_name(path, _telling(words)) > 0


def _given_by(entry: Entry, workspace: Workspace) -> Iterator[str]:
    """The files of the repository that documented calls of an entry point name, as seen from where these run or from its own folder."""
    files, folder = frozenset(workspace.index.files), posixpath.dirname(entry[0].path)
    for call in (one for one in workspace.index.commands if one.entry == entry[0].path):
        for word in call.text[:_READ_OF_CALL].split():
            places = (posixpath.normpath(posixpath.join(place, word)) for place in (call.workdir, folder, ""))
            yield from islice((path for path in places if path in files), 1)


def is_configuration(path: str) -> bool:
    """Whether a path is that of a configuration."""
    return _SETTINGS_FILE.search(path) is not None or (path.endswith(".py") and _CONFIGURES.search(path) is not None)


def _may_be_given(path: str) -> bool:
    """Whether a path is that of data or of a configuration, rather than of code, a document or what sets a project up."""
    if ASIDE.search(path) or _ABOUT.search(path):
        return False
    return _CONFIGURES.search(path) is not None if path.endswith(".py") else not _SOURCE.search(path)


def _said_of_name(path: str, said: frozenset[str]) -> float:
    """How much of a file's name is said."""
    terms = {term for term in NAME_PARTS.split(PurePosixPath(path).stem.lower()) if term}
    return len(terms & said) / (len(terms) or 1)


def named_files(words: str, workspace: Workspace, most: int) -> list[str]:
    """The files of the repository that the words name by path or by a name that only one of them has; of several that a pattern names the first."""
    files = workspace.index.files
    found: list[str] = []
    for word in dict.fromkeys(word.strip(".,/'\"()") for word in words.split()):
        if _PATTERN.search(word):
            found += fnmatch.filter(files, word)[:1]
        if not _FILE.search(word):
            continue
        ends = [path for path in files if path == word or path.endswith(f"/{word}")]
        inside = posixpath.normpath(posixpath.join(workspace.path or ".", word))
        found += [inside] if inside in ends else ends if len(ends) == 1 else []
    return list(dict.fromkeys(found))[:most]


def files_not_there(words: str, workspace: Workspace, most: int) -> list[str]:
    """Files that the words name and that lie neither in the repository nor in the user's folder: to be made, or missing."""
    made = {one.path for one in expectations(words, ())}
    files = workspace.index.files
    names = {*files, *map(posixpath.basename, files)}
    found = [
        one.path
        for one in named_paths(words, ())
        if _ENDING.search(one.path)
        and ("/" in one.path or guess_type(one.path)[0] is not None)
        and "://" not in one.path
        and not {one.path, posixpath.join(workspace.path or ".", one.path)} & (made | names)
        and not exists(Path(one.path))
    ]
    return list(dict.fromkeys(found))[:most]


WHOLE = 5_500
"""Characters of a file that are shown at once."""
ASKED = 9_000
"""Characters of lines that are asked for."""
_CUT = "\n... (cut)"
_OUTLINE = WHOLE // 2
_HEADING = re.compile(r"^(?:class |def |    def |async def |if __name__|@\w+\.command|[A-Z_]{3,} = )")
_MAIN = re.compile(r"class |def |    def __init__\(|async def ")
"""What stays of an outline that is too long."""
_CALLED = re.compile(r"def |    def __init__\(")
"""What code that uses the file calls."""
_LONGEST_HEADING = 100
_LONGEST_CALLED = 600
_MOST_LINES = 60
"""On which parameters stand."""
_RANGE = re.compile(r"(\d{1,9})\s*+(?:[-:,]\s*+(\d{1,9}))?")


def excerpt(path: str, text: str, lines: str) -> PromptText:
    """A text from the first to the last line that is asked for; of a long one the outline and the beginning."""
    every = text.splitlines()
    asked = _RANGE.search(lines)
    if asked:
        first = max(int(asked[1]), 1)
        last = min(int(asked[2] or first + 80), len(every))
        shown = cut("\n".join(every[first - 1 : last]), ASKED)
        if shown.endswith(_CUT):
            last = first + len(shown.splitlines()) - 2
        return framed(path, f"{path}, lines {first}-{last} of {len(every)}\n{shown}")
    kept_text = "\n".join(line for line in without_licence(every) if line.strip())
    if len(kept_text) <= WHOLE:
        return framed(path, kept_text)
    shape = _outline(every, _HEADING)
    if len(shape) > _OUTLINE:
        shape = cut(_outline(every, _MAIN), _OUTLINE)
    shown = cut(text, WHOLE - len(shape))
    count = len(shown.splitlines()) - 1
    return framed(path, f"{path}, lines 1-{count} of {len(every)}; ask for others by `lines`\n{shape}\n--\n{shown}")


def cut(text: str, most: int) -> str:
    """The lines of a text that fit into so many characters."""
    return text if len(text) <= most else text[:most].rpartition("\n")[0] + _CUT


def _outline(every: Sequence[str], heading: re.Pattern[str]) -> str:
    """What a file defines, with line numbers, up to where it is too long.

    Of what is called it holds all parameters, on however many lines they stand.
    """
    found, length = list[str](), 0
    for at, line in enumerate(every):
        if heading.match(line):
            found.append(f"{at + 1}: {_head(every, at) if _CALLED.match(line) else line[:_LONGEST_HEADING]}")
            length += len(found[-1])
        if length > _OUTLINE:
            break
    return "\n".join(found)


def _head(every: Sequence[str], at: int) -> str:
    """The head of a function on one line."""
    head = ""
    for line in every[at : at + _MOST_LINES]:
        head += line.rstrip() if not head else f" {line.strip()}"
        if head.count("(") <= head.count(")") or len(head) > _LONGEST_CALLED:
            break
    return head[:_LONGEST_CALLED].replace("( ", "(").replace(" )", ")")


_HOLDS = re.compile(r"(?:^|_)(?:opts?|options|overrides?|set|settings|cfg|yml|yaml)(?:_|$)")
_SEVERAL = frozenset({"*", "+", "..."})


def takes_settings(signature: Signature) -> bool:
    """Whether a command line may change what a configuration says: it takes more than its parser lists, or words that are settings."""
    held = (one for one in signature.options if one.nargs in _SEVERAL and one.type in ("str", "unknown"))
    return signature.accepts_unknown or any(_HOLDS.search(one.dest.lower()) for one in held)


def keys_of(path: str, words: str, workspace: Workspace, most: int) -> str:
    """The keys of a YAML file with their values, those first that share words with what is asked for; "" where it has none."""
    sources = workspace.index.sources
    data = load_yaml(sources, path) if path.endswith((".yaml", ".yml")) else None
    options = (
        [msgspec.structs.replace(one, nargs="?") for one in flat_options(data, path, sources.text(path) or "")]
        if data
        else []
    )
    return (
        options_of(with_comments(sources, Signature(path=path, options=tuple(options))), words, most) if options else ""
    )
