"""The list of commands: quick, true to the commands themselves, and completed by the shell."""

import json
import subprocess
import sys

import pytest

from ml_agent.cli.app import COMMANDS, loaded
from tests.command import ml_agent

HEAVY = ("langgraph", "openai", "docker", "git", "github", "numpy", "ml_agent.graph", "ml_agent.benchmarks.cli")


@pytest.mark.parametrize("name", COMMANDS)
def test_the_list_says_of_a_command_what_its_own_help_says(name: str) -> None:
    assert loaded(name).help.partition("\n")[0] == COMMANDS[name].summary


@pytest.mark.parametrize("arguments", [["--help"], ["--version"], ["-h"]])
def test_help_and_version_import_nothing_heavy(arguments: list[str]) -> None:
    code = (
        "import sys, json\nfrom ml_agent.cli import run\n"
        f"code = run({arguments!r})\nprint(json.dumps([code, [name for name in {HEAVY!r} if name in sys.modules]]), file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True)
    assert json.loads(done.stderr) == [0, []]
    assert "ml-agent" in done.stdout


@pytest.mark.parametrize(
    ("typed", "word", "expected"),
    [("ml-agent ", 1, "solve"), ("ml-agent solve --rep", 2, "--repo"), ("ml-agent bench pre", 2, "predict")],
)
def test_the_shell_completes_commands_and_options(typed: str, word: int, expected: str) -> None:
    done = ml_agent(COMP_WORDS=typed, COMP_CWORD=str(word), _ML_AGENT_COMPLETE="complete_bash")
    assert expected in done.stdout.split(), done


def test_a_mistyped_command_is_answered_by_the_nearest() -> None:
    done = ml_agent("slove", "fit it")
    assert done.returncode == 2 and "solve" in done.stderr and len(done.stderr.splitlines()) == 1


def test_no_arguments_show_the_commands() -> None:
    done = ml_agent()
    assert done.returncode == 2 and "explain" in done.stdout + done.stderr
