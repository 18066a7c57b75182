"""Output as it is kept: lines, head and tail, errors, kinds."""

import base64
import gzip
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ml_agent.sandbox.output import (
    Capture,
    ErrorLines,
    HeadAndTail,
    LineReader,
    is_error,
    kind_of,
    may_hold_error,
    unpacked,
)


def final_lines(chunks: list[bytes]) -> list[str]:
    reader = LineReader()
    lines = [line for chunk in chunks for line in reader.feed(chunk)] + list(reader.close())
    return [line.text for line in lines if line.final]


@given(st.lists(st.text(alphabet="aü€\t 1", max_size=30), max_size=10), st.integers(1, 7))
def test_chunks_do_not_matter(lines: list[str], size: int) -> None:
    data = "".join(line + "\n" for line in lines).encode()
    chunks = [data[at : at + size] for at in range(0, len(data), size)]
    assert final_lines(chunks) == lines


@given(st.binary(max_size=300), st.integers(1, 9))
def test_any_bytes_are_taken(data: bytes, size: int) -> None:
    whole = final_lines([data])
    assert final_lines([data[at : at + size] for at in range(0, len(data), size)]) == whole


def test_carriage_returns_and_escapes() -> None:
    assert final_lines([b"a\r", b"b\r", b"c\nd\r\n", b"\x1b[1;32mgreen\x1b[0m\x07\n"]) == ["c", "d", "green"]
    reader = LineReader()
    states = [line.text for line in reader.feed(b"10%\r20%\r30%")]
    assert states == ["10%", "20%"]


@given(st.lists(st.text(alphabet="ab", max_size=20), max_size=200), st.integers(10, 100))
def test_head_and_tail_hold_the_ends(lines: list[str], limit: int) -> None:
    kept = HeadAndTail(limit)
    for line in lines:
        kept.add(line)
    text = kept.text()
    assert len(text) <= 2 * limit + 120 + 21
    if "cut" not in text:
        assert text == "".join(line + "\n" for line in lines)
    elif lines:
        assert text.endswith(lines[-1] + "\n") and text.startswith(lines[0])


def test_the_log_is_whole_and_errors_survive_the_cut(tmp_path: Path) -> None:
    with closing(Capture(tmp_path / "log", 500)) as capture:
        capture.feed("stdout", b"".join(b"line %d\n" % n for n in range(1000)))
        capture.feed("stderr", b'Traceback (most recent call last):\n  File "a.py", line 1\nValue')
        capture.feed("stderr", b"Error: bad\n")
        capture.feed("stdout", b"".join(b"more %d\n" % n for n in range(1000)))
        capture.close()
        assert capture.error_lines() == (
            "Traceback (most recent call last):",
            '  File "a.py", line 1',
            "ValueError: bad",
        )
    assert len((tmp_path / "log").read_bytes().splitlines()) == 2003


def errors_of(text: str) -> tuple[str, ...]:
    found = ErrorLines()
    for line in text.splitlines():
        found.feed(line)
    return found.lines()


def test_a_chained_traceback_is_kept_with_its_cause() -> None:
    text = """Traceback (most recent call last):
  File "a.py", line 1, in <module>
KeyError: 'x'

During handling of the above exception, another exception occurred:

Traceback (most recent call last):
  File "a.py", line 3, in <module>
RuntimeError: no x
and why"""
    found = errors_of(text)
    assert "KeyError: 'x'" in found and "RuntimeError: no x" in found and found[-1] == "and why"
    assert not any(line.startswith("During") for line in found)


def test_a_long_traceback_keeps_both_ends() -> None:
    text = (
        "Traceback (most recent call last):\n"
        + "".join(f'  File "f{n}.py", line {n}\n' for n in range(200))
        + "RecursionError: deep"
    )
    found = errors_of(text)
    assert len(found) <= 41 and found[0].startswith("Traceback") and found[-1] == "RecursionError: deep"


@pytest.mark.parametrize(
    "line",
    [
        "main.py: error: unrecognized arguments: --x",
        "bash: line 1: foo: command not found",
        "ValueError: no",
        "torch.cuda.OutOfMemoryError: CUDA out of memory.",
        "fatal: not a git repository",
        "Segmentation fault (core dumped)",
        "usage: main.py [-h]",
        "ERROR: No matching distribution found for x",
        "terminate called after throwing an instance of 'std::bad_alloc'",
        "FATAL Flags parsing error:",
        "cat: a: No such file or directory",
        "make: *** [all] Error 1",
    ],
)
def test_lines_that_are_errors(line: str) -> None:
    assert is_error(line) and may_hold_error(line)


@pytest.mark.parametrize(
    "line", ["epoch 1 error 0.3", "loss: 0.2", "no errors found", "Loading data", "terms of use", "=> 3 files"]
)
def test_lines_that_are_not(line: str) -> None:
    assert not is_error(line)


@pytest.mark.parametrize(
    ("line", "kind"),
    [
        ("Epoch 3/10", "progress"),
        ("[Epoch 0/200] [Batch 3/938] [D loss: 0.68] [G loss: 0.70]", "progress"),
        ("step 100: loss=0.3 lr=1e-4", "progress"),
        ("Epoch 00001 | Time(s) 0.02 | Loss 1.94 | Accuracy 0.3", "progress"),
        (" 45%|████▌     | 45/100 [00:10<00:12,  4.40it/s]", "progress"),
        ("iters: 100, epoch: 1 | loss: 0.4", "progress"),
        ("938/938 [==============================] - 3s 3ms/step - loss: 0.2", "progress"),
        (" 45%|████▌     | 45.0M/100M [00:10<00:12, 4.40MB/s]", "download"),
        ("Downloading https://example.org/mnist.gz to data/mnist.gz", "download"),
        ("Receiving objects:  45% (450/1000), 3.00 MiB | 2.00 MiB/s", "download"),
        ("Collecting numpy==1.21", "noise"),
        ("Successfully installed numpy-1.21", "noise"),
        ("Requirement already satisfied: six in ./venv", "noise"),
        ("/opt/venv/lib/python3.11/site-packages/x.py:3: FutureWarning: old", "noise"),
        ("  warnings.warn(", "noise"),
        ("2024-01-01 10:00:00.000000: I tensorflow/core/platform/cpu_feature_guard.cc:193] oneDNN", "noise"),
        ("+ python main.py", "noise"),
        ("", "noise"),
        ("Namespace(epochs=3, lr=0.1)", "own"),
        ("Loading the model", "own"),
        ("Using device: cpu", "own"),
        ("torch.Size([50, 49, 512])", "own"),
    ],
)
def test_kinds_of_lines(line: str, kind: str) -> None:
    assert kind_of(line) == kind


def packed(data: bytes) -> str:
    return base64.b64encode(gzip.compress(data, mtime=0)).decode()


def test_what_was_packed_comes_back_up_to_a_limit() -> None:
    assert unpacked(packed(b"a b\0c"), 100) == b"a b\0c"
    assert unpacked(packed(b""), 100) == b""
    assert unpacked(packed(b"x" * 10**8), 1000) == b"x" * 1000
