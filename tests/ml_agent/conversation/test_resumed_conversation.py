"""A run that is cut in the middle of a conversation goes on there, and what it spent before counts."""

from pathlib import Path
from typing import Any

import pytest

from ml_agent.background import CancelledRunError, Run
from ml_agent.request import Job
from ml_agent.run_job import begin_job, resume_job
from ml_agent.runs import RunFolder
from ml_agent.settings import load_settings
from tests.processor_time import WAIT
from tests.servers.model_server import Answer, ModelServer, Response, Seen
from tests.servers.talkers import command, replies, saying

ANSWER = "python fit.py --lr 0.25"
SCRIPT = "import argparse\np = argparse.ArgumentParser()\np.add_argument('--lr', type=float)\np.parse_args()\n"
CALLS = (Answer("read", {"path": "fit.py"}), Answer("find", {"query": "lr"}), command(ANSWER))


@pytest.mark.parametrize("limit", [None, 3])
def test_what_was_said_is_not_asked_again_and_counts(limit: int | None, tmp_path: Path) -> None:
    (tmp_path / "repository").mkdir()
    (tmp_path / "repository/fit.py").write_text(SCRIPT)
    runs: list[Run] = []

    def cut(seen: Seen, _answer: Answer) -> Response | None:
        if replies(seen) < 2 or len(server.requests) > 3:
            return None
        runs[0].cancel()
        return Response(body=b"{}", delay=WAIT)

    with ModelServer(saying(*CALLS), cut) as server:
        settings = load_settings(run="none", model="m", base_url=server.url, api_key="k", max_calls=limit)
        job = Job(instruction="fit the model with lr 0.25", repository=str(tmp_path / "repository"))
        runs.append(Run(lambda stream: begin_job(job, settings, tmp_path / "out", stream)))  # type: ignore[arg-type, return-value]
        with pytest.raises(CancelledRunError):
            runs[0].result(WAIT)
        result: dict[str, Any] = resume_job(RunFolder(tmp_path / "out"), {})
        if limit is not None:
            assert (result["ending"], len(server.requests), result["budget"]["calls"]) == ("budget", 3, 3)
            return
        assert (result["answer"]["source"], result["answer"]["text"]) == ("llm", ANSWER)
        assert [replies(seen) for seen in server.requests] == [0, 1, 2, 2], "two replies are known"
        assert result["budget"]["calls"] == 4, "the request that was cut may have been paid for"
