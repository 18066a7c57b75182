"""Programs that end with 0: one half makes what the sentence asks for, the other does not. Those that differ in how files are found are run
in both sandboxes, the others on the host."""

import runpy
from pathlib import Path

import msgspec
import pytest

from ml_agent.delivery.expectation import CreatedFile
from ml_agent.delivery.judge import RunOutputs, judge
from ml_agent.delivery.request_words import expectations_of
from ml_agent.draft import Draft
from ml_agent.execution import Executor, FileExpectations
from ml_agent.navigator import Workspace
from ml_agent.runs import new_run
from ml_agent.sandbox.bubblewrap import find_bubblewrap
from ml_agent.sandbox.contract import Limits, Policy, Sandbox
from ml_agent.sandbox.docker_sandbox import DockerSandbox
from ml_agent.sandbox.local import BubblewrapSandbox
from ml_agent.settings import load_settings
from ml_agent.tools.candidates import Candidate
from ml_agent.tools.index import RepoIndex


class Case(msgspec.Struct, frozen=True, kw_only=True):
    """A sentence, and a program that may do what it says."""

    name: str
    asks: str
    does: str
    """Python; W is a function that writes text or bytes to a path, making its folder."""
    delivers: bool


HEAD = """import base64, io, json, os, struct, sys, time, wave, zipfile, zlib
def W(path, content):
    os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
    open(path, "wb").write(content if isinstance(content, bytes) else content.encode())
def png(rows=3):
    chunk = lambda name, body: struct.pack(">I", len(body)) + name + body + struct.pack(">I", zlib.crc32(name + body))
    head = struct.pack(">IIBBBBB", rows, rows, 8, 0, 0, 0, 0)
    pixels = zlib.compress(b"".join(b"\\0" + b"\\7" * rows for _ in range(rows)))
    return b"\\x89PNG\\r\\n\\x1a\\n" + chunk(b"IHDR", head) + chunk(b"IDAT", pixels) + chunk(b"IEND", b"")
def sound(frames):
    out = io.BytesIO()
    with wave.open(out, "wb") as file:
        file.setnchannels(1); file.setsampwidth(2); file.setframerate(8000); file.writeframes(b"\\1\\2" * frames)
    return out.getvalue()
def packed(name, content):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as file:
        file.writestr(name, content)
    return out.getvalue()
def array():
    head = b"{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }\\n"
    return b"\\x93NUMPY\\1\\0" + struct.pack("<H", len(head)) + head + bytes(8)
def tensors(cut=0):
    head = json.dumps({"w": {"dtype": "F32", "shape": [4], "data_offsets": [0, 16]}}).encode()
    return struct.pack("<Q", len(head)) + head + b"\\0" * (16 - cut)
JPEG = (b"\\xff\\xd8\\xff\\xe0\\0\\x10JFIF\\0\\1\\1\\0\\0\\1\\0\\1\\0\\0\\xff\\xc0\\0\\x0b\\x08\\0\\2\\0\\3\\1\\1\\x11\\0"
        b"\\xff\\xda\\0\\x08\\1\\1\\0\\0?\\0\\xd2\\xff\\xd9")
"""


def good(name: str, asks: str, does: str) -> Case:
    return Case(name=name, asks=asks, does=does, delivers=True)


def bad(name: str, asks: str, does: str) -> Case:
    return Case(name=name, asks=asks, does=does, delivers=False)


