"""What an answer does in shells and scripts of its own counts; what a script of the repository does there is the repository's."""

from pathlib import Path

import pytest

from tests.benchmarks.same_call.test_streams import SCORE, passes, pytestmark, words

__all__ = ["pytestmark", "words"]
DATA = "bash count.sh a"


def script(text: str, start: str = "bash go.sh", name: str = "go.sh") -> str:
    """An answer that writes a script and starts it."""
    return f"cat > {name} <<'E'\n{text}\nE\n{start}"


@pytest.mark.parametrize(
    ("reference", "answer"),
    [
        (SCORE, f"bash -c '{SCORE}'"),
        (SCORE, f"/bin/bash -euo pipefail -c '{SCORE}'"),
        (SCORE, f"bash -c 'set -x\n{SCORE}\nset +x'"),
        (SCORE, f"bash -c \"bash -c '{SCORE}'\""),
        (SCORE, script(SCORE)),
        (SCORE, script(SCORE, "sh go.sh")),
        (SCORE, script(SCORE, "source go.sh")),
        (SCORE, script('python score.py "$1"', "nohup bash go.sh --all &")),
        (SCORE, script(f"#!/usr/bin/env bash\nset -eu\n{SCORE}", "chmod +x go.sh && ./go.sh")),
        (SCORE, script(f"#!/bin/sh\n{SCORE}", "chmod 755 go.sh\n./go.sh")),
        (SCORE, script(SCORE, "bash /tmp/go.sh", "/tmp/go.sh")),
        (SCORE, f"set -x\n{SCORE}\n{{ set +x; }} 2>/dev/null\necho done"),
        (SCORE, f"which awk; awk '$1 > 3' README.md; ls | xargs -n 1 echo; find . -exec ls {{}} \\;; {SCORE}"),
        (SCORE, "echo --all | xargs python score.py; command -v python"),
        (f"{SCORE} > out", f"bash -c '{SCORE} > out'"),
        (f"{SCORE} > out", script(f"{SCORE} | tee out")),
        (DATA, f"bash -c '{DATA}'"),
        (DATA, script(DATA, "sh go.sh")),
        (f"MODE=1 {DATA}", f"bash -c 'export MODE=1; {DATA}'"),
        (f"MODE=1 {DATA}", f"MODE=1 bash -c '{DATA}'"),
        ("sh more.sh", SCORE),
        (SCORE, "bash -c 'bash more.sh'"),
    ],
)
def test_the_same_in_a_shell_of_its_own(words: Path, reference: str, answer: str) -> None:
    assert passes(words, reference, answer)


@pytest.mark.parametrize(
    ("reference", "answer"),
    [
        (SCORE, f"bash -c '{SCORE}; rm -rf data'"),
        (SCORE, f"bash -c '{SCORE}\nrm -rf data'"),
        (SCORE, f"bash -c \"bash -c '{SCORE}; rm -rf data'\""),
        (SCORE, f"bash <<'E'\n{SCORE}\nrm -rf data\nE"),
        (SCORE, script(f"{SCORE}\nrm -rf data")),
        (SCORE, script(f"{SCORE}\nrm -rf data", "sh go.sh")),
        (SCORE, script(f"{SCORE}\nrm -rf data", ". ./go.sh")),
        (SCORE, script(f"#!/bin/bash\n{SCORE}\nrm -rf data", "chmod +x go.sh && ./go.sh")),
        (SCORE, script(f"#!/bin/sh\n{SCORE}\nrm -rf data", "chmod +x go.sh && ./go.sh")),
        (SCORE, script(SCORE, "bash go.sh; rm -rf data")),
        (SCORE, script(SCORE, "bash go.sh; bash go.sh")),
        (SCORE, script("python score.py")),
        (SCORE, script('python score.py "$@"')),
        (SCORE, script(SCORE, "bash -n go.sh")),
        (SCORE, f"bash -c '{SCORE}; bash count.sh a'"),
        (SCORE, f"bash -c '{{ echo 1; }} > README.md'; {SCORE}"),
        (SCORE, script(f"{{ echo 1; }} > README.md\n{SCORE}")),
        (SCORE, f"bash <<'E'\n{{ echo 1; }} > README.md\n{SCORE}\nE"),
        (SCORE, f"sh -c '{SCORE}; words=(1)'"),
        (f"{SCORE} > out", f"bash -c '{SCORE}'"),
        (f"{SCORE} > out", f"bash -c '{SCORE} > other'"),
        (DATA, f"bash -c '{DATA} b'"),
        (DATA, script(DATA, "true")),
        (f"MODE=1 {DATA}", f"bash -c '{DATA}'"),
        (f"MODE=1 {DATA}", f"bash -c 'export MODE=1'; {DATA}"),
    ],
)
def test_another_call_in_a_shell_of_its_own(words: Path, reference: str, answer: str) -> None:
    assert not passes(words, reference, answer)
