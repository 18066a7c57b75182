"""Record and replay: the same answers, without what gave them."""

import socket
from pathlib import Path
from typing import Any

import pytest

from ml_agent.errors import ConfigurationError
from ml_agent.model.budget import Budget
from ml_agent.model.client import ModelClient
from ml_agent.model.endpoint import Endpoint
from ml_agent.model.functions import Function
from ml_agent.model.memory import Memory
from ml_agent.model.prompt import Prompt
from ml_agent.model.sender import ClientParts
from ml_agent.model.transport import NetworkTransport
from ml_agent.prompts.untrusted import neutral
from ml_agent.replay.repositories import TapeRepositories
from ml_agent.replay.tape import ReplayError, Tape
from ml_agent.replay.transport import TapeSandbox, TapeTransport, on_tape
from ml_agent.sandbox.contract import SYSTEM_SECONDS, Command, Policy, Response, Version
from ml_agent.tools.errors import RepositoryError, SearchError
from ml_agent.tools.repository import Checkout
from tests.servers.misbehaviours import MISBEHAVIOURS
from tests.servers.model_server import Answer, ModelServer, answers


def never() -> Any:
    raise AssertionError("a replay must not ask again")


def test_same_request_again_gives_the_next_answer(tmp_path: Path) -> None:
    results = iter([1, 2])
    tape = Tape(tmp_path, "record")
    assert [tape.call("n", {"a": 1, "b": 2}, lambda: next(results), int) for _ in range(2)] == [1, 2]
    again = Tape(tmp_path, "replay")
    assert [again.call("n", {"b": 2, "a": 1}, never, int) for _ in range(2)] == [1, 2]
    with pytest.raises(ReplayError, match="record the run again"):
        again.call("n", {"a": 1, "b": 2}, never, int)


def test_errors_are_played_back(tmp_path: Path) -> None:
    def fail() -> int:
        raise SearchError("GitHub is down")

    with pytest.raises(SearchError):
        Tape(tmp_path, "record").call("search", "q", fail, int, {"SearchError": SearchError})
    with pytest.raises(SearchError, match="GitHub is down"):
        Tape(tmp_path, "replay").call("search", "q", never, int, {"SearchError": SearchError})


def test_a_run_that_is_called_by_an_everyday_word_changes_nothing(tmp_path: Path) -> None:
    Tape(tmp_path, "record", ["a"]).call("n", {"text": "a cat"}, lambda: 7, int)
    assert Tape(tmp_path, "replay", ["b"]).call("n", {"text": "a cat"}, never, int) == 7


def test_nothing_to_replay_is_a_configuration_error(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="there is no folder"):
        Tape(tmp_path / "none", "replay")
    (tmp_path / "file").write_text("")
    with pytest.raises(ConfigurationError, match="cannot be written"):
        Tape(tmp_path / "file" / "tape", "record")


PICK = Function(
    name="Pick",
    description="Choose.",
    parameters={"type": "object", "properties": {"script": {"type": "string"}}, "required": ["script"]},
)


