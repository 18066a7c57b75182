"""Mypy is the proof that plain strings pass for no gated text and no path; that it is one is seen here."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
WRONG = Path(__file__).with_name("wrong_code.py")
IGNORED = re.compile(r"  # type: ignore\[([\w-]+)\]$")


@pytest.mark.slow
@pytest.mark.promise("Plain strings do not pass for gated text.", by="types of their own, mypy --strict")
def test_mypy_refuses_every_line_of_wrong_code(tmp_path: Path) -> None:
    lines = WRONG.read_text(encoding="utf-8").splitlines()
    expected = {number: found[1] for number, line in enumerate(lines, 1) if (found := IGNORED.search(line))}
    copy = tmp_path / "wrong_copy.py"
    copy.write_text("\n".join(IGNORED.sub("", line) for line in lines) + "\n", encoding="utf-8")
    command = [sys.executable, "-m", "mypy", "--follow-imports=silent", "--hide-error-context", str(copy)]
    told = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=300, check=False).stdout
    seen = {int(line): code for line, code in re.findall(r":(\d+): error: .*\[([\w-]+)\]$", told, re.MULTILINE)}
    assert seen == expected, told
