"""The output of a command: decoded into lines, told apart by kind, with what is worth keeping in flat memory and all of it on disk.

`Capture` gets the chunks of both streams. `LineReader` makes lines of them, `kind_of` tells a program's own lines from an installer's noise,
downloads and progress (by which `supervise.Probe` sees whether it is at work), `ErrorLines` collects tracebacks and error lines for the diagnosis,
`HeadAndTail` keeps what a response shows. A program may print without end: nothing here grows with it but the log, which has a limit.
"""

import base64
import codecs
import re
import zlib
from collections import deque
from collections.abc import Iterator
from pathlib import Path
from typing import Literal

import msgspec

MAX_LINE = 16 * 1024
"""Characters; a longer line is passed on in pieces, so that output without line ends needs no memory."""

_ESCAPES = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[@-Z\\-_])")
_SPECIAL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")
_CONTROLS = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")


class Line(msgspec.Struct, frozen=True):
    """One line of output, or one state of a line that the program overwrites."""

    text: str
    final: bool = True
    """False for a state that was overwritten by a carriage return."""


class LineReader:
    """Turns chunks of bytes into lines; keeps at most one unfinished line."""

    def __init__(self) -> None:
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._rest = ""

    def feed(self, chunk: bytes) -> Iterator[Line]:
        """Yield the lines that this chunk completes."""
        body, separator, rest = (self._rest + self._decoder.decode(chunk)).rpartition("\n")
        self._rest = rest
        if separator:
            plain = not _SPECIAL.search(body)
            for line in body.split("\n"):
                if plain and len(line) <= MAX_LINE:
                    yield Line(line)
                else:
                    yield from _states(line.removesuffix("\r"), closed=True)
        yield from self._shorten()

    def close(self) -> Iterator[Line]:
        """Yield what is left when the stream has ended."""
        rest, self._rest = self._rest + self._decoder.decode(b"", final=True), ""
        if rest:
            yield from _states(rest.removesuffix("\r"), closed=True)

    def _shorten(self) -> Iterator[Line]:
        """Pass overwritten states on at once, and pieces of an endless line."""
        at = self._rest.rfind("\r", 0, len(self._rest) - 1)  # the last character may be half of a line's end
        if at >= 0:
            yield from _states(self._rest[:at], closed=False)
            self._rest = self._rest[at + 1 :]
        while len(self._rest) > MAX_LINE:
            yield Line(clean(self._rest[:MAX_LINE]))
            self._rest = self._rest[MAX_LINE:]


def clean(text: str) -> str:
    """The text without terminal escape sequences and control characters."""
    if "\x1b" in text:
        text = _ESCAPES.sub("", text)
    return _CONTROLS.sub("", text)


def _states(line: str, closed: bool) -> Iterator[Line]:
    *overwritten, last = line.split("\r")
    for state in overwritten:
        if state.strip():
            yield Line(clean(state), final=False)
    if closed:
        for start in range(0, max(len(last), 1), MAX_LINE):
            yield Line(clean(last[start : start + MAX_LINE]))
    elif last.strip():
        yield Line(clean(last), final=False)


Kind = Literal["own", "noise", "download", "progress"]

MAX_WIDTH = 400
"""Characters of a line that are looked at, and kept of an error."""

