"""What an answer does in shells and scripts of its own counts; what a script of the repository does there is the repository's."""

import pytest

from tests.benchmarks.same_call.conftest import Judge

SCORE, DATA = "python train.py --data cora", "bash count.sh a"


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
        (SCORE, script('python train.py --data "$1"', "nohup bash go.sh cora &")),
        (SCORE, script(f"#!/usr/bin/env bash\nset -eu\n{SCORE}", "chmod +x go.sh && ./go.sh")),
        (SCORE, script(f"#!/bin/sh\n{SCORE}", "chmod 755 go.sh\n./go.sh")),
        (SCORE, script(SCORE, "bash /tmp/go.sh", "/tmp/go.sh")),
        (SCORE, f"set -x\n{SCORE}\n{{ set +x; }} 2>/dev/null\necho done"),
        (SCORE, f"which awk; awk '$1 > 3' README.md; ls | xargs -n 1 echo; find . -exec ls {{}} \\;; {SCORE}"),
        (SCORE, "echo --data cora | xargs python train.py; command -v python"),
        (DATA, f"bash -c '{DATA}'"),
        (DATA, script(DATA, "sh go.sh")),
        (f"MODE=1 {DATA}", f"bash -c 'export MODE=1; {DATA}'"),
        ("sh more.sh", SCORE),
        (SCORE, "bash -c 'bash more.sh'"),
        (SCORE, f"bash\n{SCORE}"),
        (SCORE, f"bash <<'X'\n{SCORE}\nX"),
        (SCORE, f"echo '{SCORE}' | bash"),
        (SCORE, f"source <(echo A=1)\n{SCORE}"),
    ],
)
def test_the_same_in_a_shell_of_its_own(judge: Judge, reference: str, answer: str) -> None:
    assert judge(reference, answer).passed


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
        (SCORE, script(SCORE, "bash go.sh; rm -rf data")),
        (SCORE, script(SCORE, "bash go.sh; bash go.sh")),
        (SCORE, script("python train.py")),
        (SCORE, script('python score.py "$@"')),
        (SCORE, script(SCORE, "bash -n go.sh")),
        (SCORE, f"bash -c '{SCORE}; bash count.sh a'"),
        (DATA, f"bash -c '{DATA} b'"),
        (DATA, script(DATA, "true")),
        (SCORE, f"bash <<'X'\n/bin/rm -rf d\nX\n{SCORE}"),
        (SCORE, f"printf 'rm -rf d\\n' | bash; {SCORE}"),
        (SCORE, f"echo rm -rf d | sh -s; {SCORE}"),
        (SCORE, f"source <(echo rm -rf d)\n{SCORE}"),
    ],
)
def test_another_call_in_a_shell_of_its_own(judge: Judge, reference: str, answer: str) -> None:
    assert not judge(reference, answer).passed
