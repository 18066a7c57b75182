"""After the run its author sees what came out: is done, mends it, or disputes it; what is proven stays proven."""

import json
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema
import pytest

import ml_agent
from ml_agent.conversation.outcome import Review, conclusion
from ml_agent.errors import UsageError
from ml_agent.request import Job
from ml_agent.run_job import Correction, config_of, continue_job, job_of, run_job
from ml_agent.runs import RunFolder, new_run
from ml_agent.settings import load_settings
from ml_agent.summary import summary
from ml_agent.tools.tokens import count_tokens
from tests.servers.model_server import Answer, ModelServer
from tests.servers.talkers import SETTINGS, saying

TABLE = (
    "import argparse, sys\n"
    "parser = argparse.ArgumentParser()\n"
    'parser.add_argument("--rows", type=int, default=6, help="rows of the table")\n'
    'parser.add_argument("--columns", default="name,score", help="columns of the table")\n'
    'parser.add_argument("--empty", default="", help="a column that stays empty")\n'
    'parser.add_argument("--out", default="table.csv", help="where the table goes")\n'
    "args = parser.parse_args()\n"
    "names = args.columns.split(',')\n"
    'with open(args.out, "w") as file:\n'
    '    print(",".join(names), file=file)\n'
    "    for row in range(args.rows):\n"
    '        print(",".join("" if name == args.empty else f"{name}{row}" for name in names), file=file)\n'
    "if args.empty:\n    print(\"[ERROR] module numpy has no attribute 'float' (ABC)\", file=sys.stderr)\n"
    'print("wrote", args.out)\n'
)
DONE = Answer("done", {"what": "a table of 6 rows"})
TASK = "Write the table to out.csv."


def answer(options: str, **outputs: Any) -> Answer:
    made = [{"path": "out.csv", **outputs}]
    return Answer("answer", {"kind": "command", "text": f"python table.py {options} --out out.csv", "outputs": made})


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    root = tmp_path / "tables"
    root.mkdir()
    (root / "table.py").write_text(TABLE)
    (root / "README.md").write_text("# Tables\n\nWrite a table:\n\n```bash\npython table.py --rows 3\n```\n")
    return root


class Played:
    """A finished run with what was asked of its model."""

    def __init__(self, result: dict[str, Any], server: ModelServer) -> None:
        self.result, self.requests = result, server.requests
        written = json.loads((Path(result["folder"]) / "run.json").read_text())
        jsonschema.validate(written, json.loads((Path(ml_agent.__file__).parent / "run.schema.json").read_text()))
        self.summary = "\n".join(summary(result))

    @property
    def last_told(self) -> str:
        """The last message that the model was sent."""
        return str(self.requests[-1].body["messages"][-1]["content"])