_NOISE = re.compile(
    r"""^\s*(?:$
    |(?:Collecting|Processing|Obtaining|Building|Preparing|Installing|Uninstalling|Attempting|Successfully|Using|Looking|Created|Stored
       |Getting|Running|Found\ existing|Defaulting\ to\ user|Requirement\ already)\b.*(?:wheel|metadata|cached|package|installed|uninstall
       |install|indexes|satisfied|links|requirements|build|setup\.py|directory|file:|[=<>~!]=|\(from|^\s*Collecting\s\S+$)
    |Collecting\s\S+
    |(?:WARNING|DEPRECATION|ERROR|\[notice\]|notice):?\s.*(?:\bpip\b|root\ user|resolver)
    |Cloning\ into|remote:\s|Resolving\ deltas|Unpacking\ objects|Submodule\ path
    |(?:Get|Hit|Ign|Fetched|Reading\ package|Reading\ state|Building\ dependency|Selecting\ previously|Unpacking|Setting\ up)\b[: ]
    |\S*(?:site-packages|dist-packages|lib/python3)\S*:\d+:\s
    |\S+\.py:\d+:\s*\w*Warning\b
    |warnings\.warn\(
    |(?:from|import)\s[\w.]+(?:\simport\s.*)?$
    |\w*Warning:\s
    |(?:20)?\d\d[\d-]*[ T:][\d:.,]+:?\s*[IWE]\s+(?:tensorflow|external|tsl|xla|tensorrt)\S*/
    |(?:20)?\d\d[\d-]*[ T][\d:.,]+.*\b(?:cpu_feature_guard|computation_placer|cuda_\w+|dso_loader|port\.cc|xla)\b
    |[IWEF]\d{4}\s\d\d:\d\d:\d\d
    |To\ enable\ the\ following\ instructions|rebuild\ TensorFlow|TF-TRT\ Warning
    |Matplotlib\ (?:is\ building|created)\b|The\ cache\ for\ model\ files|None\ of\ PyTorch,\ TensorFlow
    |OMP:\s|Intel\ MKL\ WARNING|Using\ (?:TensorFlow|Theano|CNTK)\ backend
    |\++\s\S   # the trace of `set -x`
    )""",
    re.VERBOSE,
)
_DOWNLOAD = re.compile(
    r"""\b(?:Downloading|Fetching|Resolving\ \S+\.\S+|Extracting|Receiving\ objects|Counting\ objects|Compressing\ objects|Connecting\ to
      |Saving\ to|Generating\ \w+\ split|Updating\ files)\b
    |\d\s?(?:[kKMGT]i?)?B/s\b
    |\b[\d.]+\s?(?:[kKMGT]i?)?B?\s?/\s?[\d.]+\s?[kKMGT]i?B?\b.*(?:B/s|eta|ETA|\[\d\d:\d\d)
    |^[━╸╺\s]++[\d.]+/[\d.]+\s[kMG]B
    """,
    re.VERBOSE,
)
_PROGRESS = re.compile(
    r"""\b(?:epochs?|iter(?:ation)?s?|steps?|batch(?:es)?|episode|round|fold|trial|generation)\b\W{0,4}\d
    |\b\d+\s*/\s*\d+\b.*(?:\bloss\b|\bacc|it/s|s/it|\[\d|%|===)
    |\b(?:\w*loss\w*|\w*acc(?:uracy)?|perplexity|ppl|auc|f1|bleu|mse|mae|rmse|reward|psnr|fid|lr)\b\s*[:=]?\s*[-+]?\d
    |\d{1,3}%\|
    |\b[\d.]+\s?(?:it/s|s/it|samples/s(?:ec)?|examples/s|tokens/s)\b
    |\b[ED]:?\s?\d+/\d+\b
    """,
    re.VERBOSE | re.IGNORECASE,
)
_SETTINGS = re.compile(r"^\s*(?:\w*Namespace\(|[{(\[]?['\"]\w+['\"]: )")
"""Options printed at the start."""
_ERROR = re.compile(
    r"""^\s*(?:[\w./-]+:\s)?(?:fatal|error|fatal\ error|ERROR|FATAL|E|Error|CRITICAL)\s?:\s
    |^\S*\.py:\s+error:\s
    |^(?:[A-Za-z_][\w.]*(?:Error|Exception|Interrupt|Exit|NotFound|Failure))(?::\s|$)
    |^(?:ba)?sh:\s.*(?::\s(?:command\ not\ found|No\ such\ file\ or\ directory|Permission\ denied|cannot)|fork|syntax\ error)
    |^\S+:\s(?:line\s\d+:\s)?.*(?:command\ not\ found|No\ such\ file\ or\ directory|Permission\ denied|[Ii]s\ a\ directory|unrecognized\ option
        |No\ space\ left|Cannot\ allocate|can't\ open\ file|not\ found|Segmentation\ fault|invalid\ option)
    |^(?:Killed|Segmentation\ fault|Aborted|Bus\ error|Illegal\ instruction|Terminated)\b
    |^usage:\s|^Usage:\s
    |\bERROR:\s|\bCUDA\ error\b|core\ dumped|^make(?:\[\d+\])?:\s\*\*\*|terminate\ called\ after|what\(\):\s
    |^FATAL\s|^No\ (?:module|such)\b|^Could\ not\b|^Unable\ to\b|^Missing\b|^Cannot\b|\berror:\s
    |^FLAGS\s|^\s{2}--\w+:\s|Unknown\ command\ line\ flag
    """,
    re.VERBOSE,
)
_ERROR_WORDS = (
    "rror", "ERROR", "raceback", "xception", "atal", "FATAL", "Interrupt", "Exit", "ot found", "NotFound", "Failure", "sage:",
    "Killed", "fault", "Abort", "Illegal", "Terminated", "No ", "Can", "can't", "invalid", "unrecognized", "denied",
    " directory", "dumped", "***", "terminate", "what()", "Unable", "Missing", "Could", "FLAGS", "Unknown", "fork", "File ",
)  # fmt: skip