@pytest.mark.parametrize(
    "misbehaviour", [None, "wrong JSON", "tools not supported", "500 then fine", "429 without Retry-After"]
)
def test_a_model_is_played_back_without_network(
    tmp_path: Path, misbehaviour: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    endpoint: list[Endpoint] = []

    def run(transport: TapeTransport) -> tuple[Any, ...]:
        budget, events = Budget(), []
        parts = ClientParts(memory=Memory(), transport=transport, sleep=lambda _: None)
        client = ModelClient(
            endpoint[0], budget, lambda event, **fields: events.append((event, fields.get("request"))), parts
        )
        try:
            prompt = Prompt(phase="p", system=neutral("s"), question=neutral("q?"))
            result: Any = client.converse(prompt, [PICK], ())
        except Exception as error:  # noqa: BLE001 - compared below
            result = repr(error)
        usage = budget.usage
        return result, usage.tokens, usage.calls, events

    with ModelServer(
        answers(Answer("Pick", {"script": "a.py"})), MISBEHAVIOURS[misbehaviour] if misbehaviour else None
    ) as server:
        endpoint.append(Endpoint(model="m", base_url=server.url, api_key="sesame"))
        recorded = run(TapeTransport(Tape(tmp_path, "record"), NetworkTransport()))
        asked = len(server.requests)
    monkeypatch.setattr(socket, "socket", never)
    assert run(TapeTransport(Tape(tmp_path, "replay"))) == recorded
    assert asked == recorded[2]
    assert "sesame" not in "".join(path.read_text() for path in tmp_path.rglob("*.json"))


class Echo:
    """A sandbox that answers from memory."""

    name, isolated, policy, base = "echo", True, Policy(), "base"

    def __init__(self) -> None:
        self.runs = 0

    def start(self) -> None: ...
    def stop(self) -> None: ...
    def put(self, source: Path, target: str) -> None: ...
    def begin_clean(self) -> None: ...

    def get(self, path: str, most: int = 10**6) -> bytes:
        if path == "none":
            raise FileNotFoundError(path)
        return b"\x00\xff"

    def run(self, command: Command, on_output: Any = None) -> Response:
        self.runs += 1
        return Response(ended="exited", exit_code=0, stdout=f"{command.text} {self.runs}\n", log="/elsewhere/1.log")

    def pythons(self) -> tuple[Version, ...]:
        return ((3, 11),)

    def python_version(self) -> Version:
        return (3, 11)

    def use_python(self, version: Version) -> None: ...

    def install_system(self, packages: tuple[str, ...], seconds: float = SYSTEM_SECONDS) -> Response:
        return Response(ended="exited", exit_code=0)

    def keep_setup(self, key: str, note: str) -> None: ...

    def forget_setup(self, key: str) -> None: ...

    def start_with(self, key: str) -> str | None:
        return None


def test_a_sandbox_is_played_back(tmp_path: Path) -> None:
    def use(sandbox: TapeSandbox) -> list[Any]:
        sandbox.start()
        sandbox.put(tmp_path, "repo")
        found: list[Any] = [sandbox.run(Command(text="ls")).stdout for _ in range(2)]
        found += [sandbox.get("x"), sandbox.name, sandbox.isolated]
        with pytest.raises(FileNotFoundError):
            sandbox.get("none")
        sandbox.stop()
        return found

    recorded = use(on_tape(Tape(tmp_path / "tape", "record"), Echo(), tmp_path / "logs"))
    replay = on_tape(Tape(tmp_path / "tape", "replay"), None, tmp_path / "logs")
    heard: list[str] = []
    assert use(replay) == recorded == ["ls 1\n", "ls 2\n", b"\x00\xff", "echo", True]
    again = on_tape(Tape(tmp_path / "tape", "replay"), None, tmp_path / "logs")
    response = again.run(Command(text="ls"), heard.append)
    assert heard == ["ls 1\n"] and Path(response.log).read_text() == "ls 1\n"


class Remote:
    """Brings one folder."""

    def __init__(self, root: Path) -> None:
        self._root = root

    def get(self, source: str, commit: str | None = None) -> Checkout:
        if source == "no/where":
            raise RepositoryError("no/where: not found")
        return Checkout(root=self._root, version="a" * 40, url="https://example.org/o/r", local=False)


class Nothing:
    def get(self, source: str, commit: str | None = None) -> Checkout:
        raise AssertionError("a replay must not fetch")


def test_a_repository_is_played_back_without_links_that_leave_it(tmp_path: Path) -> None:
    root = tmp_path / "cache" / "r"
    (root / ".git").mkdir(parents=True)
    (root / ".git" / "config").write_text("secret")
    (root / "src").mkdir()
    (root / "src" / "train.py").write_text("print(1)\n")
    (root / "link.py").symlink_to("src/train.py")
    (root / "leak").symlink_to("/etc/passwd")
    TapeRepositories(Tape(tmp_path / "tape", "record"), Remote(root), tmp_path / "a").get("o/r")
    player = TapeRepositories(Tape(tmp_path / "tape", "replay"), Nothing(), tmp_path / "b")
    checkout = player.get("o/r")
    assert checkout.version == "a" * 40 and checkout.root != root and checkout.root.name == "r"
    assert sorted(p.relative_to(checkout.root).as_posix() for p in checkout.root.rglob("*")) == [
        "link.py",
        "src",
        "src/train.py",
    ]
    assert (checkout.root / "link.py").read_text() == "print(1)\n"
