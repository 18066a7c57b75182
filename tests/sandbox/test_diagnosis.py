"""Every rule against what a failing program really said."""

from pathlib import Path

import msgspec
import pytest

from ml_agent.sandbox.contract import Response
from ml_agent.sandbox.diagnosis import diagnose
from tests.sandbox.failure_cases import CASES
from tests.sandbox.failure_model import FailureCase

HERE = Path(__file__).parent


def _response(case: FailureCase) -> Response:
    return msgspec.json.decode((HERE / "failures" / f"{case.name}.json").read_bytes(), type=Response)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_the_failure_gets_its_name(case: FailureCase) -> None:
    diagnosis = diagnose(_response(case), case.command)
    assert diagnosis.code == case.code, diagnosis
    assert diagnosis.message and "{" not in diagnosis.message.split(":")[0]
    if case.subject:
        assert diagnosis.subject == case.subject
    if case.fix:
        assert diagnosis.fix is not None, diagnosis
        assert f"{diagnosis.fix.kind}:{','.join(diagnosis.fix.arguments)}" == case.fix


def test_evidence_is_from_the_output() -> None:
    shown = 0
    for case in CASES:
        response = _response(case)
        said = "\n".join([response.stdout, response.stderr, *response.error_lines, *response.progress])
        evidence = diagnose(response, case.command).evidence
        assert all(line in said for line in evidence)
        shown += bool(evidence)
    assert shown > len(CASES) / 2


def test_an_ending_without_failure_has_none() -> None:
    assert diagnose(Response(ended="exited", exit_code=0)).code == "no-error"
    assert diagnose(Response(ended="probe", exit_code=None, started=True)).code == "no-error"


@pytest.mark.parametrize(("said", "package"), [("'pip install -ve .' first", ""), ("`pip install demo`", "demo")])
def test_an_option_of_pip_is_no_package(said: str, package: str) -> None:
    line = f"ImportError: C extension: None not built. You may need to run {said}."
    found = diagnose(Response(stderr=line, exit_code=1, ended="exited"))
    assert (found.subject if found.code == "missing-module" else "") == package


def test_what_python_says_of_its_own_variables_is_no_missing_variable() -> None:
    lines = "Error in sitecustomize; set PYTHONVERBOSE for traceback:\nValueError: none\nAttributeError: module 'json' has no attribute 'loads'"
    assert diagnose(Response(stderr=lines, exit_code=1, ended="exited")).code != "missing-environment-variable"


def test_a_program_that_was_not_compiled_is_a_file_that_is_not_there() -> None:
    line = "AssertionError: Unable to find the fast binary here, have you forgotten to compile it?: /workspace/fast"
    found = diagnose(Response(stderr=line, exit_code=1, ended="exited"))
    assert (found.code, found.subject) == ("missing-file", "/workspace/fast")


def test_what_make_does_not_find_is_a_program() -> None:
    said = "g++ -O3 -c svm.cpp\nmake: g++: No such file or directory\nmake: *** [Makefile:26: svm.o] Error 127\n"
    found = diagnose(Response(stderr=said, exit_code=2, ended="exited"))
    assert (found.code, found.subject) == ("missing-program", "g++")


def test_a_program_whose_lack_is_only_logged_is_no_file() -> None:
    said = "WARNING: cannot convert: FileNotFoundError: [Errno 2] No such file or directory: 'ffmpeg'\n"
    found = diagnose(Response(stderr=said, exit_code=1, ended="exited"))
    assert (found.code, found.subject) == ("missing-program", "ffmpeg")


@pytest.mark.parametrize(
    ("place", "said", "old"),
    [
        ("/workspace/fit/model.py", "TypeError: only 0-dimensional arrays can be converted to Python scalars", True),
        ("/workspace/fit/model.py", "AttributeError: 'Model' object has no attribute 'best_'", True),
        ("/workspace/fit/model.py", "TypeError: 'NoneType' object is not subscriptable", False),
        ("/workspace/fit/model.py", "ValueError: no rows", False),
        ("/workspace/ml_agent_answer.py", "TypeError: fit() missing 1 required positional argument: 'rows'", False),
    ],
)
def test_what_no_longer_fits_its_libraries_is_tried_with_those_of_its_time(place: str, said: str, old: bool) -> None:
    lines = f'Traceback (most recent call last):\n  File "{place}", line 3, in fit\n    return best(rows)\n           ^^^^^^^^^^\n{said}\n'
    found = diagnose(Response(stderr=lines, exit_code=1, ended="exited"))
    assert (found.code, found.fix is not None and found.fix.kind) == ("exception", old and "by-date")


def test_the_last_failure_counts_not_one_that_led_to_it() -> None:
    first = 'Traceback (most recent call last):\n  File "/workspace/a.py", line 3, in read\n    return int(rows)\nTypeError: no number\n'
    last = 'Traceback (most recent call last):\n  File "/workspace/a.py", line 9, in main\n    read(rows)\nValueError: no rows\n'
    between = "\nDuring handling of the above exception, another exception occurred:\n\n"
    found = diagnose(Response(stderr=first + between + last, exit_code=1, ended="exited"))
    assert (found.subject, found.fix) == ("ValueError: no rows", None)
