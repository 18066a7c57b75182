"""The table of Python's versions against the interpreters of this machine."""

import json
import re
import subprocess
from typing import Any

import pytest

from ml_agent.sandbox.interpreters import Interpreter, find_interpreters
from ml_agent.sandbox.python_history import history

ASK = """
import importlib, json, sys, warnings
warnings.simplefilter("ignore")
found = {}
for module, names in json.load(sys.stdin).items():
    try:
        there = importlib.import_module(module)
    except ImportError:
        continue
    found[module] = [name for name in names if hasattr(there, name)]
print(json.dumps(found))
"""


def version(text: str) -> tuple[int, int]:
    major, minor = text.split(".")
    return int(major), int(minor)


def facts(side: str) -> list[tuple[tuple[int, int], str, str]]:
    """Version, module and name; no name where the whole module is meant."""
    table: dict[str, Any] = history()[side]
    modules = [(version(v), module, "") for v, names in table["modules"].items() for module in names]
    names = [(version(v), m, n) for v, by in table["names"].items() for m, found in by.items() for n in found]
    return [fact for fact in [*modules, *names] if fact[0] > (3, 0)]


def has(interpreter: Interpreter) -> dict[str, list[str]]:
    asked: dict[str, list[str]] = {}
    for _, module, name in [*facts("since"), *facts("until")]:
        asked.setdefault(module, []).extend([name] if name else [])
    done = subprocess.run(
        [interpreter.executable, "-I", "-c", ASK],
        input=json.dumps(asked), capture_output=True, text=True, timeout=240, check=True,
    )  # fmt: skip
    return dict(json.loads(done.stdout))


@pytest.mark.parametrize("interpreter", find_interpreters(), ids=lambda found: "{}.{}".format(*found.version))
def test_the_table_is_what_the_interpreters_have(interpreter: Interpreter) -> None:
    there = has(interpreter)
    wrong = []
    for side in ("since", "until"):
        for told, module, name in facts(side):
            found = module in there and (not name or name in there[module])
            expected = interpreter.version >= told if side == "since" else interpreter.version <= told
            if found is not expected:
                wrong.append((side, told, module, name))
    assert wrong == []


def test_what_python_says_is_a_pattern() -> None:
    for side in history().values():
        for lines in [*side.get("said", {}).values(), *side.get("syntax", {}).values()]:
            for line in lines:
                re.compile(line)