CASES = [
    good("json", "Train it and save the metrics to a1/m.json.", 'W("a1/m.json", json.dumps({"loss": 0.1}))'),
    good(
        "csv-columns",
        "Write a table to a2/out.csv with the columns 'label' and 'score'.",
        'W("a2/out.csv", "label,score\\ncat,0.5\\ndog,0.25\\n")',
    ),
    good("csv-rows", "Store the result as a3/out.csv with 3 rows.", 'W("a3/out.csv", "x\\n1\\n2\\n3\\n")'),
    good("tsv", "Export the counts to a4/counts.tsv (columns word, count).", 'W("a4/counts.tsv", "word\\tcount\\na\\t3\\n")'),
    good("jsonl", "Dump the predictions to a5/p.jsonl with the keys id and label.", 'W("a5/p.jsonl", \'{"id": 1, "label": 2}\\n\' * 3)'),
    good("png", "Plot the losses as a6/loss.png.", 'W("a6/loss.png", png())'),
    good("jpeg", "Draw the boxes and save the picture as a7/boxes.jpg.", 'W("a7/boxes.jpg", JPEG)'),
    good("wav", "Convert the text to a8/speech.wav.", 'W("a8/speech.wav", sound(400))'),
    good("srt", "Transcribe the talk and save it as a9/talk.srt.", 'W("a9/talk.srt", "1\\n00:00:00,000 --> 00:00:02,500\\nHello.\\n")'),
    good("vtt", "Write the subtitles into b1/talk.vtt.", 'W("b1/talk.vtt", "WEBVTT\\n\\n00:00.000 --> 00:02.500\\nHello.\\n")'),
    good("html", "Generate a report at the end and save it as b2/report.html.", 'W("b2/report.html", "<html><body><p>All well</p></body></html>")'),
    good("pdf", "Export the figure to b3/figure.pdf.", 'W("b3/figure.pdf", "%PDF-1.4\\n1 0 obj\\n<<>>\\nendobj\\ntrailer\\nstartxref\\n9\\n%%EOF\\n")'),
    good("npz", "Save the embeddings to b4/e.npz.", 'W("b4/e.npz", packed("x.npy", array()))'),
    good("torch", "Train it and write the checkpoint to b5/model.pt.", 'W("b5/model.pt", packed("model/data.pkl", b"\\x80\\2}."))'),
    good("safetensors", "Save the weights as b6/w.safetensors.", 'W("b6/w.safetensors", tensors())'),
    good("folder", "Put all pictures into the folder b7.", 'W("b7/1.png", png()); W("b7/2.png", png(4))'),
    good("one-row", "Store the counts in a4b/out.tsv.", 'W("a4b/out.tsv", "the\\t4\\n")'),
    good("changed", "Append the new result to old/log.csv.", 'open("old/log.csv", "a").write("3,4\\n")'),
    good("link", "Write the best model to b8/best.txt.", 'W("b8/7.txt", "model 7"); os.symlink("7.txt", "b8/best.txt")'),
    good("printed", "Print the accuracy of the model.", 'print("accuracy 0.93")'),
    good("two", "Save the scores to b9/s.json and the plot as b9/p.png.", 'W("b9/s.json", "[1]"); W("b9/p.png", png())'),
    bad("no-file", "Train it and save the metrics to c1/m.json.", 'print("saved to c1/m.json")'),
    bad("empty-file", "Save the metrics to c2/m.json.", 'W("c2/m.json", "")'),
    bad("wrong-columns", "Write a table to c3/out.csv with the columns 'label' and 'score'.", 'W("c3/out.csv", "a,b\\n1,2\\n")'),
    bad("too-few-rows", "Store the result as c4/out.csv with 3 rows.", 'W("c4/out.csv", "x\\n1\\n")'),
    bad("words-only", "Store the counts in c5b/out.tsv.", 'W("c5b/out.tsv", "word\\tcount\\n")'),
    bad("head-only", "Store the result as c5/out.csv.", 'W("c5/out.csv", "x,y\\n")'),
    bad("old-file", "Save the metrics to old/metrics.json.", 'print(json.load(open("old/metrics.json")))'),
    bad("old-file-touched-back", "Save the metrics to old/kept.json.", 'os.utime("old/metrics.json", (2e9, 2e9))'),
    bad("other-folder", "Save the metrics to c6/m.json.", 'W("m.json", "{\\"a\\": 1}")'),
    bad("name-as-value", "Save the metrics to c7/m.json.", 'W("settings.json", json.dumps({"run_name": "c7/m.json"}))'),
    bad("error-in-file", "Write the answer to c8/answer.txt.", 'W("c8/answer.txt", "Error: the model could not be loaded\\n")'),
    bad("traceback-in-file", "Write the answer to c9/answer.txt.", 'W("c9/answer.txt", "Traceback (most recent call last):\\n  File x\\nValueError: no\\n")'),
    bad("error-as-json", "Save the result to d1/r.json.", 'W("d1/r.json", json.dumps({"error": "out of quota"}))'),
    bad("nan", "Save the metrics to d2/m.json.", 'W("d2/m.json", json.dumps({"loss": float("nan")}))'),
    bad("half-json", "Save the metrics to d3/m.json.", 'W("d3/m.json", \'{"loss": 0.1, "acc\')'),
    bad("cut-png", "Plot the losses as d4/loss.png.", 'W("d4/loss.png", png(40)[:-30])'),
    bad("text-as-png", "Plot the losses as d5/loss.png.", 'W("d5/loss.png", "a picture of losses")'),
    bad("silent-wav", "Convert the text to d6/speech.wav.", 'W("d6/speech.wav", sound(0))'),
    bad("cut-weights", "Save the weights as d7/w.safetensors.", 'W("d7/w.safetensors", tensors(cut=9))'),
    bad("empty-folder", "Put all pictures into the folder d8.", 'os.makedirs("d8")'),
    bad("one-of-two", "Save the scores to d9/s.json and the plot as d9/p.png.", 'W("d9/s.json", "[1]")'),
]  # fmt: skip