def may_hold_error(text: str) -> bool:
    """Whether it is worth while to look at the lines of a text one by one; cheap."""
    return any(word in text for word in _ERROR_WORDS)


def kind_of(line: str) -> Kind:
    """What a line of output says about the program; a progress bar that counts bytes is a download."""
    line = line[:MAX_WIDTH]
    if _DOWNLOAD.search(line):
        return "download"
    if _NOISE.match(line):
        return "noise"
    if _PROGRESS.search(line) and not _SETTINGS.match(line):
        return "progress"
    return "own"


def is_error(line: str) -> bool:
    """Whether a line by itself says that something went wrong."""
    return _ERROR.search(line[:MAX_WIDTH]) is not None


MAX_BLOCK = 40
"""Lines kept of one traceback: its beginning and its end."""
MAX_SINGLE = 20
"""Error lines kept outside tracebacks; the last ones."""
_TRACEBACK = "Traceback (most recent call last):"
_BETWEEN = ("During handling of the above exception", "The above exception was the direct cause")
"""What Python says between two tracebacks names no error."""
_SYNTAX = re.compile(r'^\s*File "(.+)", line (\d+)$')
_LAST = re.compile(r"^[A-Za-z_][\w.]*(?::\s.*|$)")
_FOLLOWING = 3


