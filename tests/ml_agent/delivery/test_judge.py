"""Where an expected output is looked for, and what counts as it."""

from collections.abc import Mapping

import pytest

from ml_agent.delivery.expectation import CreatedFile, Expectation, Judgement, kind_of
from ml_agent.delivery.judge import MOST_NAMED, RunOutputs, judge, missing_text, places_of


def judged(
    path: str, written: Mapping[str, str], old: Mapping[str, str] | None = None, workdir: str = "."
) -> tuple[str, str, str]:
    there = {**(old or {}), **written}

    def read(name: str, _most: int) -> bytes:
        if name not in there:
            raise FileNotFoundError(name)
        return there[name].encode()

    scene = RunOutputs(
        made=tuple(CreatedFile(path=name, size=len(text)) for name, text in written.items()),
        read=read, workdir=workdir, own=frozenset({"out/ours.txt"}), known=lambda name: not name.startswith("cache/"),
    )  # fmt: skip
    (one,) = judge([Expectation(kind=kind_of(path), path=path.rstrip("/"))], scene)
    return one.verdict, one.said, one.path


@pytest.mark.parametrize(
    ("path", "written", "expected"),
    [
        ("a.txt", {"a.txt": "x"}, ("delivered", "a.txt: 1 lines", "a.txt")),
        ("./a.txt", {"a.txt": "x"}, ("delivered", "a.txt: 1 lines", "a.txt")),
        ("b/*.txt", {"b/a.txt": "x"}, ("delivered", "b/a.txt: 1 lines", "b/a.txt")),
        ("*.txt", {"a.txt": "", "b.txt": "x"}, ("delivered", "b.txt: 1 lines", "b.txt")),
        ("*.txt", {"a.txt": "", "b.txt": " "}, ("missing", "a.txt is empty", "a.txt")),
        ("a.txt", {"b.txt": "x"}, ("missing", "a.txt was not written", "")),
        ("out/ours.txt", {"out/ours.txt": "x"}, ("missing", "out/ours.txt was there before and was not written", "")),
        ("/tmp/a.txt", {"a.txt": "x"}, ("not judged", "/tmp/a.txt lies outside the repository: what is there was not looked at", "")),
        ("~/a.txt", {"a.txt": "x"}, ("not judged", "~/a.txt lies outside the repository: what is there was not looked at", "")),
        ("../a.txt", {"a.txt": "x"}, ("not judged", "../a.txt lies outside the repository: what is there was not looked at", "")),
        ("out/", {"out/a": "x", "out/b": "", "out/ours.txt": "x"}, ("delivered", "out/ has 1 new files", "out")),
        ("out/", {"out/b": ""}, ("missing", "the new files in out/ are empty", "")),
        ("out/", {"out/ours.txt": "x"}, ("missing", "no new file is in out/", "")),
        ("out/", {"output/a": "x"}, ("missing", "no new file is in out/", "")),
        ("./", {"a": "x"}, ("delivered", "./ has 1 new files", ".")),
        ("../", {"a": "x"}, ("not judged", ".. lies outside the repository: what is there was not looked at", "")),
    ],
)  # fmt: skip
def test_what_is_there_is_judged(path: str, written: dict[str, str], expected: tuple[str, str, str]) -> None:
    assert judged(path, written) == expected


def test_what_was_there_before_is_told_from_what_is_nowhere() -> None:
    assert judged("a.txt", {}, {"a.txt": "x"})[1] == "a.txt was there before and was not written"
    assert judged("cache/a.txt", {}, {"cache/a.txt": "x"})[1] == "cache/a.txt was not written"


def test_a_path_is_seen_from_where_the_command_runs_and_from_the_root() -> None:
    assert places_of("a.txt", "sub") == ("sub/a.txt", "a.txt")
    assert places_of("../a.txt", "sub") == ("a.txt",)
    assert places_of("sub/../a.txt", ".") == ("a.txt",)
    assert places_of("..", "sub") == (".",)
    assert judged("a.txt", {"sub/a.txt": "x"}, workdir="sub")[2] == "sub/a.txt"
    assert judged("sub/a.txt", {"sub/a.txt": "x"}, workdir="sub")[2] == "sub/a.txt"


@pytest.mark.parametrize(
    ("stdout", "verdict", "said"),
    [
        ("\n loss 0.5\n1\n", "delivered", "printed: loss 0.5"),
        ("\n \n", "missing", "nothing was printed"),
        ("Error: none\n", "missing", "printed: Error: none"),
    ],
)
def test_what_is_printed_is_judged(stdout: str, verdict: str, said: str) -> None:
    scene = RunOutputs(made=(), read=lambda _path, _most: b"", stdout=stdout)
    (one,) = judge([Expectation(kind="printed")], scene)
    assert (one.verdict, one.said) == (verdict, said)


def missing(*paths: str) -> list[Judgement]:
    return [
        Judgement(
            expectation=Expectation(kind=kind_of(path), path=path.rstrip("/")), verdict="missing", said=f"no {path}"
        )
        for path in paths
    ]


def test_what_is_missing_is_told_with_what_came_instead() -> None:
    made = [CreatedFile(path="x.csv", size=1)]
    assert missing_text([], made, "word\n") == ""
    assert missing_text(missing("b.json"), made, "word\n") == "exit 0, but no b.json;\nthe program wrote x.csv"
    told = "exit 0, but no b.json; no c.csv;\nthe program wrote no file\nit printed: one | two"
    assert missing_text(missing("b.json", "c.csv"), [], "one\n\ntwo\n") == told
    assert missing_text(missing("b.json"), made * MOST_NAMED, "").endswith("x.csv")
    assert missing_text(missing("b.json"), made * (MOST_NAMED + 1), "").endswith("x.csv, …")