RUN = {"json", "folder", "changed", "link", "printed", "old-file-touched-back", "empty-folder"}
"""One of each way in which files are listed, dated and read in a sandbox. What is in a file is judged on the host."""


def _sandbox(kind: str, folder: Path) -> Sandbox:
    policy = Policy(network="none", limits=Limits(memory_bytes=512 * 1024**2), run_id="tests")
    if kind == "docker":
        return DockerSandbox(policy, log_folder=folder)
    if find_bubblewrap() is None:
        pytest.skip("bubblewrap does not work here")
    return BubblewrapSandbox(policy, folder)


def _write_repository(root: Path) -> None:
    (root / "old").mkdir(parents=True)
    for case in CASES:
        (root / f"do-{case.name}.py").write_text(HEAD + case.does + "\n")
    (root / "old/metrics.json").write_text('{"loss": 0.5}')
    (root / "old/kept.json").write_text('{"loss": 0.5}')
    (root / "old/log.csv").write_text("x,y\n1,2\n")


@pytest.mark.parametrize("kind", [pytest.param("docker", marks=pytest.mark.docker), "bubblewrap"])
def test_it_is_judged_by_what_is_there(kind: str, tmp_path: Path) -> None:
    """All in one run: the sandbox is asked once for what is there before it, and once after it."""
    root, run = tmp_path / "repository", [case for case in CASES if case.name in RUN]
    _write_repository(root)
    expected = {case.name: expectations_of(case.asks) for case in run}
    assert all(expected.values()), "the sentence says what should come out"
    folder = new_run(tmp_path / "runs", tmp_path / "run", {})
    executor = Executor(
        _sandbox(kind, folder.logs), load_settings(run="full"), folder, lambda *_, **__: None, lambda _: None
    )
    workspace = Workspace(
        index=RepoIndex.open(root, "", None), candidate=Candidate(full_name="me/cases", url=str(root))
    )
    draft = Draft(kind="bash", text="\n".join(f"python do-{case.name}.py" for case in run), entry="do-json.py")
    try:
        all_of_them = tuple(one for some in expected.values() for one in some)
        outcome = executor.run(workspace, draft, [], FileExpectations(expected=all_of_them))
    finally:
        executor.close()
    assert outcome.response.ok, outcome.response.stderr
    judged = iter(outcome.judgements)
    for case in run:
        found = [next(judged) for _ in expected[case.name]]
        assert all(one.said for one in found)
        assert all(one.verdict == "delivered" for one in found) is case.delivers, (case.name, found)
    assert outcome.evidence == "completed", "not all of it is there"


@pytest.mark.parametrize("case", [case for case in CASES if case.name not in RUN], ids=lambda case: case.name)
def test_what_is_in_a_file_is_judged_on_the_host(case: Case, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = tmp_path / "repository"
    _write_repository(root)
    before = set(root.rglob("*"))
    monkeypatch.chdir(root)
    runpy.run_path(f"do-{case.name}.py")
    new = sorted(path for path in set(root.rglob("*")) - before if path.is_file())
    made = tuple(CreatedFile(path=str(path.relative_to(root)), size=path.stat().st_size) for path in new)
    found = judge(
        expectations_of(case.asks), RunOutputs(made=made, read=lambda path, most: (root / path).read_bytes()[:most])
    )
    assert found and all(one.said for one in found)
    assert all(one.verdict == "delivered" for one in found) is case.delivers, found