@pytest.fixture
def play(repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    monkeypatch.setenv("ML_AGENT_CACHE_DIR", str(tmp_path / "cache"))

    def go(*calls: Answer, task: str = TASK, misbehaviour: Any = None, **settings: Any) -> Played:
        job = Job(instruction=task, repository=str(repository))
        with ModelServer(saying(*calls), misbehaviour) as server:
            made = load_settings(base_url=server.url, **{"network": "none", **SETTINGS, **settings})
            return Played(run_job(job, made, new_run(tmp_path, tmp_path / "out", {})), server)

    yield go


def test_one_reply_answers_and_one_is_done(play: Any) -> None:
    played = play(answer("--rows 6", columns=["name", "score"], rows=6), DONE)
    assert (played.result["ending"], played.result["exit_code"], len(played.requests)) == ("delivered", 0, 2)
    told = played.last_told
    assert count_tokens(told).n <= 600
    for part in (
        "exit 0",
        "wrote out.csv",
        "6 rows, 2 columns: name (text), score (text)",
        "name0,score0",
        "call done",
    ):
        assert part in told
    assert played.result["told"] == "a table of 6 rows" and "result       a table of 6 rows" in played.summary


@pytest.mark.parametrize(
    ("task", "made"),
    [
        ("Write the tables to outputs/output_01.csv, outputs/output_02.csv and so on.", "outputs/output_*.csv"),
        ("Write out.csv with the columns 'Company Name', 'Address'.", "out.csv"),
    ],
)
def test_series_placeholders_and_names_with_blanks_cost_no_reply(play: Any, task: str, made: str) -> None:
    names = ["outputs/output_01.csv", "outputs/output_02.csv"] if "*" in made else ["out.csv"]
    text = "\n".join(f"python table.py --columns 'Company Name,Address' --out {name}" for name in names)
    columns = ["Company Name", "Address"]
    said = Answer("answer", {"kind": "command", "text": text, "outputs": [{"path": made, "columns": columns}]})
    done = Answer("done", {"what": "tables", "doubts": [{"doubt": str(n), "answer": "so named"} for n in (1, 2)]})
    played = play(said, done, task=task)
    assert (played.result["exit_code"], len(played.requests)) == (0, 2), played.result["message"]


def test_files_of_which_the_same_is_said_share_a_row_of_the_summary(play: Any) -> None:
    text = "python table.py --out a.csv && python table.py --out b.csv && python table.py --rows 2 --out c.csv"
    outputs = [{"path": name} for name in ("a.csv", "b.csv", "c.csv")]
    played = play(Answer("answer", {"kind": "command", "text": text, "outputs": outputs}), DONE, task="Write tables.")
    rows = [line for line in played.summary.splitlines() if line.startswith("expected")]
    assert len(rows) == 2 and "a.csv, b.csv: " in rows[0], played.summary


def test_an_answer_writes_what_it_needs_and_changes_a_copy(play: Any) -> None:
    text = (
        "cat > conf.txt <<'EOF'\n8\nEOF\n"
        "cp table.py wider.py\nsed -i 's/name,score/name,score,age/' wider.py\n"
        "python wider.py --rows $(cat conf.txt) --out out.csv"
    )
    made = Answer("answer", {"kind": "command", "text": text, "outputs": [{"path": "out.csv", "rows": 8}]})
    played = play(made, DONE)
    assert (played.result["ending"], len(played.requests)) == ("delivered", 2), played.result["message"]
    assert "8 rows, 3 columns" in played.last_told and "Also: conf.txt, wider.py" in played.last_told
    assert played.result["answer"]["text"] == text


def test_what_an_answer_changes_in_the_repository_is_kept_as_a_patch(play: Any, repository: Path) -> None:
    (repository / "table.py").write_text(TABLE.rstrip("\n"))  # a last line without its end, too
    text = "sed -i 's/name,score/name,<age>/' table.py && echo '#' >> table.py && python table.py --out out.csv"
    made = Answer("answer", {"kind": "command", "text": text, "outputs": [{"path": "out.csv"}]})
    played = play(made, DONE)
    folder = Path(played.result["folder"])
    subprocess.run(["git", "apply", folder / "changes.patch"], cwd=repository, check=True)
    assert (repository / "table.py").read_text() == (folder / "outputs/table.py").read_text()
    assert "changes.patch" in (folder / "report.html").read_text() and "+parser" in (folder / "report.html").read_text()


@pytest.mark.slow
def test_a_long_step_before_one_that_failed_is_run_once(play: Any, repository: Path) -> None:
    (repository / "slow.py").write_text(
        "import time\nprint('reads')\ntime.sleep(10.5)\nopen('rows.txt', 'w').write('6')\n"
    )
    made = [
        Answer("answer", {"kind": "command", "text": f"python slow.py\n{rest}", "outputs": [{"path": "out.csv"}]})
        for rest in (
            "python table.py --rows $(cat row.txt) --out out.csv",
            "python table.py --rows 6 --out out.csv",
        )
    ]
    played = play(*made, DONE, network="install")
    result = played.result
    assert (result["ending"], len(played.requests)) == ("delivered", 3), result["message"]
    assert "step 1 kept from an earlier attempt (11 s)" in played.last_told
    assert "step 1 kept from an earlier attempt" in played.summary
    assert set(result["outputs"]) == {"out.csv", "rows.txt"}
    script = (Path(result["folder"]) / "reproduce.sh").read_text()
    assert "python slow.py\npython table.py --rows 6" in script
    assert not list(Path(result["folder"]).glob(".source-*"))


def test_what_is_sent_first_is_the_same_in_each_run(play: Any, tmp_path: Path) -> None:
    first = play(answer("--rows 6"), DONE).requests[0].body
    (tmp_path / "out").rename(tmp_path / "before")
    other = play(answer("--rows 3"), DONE, task="Write a table of three rows to out.csv.").requests[0].body
    assert (first["tools"], first["messages"][0]) == (other["tools"], other["messages"][0])
    assert first["messages"][0]["role"] == "system"
    assert first["messages"][1] != other["messages"][1]


def test_doubts_are_told_answered_and_shown(play: Any) -> None:
    said = Answer("done", {"what": "a table", "doubts": [{"doubt": "1", "answer": "ABC has none"}]})
    played = play(answer("--rows 6 --empty score"), said)
    assert (
        "Doubt 1: it ended with exit code 0, but one line reports an error: [ERROR] module numpy"
        in played.requests[1].text
    )
    doubts = played.result["doubts"]
    assert doubts[0]["answer"] == "ABC has none" and "1 of 2 columns are empty: score" in doubts[1]["doubt"]
    assert "doubt" in played.summary and "(ABC has none)" in played.summary
    assert (
        "Say a sentence on each" in played.last_told and len(played.requests) == 3
    )  # the second doubt was not spoken to


@pytest.mark.parametrize(
    ("columns", "empty", "verdict", "code"),
    [(["name", "score"], "score", "missing", 1), (["label"], "", "disputed", 0)],
    ids=["proven", "wording"],
)
def test_only_what_words_say_can_be_disputed(
    columns: list[str], empty: str, verdict: str, code: int, play: Any
) -> None:
    reason = "label is only what the sentence calls them"
    options = f"--rows 6 --empty {empty}" if empty else "--rows 6"
    played = play(
        answer(options, columns=columns), Answer("dispute", {"finding": "out.csv", "why": reason}), DONE, DONE
    )
    (one,) = played.result["expectations"]
    assert (one["verdict"], played.result["exit_code"]) == (verdict, code), played.result["message"]
    assert (f"disputed: {reason}" in played.summary) is (code == 0)


def test_a_limit_that_is_reached_after_the_run_leaves_what_was_seen(play: Any) -> None:
    played = play(answer("--rows 6"), DONE, max_calls=1)
    assert (played.result["ending"], len(played.requests)) == ("delivered", 1)
    assert "did not look at the result" in played.result["doubts"][-1]["doubt"]


@pytest.mark.slow
def test_what_the_user_says_to_a_result_goes_on_in_the_same_conversation(repository: Path, tmp_path: Path) -> None:
    calls = (answer("--rows 6"), DONE, answer("--rows 9"), Answer("done", {"what": "nine rows"}))
    with ModelServer(saying(*calls)) as server:
        made = load_settings(base_url=server.url, network="none", **SETTINGS)
        job = Job(
            instruction="Write the table with 6 rows to out.csv.", repository=str(repository), expect=("out.csv:csv",)
        )
        folder = new_run(tmp_path, tmp_path / "out", config_of(job, made))
        run_job(job, made, folder)
        said = Correction("no, with 9 rows", tmp_path / "next", str(tmp_path / "kept"), expect=("out.csv",))
        second = continue_job(folder, said, {"api_key": "sesame"})
        asked = [str(seen.body["messages"]) for seen in server.requests]
    assert (second["ending"], second["told"], second["continues"]) == ("delivered", "nine rows", folder.id)
    assert job_of(RunFolder(tmp_path / "next").config()).expect == ("out.csv",)
    assert "--rows 9" in second["answer"]["text"] and len(asked) == 4
    assert "no, with 9 rows" in asked[2] and "a table of 6 rows" in asked[2], "the conversation is the same"
    assert second["outputs"] and all((tmp_path / "kept" / path).is_file() for path in second["outputs"])
    assert (tmp_path / "out/run.json").is_file() and Path(second["folder"]) == tmp_path / "next"
    with pytest.raises(UsageError, match="--force"):  # before anything is asked or run
        continue_job(RunFolder(tmp_path / "next"), Correction("no, with 8 rows", tmp_path / "third"), {})
    assert not (tmp_path / "third").exists()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("words", "made", "code"),
    [
        ("no, write it to other.csv", "other.csv", 0),  # what the correction names replaces what was expected
        ("no, with 9 rows", "other.csv", 1),  # the correction names no file
    ],
)
def test_what_a_correction_names_replaces_what_was_expected(
    words: str, made: str, code: int, repository: Path, tmp_path: Path
) -> None:
    other = {"kind": "command", "text": f"python table.py --rows 9 --out {made}", "outputs": [{"path": made}]}
    done = Answer("done", {"what": "nine rows", "doubts": [{"doubt": "1", "answer": "renamed"}]})
    with ModelServer(saying(answer("--rows 6"), DONE, Answer("answer", other), done, done)) as server:
        made_of = load_settings(base_url=server.url, network="none", **SETTINGS)
        job = Job(instruction="Write the table with 6 rows.", repository=str(repository), expect=("out.csv:csv",))
        folder = new_run(tmp_path, tmp_path / "out", config_of(job, made_of))
        assert run_job(job, made_of, folder)["exit_code"] == 0
        second = continue_job(folder, Correction(words, tmp_path / "next"), {"api_key": "sesame"})
    assert second["exit_code"] == code, second["message"]
    told = [one for one in second["doubts"] if "out.csv" in one["doubt"]]
    assert [one["answer"] for one in told] == ["renamed"] * (code == 0)
    assert ("out.csv" in "\n".join(summary(second))) is True


