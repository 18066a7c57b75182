"""An endpoint that says our key back: it stands in no file and in no line of ours."""

import os
from collections.abc import Callable
from pathlib import Path
from urllib.parse import quote

import pytest

from tests.hostile.conftest import ml_agent
from tests.servers.model_server import Answer, ModelServer, Response, Seen, completion, refusal

Echo = Callable[[Seen, Answer], Response]


def _authorization(seen: Seen) -> str:
    return next(value for name, value in seen.headers.items() if name.lower() == "authorization")


ECHOES: dict[str, Echo] = {
    "401": lambda seen, _: refusal(401, f"Incorrect API key provided: {_authorization(seen)}"),
    "400": lambda seen, _: refusal(400, f"weird {_authorization(seen)}"),
    "400 at our limit": lambda seen, _: refusal(400, "x" * 440 + _authorization(seen)),
    "400 cut": lambda seen, _: refusal(400, f"bad {_authorization(seen)[:-6]}..."),
    "400 quoted": lambda seen, _: refusal(400, f"bad /v1?key={quote(_authorization(seen), safe='')}"),
    "400 as text": lambda seen, _: Response(body=_authorization(seen).encode(), status=400),
    "400 in other JSON": lambda seen, _: Response(
        body=refusal(400, f"weird {_authorization(seen)}").body.replace(b"/", rb"\/"), status=400
    ),
    "500": lambda seen, _: refusal(500, f"boom {_authorization(seen)}"),
    "404": lambda seen, _: refusal(404, f"nothing for {_authorization(seen)}"),
    "reply": lambda seen, _: completion({"content": f"your key is {_authorization(seen)}"}, seen),
}


@pytest.mark.promise(
    "A key that an endpoint says back is masked before anything is kept or told.", by="ml_agent.key_mask"
)
@pytest.mark.parametrize("echo", ECHOES)
def test_a_key_that_is_said_back(echo: str, canaries, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    root = tmp_path / "fitting"
    root.mkdir()
    (root / "fit.py").write_text(
        "import argparse\np = argparse.ArgumentParser()\np.add_argument('--lr', type=float)\np.parse_args()\n"
    )
    (root / "README.md").write_text("# Fit\n\n```bash\npython fit.py --lr 0.5\n```\n")
    key = f"{canaries.secret}/+&{canaries.secret}"
    with ModelServer(misbehaviour=ECHOES[echo]) as server:
        environment = {
            **os.environ,
            "OPENAI_BASE_URL": server.url,
            "OPENAI_API_KEY": key,
            "ML_AGENT_CACHE_DIR": str(tmp_path / "kept"),
        }
        done = ml_agent(
            "solve", "fit the model with lr 0.25", "--repo", str(root), "--run", "none", "--model", "m", "--navigator", "llm",
            "--model-mode", "text", "--out", str(tmp_path / "out"), environment=environment,
        )  # fmt: skip
        assert server.requests, done.stderr
    assert "***" in done.stdout + done.stderr or echo in ("reply", "400 as text"), done.stderr
    begin = canaries.secret[:14].encode()
    files = [path for place in ("out", "kept") for path in (tmp_path / place).rglob("*") if path.is_file()]
    assert [str(path) for path in files if begin in path.read_bytes()] == []
    assert begin.decode() not in done.stdout + done.stderr
