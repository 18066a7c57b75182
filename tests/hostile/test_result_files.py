"""Result files made to fill the memory, keep us busy or break a reader: each is judged in one line, or said to be too much."""

import bz2
import sqlite3
import struct
import subprocess
import sys
import time
import zlib
from contextlib import closing
from pathlib import Path

import pytest

from ml_agent.delivery.content import (
    MOST_MEMORY,
    MOST_SAID,
    MOST_SECONDS,
    ContentNotJudged,
    judge_apart,
    judge_content,
    report_apart,
)
from ml_agent.delivery.expectation import Expectation
from ml_agent.delivery.text_kinds import InvalidContent
from tests.processor_time import within

HELD_BY = "a process of its own with limits, for each file that is judged"
BREAKING = {
    "a value that is none of its type": ("yaml", b"a: !!bool x\n"),
    "an empty number": ("yaml", b"a: !!int ''\n"),
    "a moment that is none": ("yaml", b"a: !!timestamp x\n"),
    "a list in itself": ("yaml", b"&a [*a]\n"),
    "a number of 5,000 digits": ("toml", b"a = " + b"9" * 5000 + b"\n"),
    "a declaration in a declaration": ("html", b"<![<!["),
    "200,000 brackets": ("safetensors", struct.pack("<Q", 200_000) + b"[" * 200_000),
    "offsets that are words": ("safetensors", struct.pack("<Q", 32) + b'{"w": {"data_offsets": [1, "x"]}}'),
}
BUSY = {
    "opened": b"<svg>" * 200_000,
    "begun": b"<svg " * 200_000,
    "closed by blanks": b"<svg>" + b"</svg" + b" " * 200_000 + b"x",
}


def bomb(mebibytes: int) -> bytes:
    """A ZIP of one member, packed with bzip2, that is far larger than it says."""
    packer = bz2.BZ2Compressor(9)
    packed = b"".join(packer.compress(bytes(1024**2)) for _ in range(mebibytes)) + packer.flush()
    fields = (46, 0, 12, 0, 0, 0, len(packed), 1000, 5, 0)
    head = struct.pack("<4sHHHHHLLLHH", b"PK\3\4", *fields) + b"a.npy"
    entry = struct.pack("<4sHHHHHHLLLHHHHHLL", b"PK\1\2", 46, *fields, 0, 0, 0, 0, 0) + b"a.npy"
    end = struct.pack("<4sHHHHLLH", b"PK\5\6", 0, 0, 1, 1, len(entry), len(head) + len(packed), 0)
    return head + packed + entry + end


def database(*statements: str) -> bytes:
    with closing(sqlite3.connect(":memory:")) as base:
        base.executescript(";".join(("BEGIN", *statements, "COMMIT")))
        return base.serialize()


DATABASES = {
    "a column that is computed without end": lambda: database(
        "CREATE TABLE t (a, b AS (printf('%.*c', 1000000000, 'x')))", "INSERT INTO t (a) VALUES (1), (2)"
    ),
    "a table that is changed into a view of all numbers": lambda: database(
        "CREATE TABLE t (a)",
        "PRAGMA writable_schema = ON",
        "UPDATE sqlite_master SET sql = 'CREATE VIEW t AS WITH n(a) AS (SELECT 1 UNION ALL SELECT a + 1 FROM n) SELECT a FROM n'",
    ),
    "thousands of tables": lambda: database(*(f"CREATE TABLE t{number} (a)" for number in range(5_000))),
    "half a file": lambda: database("CREATE TABLE t (a)", "INSERT INTO t VALUES (zeroblob(100000))")[:9_000],
    "nothing behind its mark": lambda: b"SQLite format 3\0" + b"\xff" * 5_000,
    "a value of forty megabytes": lambda: database(
        "CREATE TABLE t (a)", "INSERT INTO t VALUES (hex(zeroblob(20000000)))"
    ),
}


@pytest.mark.parametrize("name", DATABASES)
@pytest.mark.promise("A database made to keep us busy or to run anything is only a file.", by=HELD_BY)
def test_a_database_is_only_read(name: str) -> None:
    expected = Expectation(kind="file", path="a.db")
    report = within(20.0, lambda: report_apart(DATABASES[name](), True, expected))
    assert report.valid and sum(map(len, report.head)) < 2_000


@pytest.mark.parametrize("name", BREAKING)
@pytest.mark.promise("A file that breaks its reader is no result; it ends no run.", by=HELD_BY)
def test_a_file_that_breaks_its_reader_is_said_to_be_no_result(name: str) -> None:
    kind, content = BREAKING[name]
    with pytest.raises(InvalidContent, match=f"(?i){kind}"):
        judge_content(content, True, Expectation(path="x", kind=kind, columns=("score",) if kind == "yaml" else ()))


@pytest.mark.parametrize("name", BUSY)
@pytest.mark.promise("A drawing of nothing but beginnings is judged at once.", by="no pattern over the whole text")
def test_a_drawing_that_never_ends(name: str) -> None:
    def judged() -> None:
        with pytest.raises(InvalidContent):
            judge_content(BUSY[name], True, Expectation(path="x.svg", kind="svg"))

    within(0.5, judged)