class ErrorLines:
    """Collects the last traceback and single error lines of one stream."""

    def __init__(self) -> None:
        self._block: list[str] = []
        self._tracebacks: deque[tuple[str, ...]] = deque(maxlen=2)
        self._single: deque[str] = deque(maxlen=MAX_SINGLE)
        self._open = False
        self._following = 0
        self._file_line = ""

    @property
    def busy(self) -> bool:
        """Whether the next line must be looked at whatever it says."""
        return self._open or self._following > 0 or bool(self._file_line)

    def feed(self, line: str) -> None:
        """Look at the next line of the stream."""
        line = line[:MAX_WIDTH].rstrip()
        if line.lstrip().startswith(_TRACEBACK):
            self._close()
            self._open, self._block = True, [line]
        elif self._open:
            self._inside(line)
        else:
            self._outside(line)

    def lines(self) -> tuple[str, ...]:
        """What was found: the last traceback with what caused it, then the last single lines."""
        pending = [tuple(self._block)] if self._open and len(self._block) > 1 else []
        blocks = [*self._tracebacks, *pending][-2:]
        found = [line for block in blocks for line in block]
        return tuple(found + [line for line in self._single if line not in found])

    def _inside(self, line: str) -> None:
        self._block.append(line)
        if len(self._block) > MAX_BLOCK:
            del self._block[MAX_BLOCK // 2]
        if line and not line[0].isspace() and _LAST.match(line):
            self._close()
            self._following = _FOLLOWING

    def _outside(self, line: str) -> None:
        if _SYNTAX.match(line):
            self._file_line, self._following = line, _FOLLOWING
            return
        if line.startswith(("SyntaxError:", "IndentationError:", "TabError:")) and self._file_line:
            self._single.extend((self._file_line, line))
            self._file_line = ""
        elif line.startswith(_BETWEEN):
            return
        elif is_error(line) or (self._following > 0 and not self._file_line and line.strip()):
            self._single.append(line)
        self._following = max(0, self._following - 1)
        if not self._following:
            self._file_line = ""

    def _close(self) -> None:
        if self._open:
            self._tracebacks.append(tuple(self._block))
        self._open, self._block = False, []


Stream = Literal["stdout", "stderr"]

MAX_LOG_BYTES = 1024**3
"""A program that writes without end must not fill the host's disk."""
MAX_PROGRESS = 5
"""Progress lines kept; the last ones."""
LINES_LOOKED_AT = 20
"""Lines of one chunk that are looked at for progress: a program that floods its output must not cost us much."""
MAX_LINES_SEARCHED = 500
"""Lines of one chunk that are searched for errors, for the same reason; the last ones."""


class HeadAndTail:
    """The first and the last lines of a stream, each within a limit of characters."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._head: list[str] = []
        self._head_size = 0
        self._tail: deque[str] = deque()
        self._tail_size = 0
        self._cut_lines = 0
        self._cut_size = 0

    def add(self, line: str) -> None:
        """Add the next line."""
        if not self._tail and (not self._head or self._head_size + len(line) < self._limit):
            self._head.append(line)
            self._head_size += len(line) + 1
            return
        self._tail.append(line)
        self._tail_size += len(line) + 1
        while self._tail_size > self._limit and len(self._tail) > 1:
            dropped = self._tail.popleft()
            self._tail_size -= len(dropped) + 1
            self._cut_lines += 1
            self._cut_size += len(dropped) + 1

    def text(self) -> str:
        """Head and tail, with a line between them that says what was cut."""
        cut = [f"[... {self._cut_lines} lines, {self._cut_size} characters cut ...]"] if self._cut_lines else []
        lines = [*self._head, *cut, *self._tail]
        return "\n".join(lines) + "\n" if lines else ""


class _StreamCapture:
    """One of the two streams: its lines, its head and tail, its errors."""

    def __init__(self, limit: int) -> None:
        self.reader = LineReader()
        self.kept = HeadAndTail(limit)
        self.errors = ErrorLines()


class Capture:
    """The output of one command.

    `log` is the file that gets everything as it came; `limit` is in characters, for the head and for the tail of each
    stream.
    """

    def __init__(self, log: Path, limit: int) -> None:
        self._streams: dict[Stream, _StreamCapture] = {"stdout": _StreamCapture(limit), "stderr": _StreamCapture(limit)}
        self._progress: deque[str] = deque(maxlen=MAX_PROGRESS)
        self._log = log.open("wb")
        self._log_size = 0

    def feed(self, stream: Stream, chunk: bytes) -> list[str]:
        """Take a chunk; return the lines it completed, for the probe to look at."""
        self._write(chunk)
        return self._take(self._streams[stream], list(self._streams[stream].reader.feed(chunk)))

    def close(self) -> None:
        """Take the unfinished lines and close the log; repeatable."""
        for capture in self._streams.values():
            self._take(capture, list(capture.reader.close()))
        self._log.close()

    def text(self, stream: Stream) -> str:
        """What was kept of a stream."""
        return self._streams[stream].kept.text()

    def error_lines(self) -> tuple[str, ...]:
        """The lines that say what went wrong; those of stderr last, for they are the likelier reason."""
        out, err = (self._streams[s].errors.lines() for s in ("stdout", "stderr"))
        return tuple(line for line in out if line not in err) + err

    def progress(self) -> tuple[str, ...]:
        """The last progress lines."""
        return tuple(self._progress)

    def _take(self, capture: _StreamCapture, lines: list[Line]) -> list[str]:
        final = [line.text for line in lines if line.final]
        for text in final:
            capture.kept.add(text)
        if capture.errors.busy or may_hold_error("\n".join(final)):
            for text in final[-MAX_LINES_SEARCHED:]:
                if capture.errors.busy or may_hold_error(text):
                    capture.errors.feed(text)
        seen = [line.text for line in lines[-LINES_LOOKED_AT:]]
        self._progress.extend(text.strip()[:400] for text in seen if kind_of(text) == "progress")
        return seen

    def _write(self, chunk: bytes) -> None:
        room = MAX_LOG_BYTES - self._log_size
        if room <= 0:
            return
        self._log.write(chunk[:room])
        self._log_size += len(chunk)
        if self._log_size >= MAX_LOG_BYTES:
            self._log.write(b"\n[log cut: larger than %d bytes]\n" % MAX_LOG_BYTES)
        self._log.flush()


_GZIP = 31
"""Window bits with which zlib reads gzip."""


def unpacked(text: str, most: int, may_be_cut: bool = False) -> bytes:
    """The bytes of `gzip -c | base64`, at most so many: whoever prints them could pack any amount into little.

    Raises ValueError for what is none, or was cut where it may not be.
    """
    try:
        reader = zlib.decompressobj(_GZIP)
        found = reader.decompress(base64.b64decode("".join(text.split())), most)
    except zlib.error as error:
        raise ValueError(str(error)) from error
    if not reader.eof and len(found) < most and not may_be_cut:
        raise ValueError("the compressed text is incomplete")
    return found