def test_a_run_without_an_answer_is_not_gone_on_from(repository: Path, tmp_path: Path) -> None:
    made = load_settings(base_url="http://127.0.0.1:9/v1", **SETTINGS)
    job = Job(instruction=TASK, repository=str(repository))
    folder = new_run(tmp_path, tmp_path / "out", config_of(job, made))
    with pytest.raises(UsageError, match="no answer"):
        continue_job(folder, Correction("with 9 rows"), {})


@pytest.mark.parametrize(
    "named",
    [
        "1",
        "Doubt 1",
        "doubt #1:",
        "Doubt 1: 154 of 1614 columns are empty",
        "1) 154 of 1614 columns",
        "Doubt 1: A and B are empty",
        "154 of 1614 columns are empty",
    ],
)
def test_a_doubt_is_spoken_to_by_its_number_or_its_words(named: str) -> None:
    asked = Review(doubts=("out.csv: 154 of 1614 columns are empty: A, B", "it printed a value that is not a number"))
    said = conclusion(
        asked, "a table", [{"doubt": "2", "answer": "a mean of nothing"}, {"doubt": named, "answer": "they need 3D"}]
    )
    assert [(one.doubt, one.answer) for one in said.doubts] == [
        (asked.doubts[0], "they need 3D"), (asked.doubts[1], "a mean of nothing"),
    ]  # fmt: skip