@pytest.mark.parametrize(
    ("size", "limit"), [(150, 200 * 1024**2), pytest.param(2_200, MOST_MEMORY, marks=pytest.mark.slow)]
)
@pytest.mark.promise("A result of a few bytes that unpacks to gigabytes fills no memory of ours.", by=HELD_BY)
def test_a_file_that_grows_without_limit_is_not_judged(size: int, limit: int, tmp_path: Path) -> None:
    (tmp_path / "out.npz").write_bytes(content := bomb(size))
    assert len(content) < 5_000
    text = f"""
import resource
from pathlib import Path
from ml_agent.delivery.expectation import CreatedFile, Expectation
from ml_agent.delivery.judge import RunOutputs, judge
scene = RunOutputs(made=(CreatedFile(path="out.npz", size=1),), read=lambda path, _most: Path(path).read_bytes())
resource.setrlimit(resource.RLIMIT_AS, ({limit}, {limit}))
print(*((one.verdict, one.said) for one in judge([Expectation(path="out.npz", kind="npz")], scene)))
"""
    environment = {"PYTHONPATH": str(Path(__file__).parents[2])}
    done = subprocess.run(
        [sys.executable, "-c", text], cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=120
    )
    assert done.stdout == "('not judged', 'out.npz takes too much memory or time to be judged')\n", done.stderr


@pytest.mark.slow
@pytest.mark.promise("A result that keeps its reader busy keeps nobody waiting for long.", by=HELD_BY)
def test_a_file_that_takes_too_long_is_not_judged() -> None:
    content = b"00:00.000 --> 00:00.000 " * 200_000
    began = time.monotonic()
    with pytest.raises(ContentNotJudged):
        judge_apart(content, True, Expectation(path="x.srt", kind="srt"))
    assert time.monotonic() - began < 2 * MOST_SECONDS + 10


@pytest.mark.promise("Large results of ordinary kinds are judged as before.", by=HELD_BY)
def test_a_large_table_is_judged_whole() -> None:
    assert judge_apart(b"a,b\n" + b"1,2\n" * 500_000, True, Expectation(path="x.csv", kind="csv")).startswith(
        "500000 rows"
    )


@pytest.mark.promise("What is said of a result is one short line, whatever the file holds.", by=HELD_BY)
def test_a_file_of_long_names_is_described_in_a_short_line() -> None:
    name = b"A" * 1_000_000
    with pytest.raises(InvalidContent, match="is not valid TOML") as wrong:
        judge_apart(b"[" + name + b"]\n[" + name + b"]\n", True, Expectation(path="x.toml", kind="toml"))
    assert len(str(wrong.value)) <= MOST_SAID and "\n" not in str(wrong.value)


@pytest.mark.parametrize(
    ("kind", "content"),
    [("csv", b"\0" * 100), ("jsonl", b"a,b\n1,2\n"), ("vtt", b"a,b\n"), ("text", b" \n"), ("json", b"a,b\n")],
    ids=["csv", "jsonl", "vtt", "text", "json"],
)
@pytest.mark.promise("A result that is too large to be judged whole is judged by its beginning.", by=HELD_BY)
def test_what_is_too_large_is_judged_by_its_beginning(kind: str, content: bytes) -> None:
    with pytest.raises(InvalidContent):
        judge_content(content, False, Expectation(path="x", kind=kind))


@pytest.mark.parametrize("text", ["a,b\n1,é", "a,b\n1,\N{GRINNING FACE}"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
@pytest.mark.promise("A large text is text though the last character seen is cut.", by=HELD_BY)
def test_a_large_text_that_is_cut_in_a_character_is_text(text: str, encoding: str) -> None:
    content = text.encode(encoding)[:-1]
    assert "too large" in judge_content(content, False, Expectation(path="x.csv", kind="csv"))


@pytest.mark.promise("Lines of JSON that are too many to be judged whole are judged by the first.", by=HELD_BY)
def test_many_lines_of_json_are_judged_by_the_first() -> None:
    expected = Expectation(path="x.jsonl", kind="jsonl", columns=("a",), rows=9)
    assert "too large" in judge_content(b'{"a": 1}\n{"a"', False, expected)
    with pytest.raises(InvalidContent, match="lacks the keys a"):
        judge_content(b'{"b": 1}\n{"a"', False, expected)


@pytest.mark.promise("A picture whose head promises more than we unpack is no proven result.", by="TooLarge")
def test_a_picture_that_is_too_large_to_be_unpacked_is_not_judged() -> None:
    head = b"IHDR" + struct.pack(">IIBBBBB", 200_000, 200_000, 8, 2, 0, 0, 0)
    content = b"\x89PNG\r\n\x1a\n" + struct.pack(">I", 13) + head + struct.pack(">I", zlib.crc32(head))
    with pytest.raises(ContentNotJudged, match="200000 x 200000"):
        judge_apart(content, True, Expectation(path="x.png", kind="png"))
