"""A model that takes pictures sees small copies of those that came out; one that refuses them is asked without."""

import base64
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from ml_agent.delivery.binary_kinds import picture_size
from ml_agent.pictures import SHRINK
from ml_agent.request import Job
from ml_agent.run_job import run_job
from ml_agent.runs import new_run
from ml_agent.settings import Settings, load_settings
from tests.servers.model_server import Answer, ModelServer, Response, Seen, refusal
from tests.servers.talkers import SETTINGS, command, saying

DRAW = """import struct, sys, zlib
side = int(sys.argv[1])
def chunk(name, body):
    return struct.pack(">I", len(body)) + name + body + struct.pack(">I", zlib.crc32(name + body))
lines = b"".join(b"\\0" + bytes((x * y) % 256 for x in range(side)) for y in range(side))
head = struct.pack(">IIBBBBB", side, side, 8, 0, 0, 0, 0)
with open(sys.argv[2], "wb") as file:
    file.write(b"\\x89PNG\\r\\n\\x1a\\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(lines)) + chunk(b"IEND", b""))
"""
SMALL = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\7\0\0\0\7"


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("ML_AGENT_CACHE_DIR", str(tmp_path / "cache"))
    root = tmp_path / "drawings"
    root.mkdir()
    (root / "draw.py").write_text(DRAW)
    (root / "README.md").write_text("# Drawings\n\n```bash\npython draw.py 64 picture.png\n```\n")
    return root


def _no_pictures(seen: Seen, answer: Answer) -> Response | None:
    shown = any(isinstance(message["content"], list) for message in seen.body["messages"])
    return refusal(400, "messages[4].content: invalid type, expected a string") if shown else None


def _played(repository: Path, side: int, misbehaviour: Any = None, **settings: Any) -> tuple[str, list[Seen]]:
    """The ending and the requests; its report holds the picture once, as a result, and not among what was said."""
    told = saying(command(f"python draw.py {side} picture.png"), Answer("done", {"what": "a picture"}))
    with ModelServer(told, misbehaviour) as server:
        made = load_settings(base_url=server.url, network="none", pictures="yes", **{**SETTINGS, **settings})
        job = Job(instruction="Draw a picture into picture.png.", repository=str(repository))
        result = run_job(job, made, new_run(repository.parent, repository.parent / "out", {}))
    assert (Path(result["folder"]) / "report.html").read_text().count("base64,") == 1
    return result["ending"], server.requests


def _pictures(seen: Seen) -> list[bytes]:
    parts = [
        one for message in seen.body["messages"] if isinstance(message["content"], list) for one in message["content"]
    ]
    addresses = [one["image_url"]["url"] for one in parts if one["type"] == "image_url"]
    return [base64.b64decode(one.partition("base64,")[2]) for one in addresses]


@pytest.mark.parametrize("mode", ["tools", "text"])
def test_a_small_picture_is_shown(repository: Path, mode: str) -> None:
    ending, requests = _played(repository, 64, model_mode=mode)
    assert (ending, [len(_pictures(one)) for one in requests]) == ("delivered", [0, 1])
    assert picture_size(_pictures(requests[1])[0]) == (64, 64)


def test_an_endpoint_that_refuses_pictures_is_asked_without(repository: Path) -> None:
    ending, requests = _played(repository, 64, _no_pictures)
    assert (ending, [len(_pictures(one)) for one in requests]) == ("delivered", [0, 1, 0])


def test_a_picture_that_cannot_be_made_small_is_not_sent(repository: Path) -> None:
    ending, requests = _played(repository, 1500)
    assert (ending, [len(_pictures(one)) for one in requests]) == ("delivered", [0, 0])


@pytest.mark.hostile
@pytest.mark.promise("A model sees the picture that came out, and none that the repository shows instead.", by="-I")
def test_a_package_of_the_repository_shows_no_other_picture(repository: Path) -> None:
    (repository / "PIL.py").write_text(f"print({base64.b64encode(SMALL).decode()!r})\nraise SystemExit\n")
    ending, requests = _played(repository, 1500)
    assert (ending, [len(_pictures(one)) for one in requests]) == ("delivered", [0, 0])


def test_pillow_makes_a_large_picture_small(repository: Path) -> None:
    pytest.importorskip("PIL")
    for words in (["draw.py", "1500", "large.png"], ["-c", SHRINK, "large.png"]):
        said = subprocess.run([sys.executable, *words], cwd=repository, check=True, capture_output=True).stdout
    assert picture_size(base64.b64decode(said.strip(), validate=True)) == (512, 512)


@pytest.mark.parametrize(
    ("address", "wish", "shown"),
    [
        ("", "auto", True),
        ("http://127.0.0.1:9/v1", "auto", False),
        ("http://127.0.0.1:9/v1", "yes", True),
        ("", "no", False),
    ],
)
def test_pictures_go_to_models_that_are_known_to_take_them(address: str, wish: str, shown: bool) -> None:
    settings: Settings = load_settings(base_url=address, pictures=wish, model="m", navigator="llm", api_key="sesame")
    assert settings.shows_pictures is shown
