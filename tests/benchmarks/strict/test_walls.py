"""What an answer that is run for its score can reach of the machine."""

from pathlib import Path

import pytest

from ml_agent.benchmarks.strict.execute import Job, run
from ml_agent.benchmarks.strict.libraries import of_repository
from ml_agent.benchmarks.strict.walls import bubblewrap

TRAIN = "python examples/train.py --dataset cora --lr 0.2"


def reached(repository: Path, condition: str) -> bool:
    """Whether the shell of an answer finds a condition true; the program runs only then."""
    libraries = of_repository(repository)
    done = run(Job(root=repository, path=".", text=f"if {condition}; then {TRAIN}; fi", kind="bash"), libraries)
    return done.ok


@pytest.mark.skipif(bubblewrap() is None, reason="bubblewrap does not work here")
def test_sockets_homes_and_network_are_out_of_reach(repository: Path, tmp_path: Path) -> None:
    secret = tmp_path.parent / f"{tmp_path.name}-secret"
    secret.write_text("secret")
    assert reached(repository, f"[ -e {repository}/examples/train.py ]")
    for place in ("/var/run/docker.sock", "/run/docker.sock", Path.home() / ".cache", secret, "/etc/shadow"):
        assert not reached(repository, f"[ -e {place} ]"), place
    assert not reached(repository, "ls -A /run /var/run 2>/dev/null | grep -q sock")
    assert reached(repository, "[ $(grep -c : /proc/net/dev) = 1 ]"), "only the loopback"
    assert not reached(repository, f"{{ : > {repository}/setup.py; }} 2>/dev/null")
    assert reached(repository, f"{{ : > {repository}/made; }} 2>/dev/null") and not (repository / "made").exists()
