"""What a run's page shows, read out of its result and its events."""

import struct
from pathlib import Path
from typing import Any

import pytest

import ml_agent
from ml_agent.samples import repository_path
from ml_agent.trajectory import read_trajectory
from ml_agent.view.curves import HEIGHT, WIDTH, curves_of
from ml_agent.view.page import page_of
from ml_agent.view.report import MOST_ROWS, outputs_of

COMMIT = "a" * 40


def result(**changed: Any) -> dict[str, Any]:
    """A run's result."""
    return {"repository": {"name": "a/b", "url": "https://github.com/a/b.git", "version": COMMIT}, **changed}


def step(text: str) -> dict[str, Any]:
    """The event of a draft."""
    return {"event": "draft", "draft": {"kind": "bash", "text": text, "findings": []}}


def phase(name: str, note: str = "", seconds: float = 1.0) -> dict[str, Any]:
    """The event of a phase that is done."""
    return {"event": "phase", "phase": name, "note": note, "seconds": seconds, "goto": "__end__"}


def test_drafts_show_what_changed_and_what_was_said_of_them() -> None:
    events = [
        step("python a.py --x 1"),
        phase("check", "no such option"),
        step("python a.py --y 1"),
        phase("check", "sound"),
    ]
    first, second = page_of(result(), events).drafts
    assert first.changes == () and first.problem == "no such option"
    assert ("-", "--x") in second.changes and ("+", "--y") in second.changes and (" ", "python") in second.changes
    assert second.problem == "sound"


def test_a_conversation_shows_each_message_once() -> None:
    def call(messages: list[dict[str, str]], reply: str) -> dict[str, Any]:
        return {"event": "model-call", "phase": "generate", "request": {"messages": messages}, "reply": reply}

    first = [{"role": "system", "content": "rules"}, {"role": "user", "content": "task"}]
    page = page_of(result(), [call(first, "one"), call([*first, {"role": "tool", "content": "found"}], "two")])
    assert page.calls[0].messages == (("system", "rules"), ("user", "task"), ("reply", "one"))
    assert page.calls[1].messages == (("tool", "found"), ("reply", "two"))


def test_places_are_linked_at_the_commit_and_only_where_the_repository_is_hosted() -> None:
    page = page_of(result(), [])
    assert page.link("train.py", 7) == f"https://github.com/a/b/blob/{COMMIT}/train.py#L7"
    assert page.link("a b.py") == f"https://github.com/a/b/blob/{COMMIT}/a%20b.py"
    for url in ("/home/me/repository", "javascript:alert(1)//a/b", "https://x.org/a/b?x=1", "http://github.com/a/b"):
        assert page_of(result(repository={"url": url, "version": COMMIT}), []).link("a.py", 1) == ""


def _png(side: int) -> bytes:
    """The beginning of a square picture."""
    return b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + struct.pack(">II", side, side)


@pytest.mark.hostile
def test_a_picture_that_a_browser_would_unpack_to_gigabytes_is_linked(tmp_path: Path) -> None:
    (tmp_path / "outputs").mkdir()
    (tmp_path / "outputs/wide.png").write_bytes(_png(30_000))
    (view,) = outputs_of(tmp_path)
    assert (view.path, view.kind, view.picture) == ("outputs/wide.png", "file", "")


def test_outputs_are_pictures_tables_texts_and_links_are_left_out(tmp_path: Path) -> None:
    folder = tmp_path / "outputs"
    folder.mkdir()
    (folder / "a.png").write_bytes(_png(4000))
    (folder / "b.csv").write_text("x,y\n" + "1,2\n" * 100)
    (folder / "c.json").write_text('{"a": 1}')
    (folder / "d.svg").write_text("<svg onload='alert(1)'/>")
    (folder / "e.txt").symlink_to("/etc/passwd")
    views = {view.path: view for view in outputs_of(tmp_path)}
    assert views["outputs/a.png"].picture.startswith("data:image/png;base64,")
    assert views["outputs/b.csv"].rows[0] == ("x", "y") and len(views["outputs/b.csv"].rows) == MOST_ROWS
    assert views["outputs/c.json"].text == '{"a": 1}'
    assert views["outputs/d.svg"].kind == "file"
    assert "outputs/e.txt" not in views


def test_the_page_of_a_real_run_has_its_drafts() -> None:
    run = ml_agent.solve(
        "train the perceptron for 25 epochs", repo=str(repository_path("planar-nets")), run="none", navigator="offline"
    )
    page = page_of(dict(run.details), read_trajectory(run.folder / "trajectory.jsonl"))
    assert page.drafts and page.drafts[-1].text == run.answer.text  # type: ignore[union-attr]
    assert "ok" in page.drafts[-1].problem
    assert [phase.name for phase in page.phases[:3]] == ["understand", "search", "rank"]


def test_what_is_cited_is_taken_apart() -> None:
    page = page_of(result(answer={"declared": {"--lr": "fit.py:3"}}), [])
    assert page.cited("a.py after docs/u.md:3, twice") == (("a.py after ", 0), ("docs/u.md", 3), (", twice", 0))
    assert page.cited("train.py:12") == (("train.py", 12),)
    for text in ("at 12:30", "http://x.org:80/a", "../up.py:3", "a/../../up.py:3", "a.py:0", "1.5:2", "", "x.py:3:4"):
        assert not any(line for _, line in page.cited(text)), text
    assert (page.place_of("--lr 0.1"), page.place_of("--lr=1"), page.place_of("--lrr 1")) == (
        "fit.py:3",
        "fit.py:3",
        "",
    )


def test_curves_are_drawn_of_logs_and_tables_and_of_nothing_else(tmp_path: Path) -> None:
    log, table = tmp_path / "001.log", tmp_path / "history.csv"
    lines = [f"Epoch {n}/4 - Train loss: {1 / n:.4f} - val_acc={n * 20}%  lr 0.1" for n in range(1, 5)]
    log.write_text("\r".join(lines) + "\nloss at epoch 3\naccuracy 7\nloss nan\n" + "x" * 5000)
    table.write_text("epoch,loss,<b>acc\n1,3,1\n2,2,2\n3,nan,3\n4,1,4\n")
    found = {curve.name: curve for curve in curves_of(log, [table])}
    assert set(found) == {"train loss", "val_acc", "loss", "<b>acc"}
    assert (found["train loss"].first, found["train loss"].last, found["train loss"].count) == (1.0, 0.25, 4)
    assert (found["loss"].source, found["loss"].count, found["loss"].least) == ("history.csv", 3, 1.0)
    assert (
        found["val_acc"].points.split()[0] == f"0.0,{HEIGHT}" and found["val_acc"].points.split()[-1] == f"{WIDTH},0.0"
    )
