"""What a program reads from standard input, and where its output is kept, is a part of the call where the reference has it."""

import time
from pathlib import Path

import pytest

from ml_agent.benchmarks.data import Task
from ml_agent.benchmarks.same_call import same_call
from ml_agent.benchmarks.strict.walls import bubblewrap

pytestmark = pytest.mark.skipif(bubblewrap() is None, reason="bubblewrap does not work here")
FILES = {
    "learn.py": "import argparse, sys\np = argparse.ArgumentParser()\n"
    "p.add_argument('-i', '--input', type=argparse.FileType('r'), default=sys.stdin)\n"
    "p.add_argument('-o', '--output', type=argparse.FileType('w'), default=sys.stdout)\n"
    "p.add_argument('-s', type=int)\nprint(p.parse_args())\n",
    "score.py": "import argparse\np = argparse.ArgumentParser()\np.add_argument('--all', action='store_true')\nprint(p.parse_args())\n",
    "count.sh": "wc $1\n",
    "more.sh": "rm -rf made\nbash -c 'rm -rf made'\npython score.py --all\n",
    "README.md": "",
}
LEARN, SCORE = "python learn.py -s 3", "python score.py --all"


@pytest.fixture(scope="module")
def words(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("repositories") / "words"
    root.mkdir()
    for name, text in FILES.items():
        (root / name).write_text(text)
    return root


def passes(root: Path, reference: str, answer: str) -> bool:
    task = Task(
        github_id=1, id=1, github="https://github.com/some/words", path="./", arguments={}, instruction="", oracle="",
        kind="bash", output=reference,
    )  # fmt: skip
    return same_call(task, answer, root).passed


@pytest.mark.parametrize(
    ("reference", "answer"),
    [
        (f"{LEARN} < raw/a > codes", f"{LEARN} -i raw/a -o codes"),
        (f"{LEARN} -i a -o codes", f"{LEARN} < a > codes"),
        (f"{LEARN} < README.md > codes", f"cat README.md | {LEARN} --output=codes"),
        (f"{LEARN} < a > codes", f"IN=a; {{ {LEARN} -o - < $IN | tee codes; }}"),
        (f"{LEARN} < a > codes", f"cd . && {LEARN} < ./a >> ./codes"),
        (f"{SCORE} > scores.txt", f"({SCORE}) 2>&1 | tee log/scores.txt scores.txt"),
        (f"{SCORE} > scores.txt", f"exec &> scores.txt; {SCORE}"),
        (f"{SCORE} | sort > scores.txt", f"{SCORE} | cat | sort | tee scores.txt"),
        (f"{SCORE} > scores.txt", f"{SCORE} > tmp && mv tmp scores.txt"),
        (f"{SCORE} > out/scores.txt", f"{SCORE} > scores.txt && cp scores.txt out/"),
        (SCORE, f"{SCORE} > log.txt"),
        (f"{LEARN} -i a", f"{LEARN} < a > log.txt"),
        (f"{LEARN} < raw/a | {SCORE} > raw/b", f"cat raw/a | {LEARN} | {SCORE} > raw/b"),
        (f"echo yes | {SCORE}", f"echo yes | {SCORE}"),
        (f"{SCORE} <<< yes", f"echo yes | {SCORE}"),
        ("bash count.sh a > b", "./count.sh a | tee b"),
        (f"{LEARN} < a | {SCORE} > b", f"{LEARN} < a > mid; {SCORE} < mid > b"),
        (f"{LEARN} < a | {SCORE} > b", f"{LEARN} < a > mid && cat ./mid | {SCORE} > b"),
        (f"{LEARN} < a | {SCORE} > b", f"{SCORE} < <({LEARN} < a) > b"),
        (f"{LEARN} < a > mid; {SCORE} < mid > b", f"{LEARN} -i a -o mid; {SCORE} < mid > b"),
        (f"{LEARN} < a > mid; {LEARN} < mid > b", f"{LEARN} < a > mid; {LEARN} -i mid > b"),
        (f"{SCORE} | sort > b", f"{SCORE} > tmp; sort < tmp > b"),
        (f"{SCORE} > b", f"rm -f b; {SCORE} >> b"),
    ],
)
def test_the_same_streams_in_other_words(words: Path, reference: str, answer: str) -> None:
    assert passes(words, reference, answer)


@pytest.mark.parametrize(
    ("reference", "answer"),
    [
        (f"{LEARN} < a > codes", f"{LEARN} < codes > a"),
        (f"{LEARN} < a > codes", f"{LEARN} < a"),
        (f"{LEARN} < a > codes", f"{LEARN} -i b -o codes"),
        (f"{LEARN} -i a", LEARN),
        (f"{SCORE} > scores.txt", SCORE),
        (f"{SCORE} > scores.txt", f"{SCORE} > other.txt"),
        (f"{SCORE} > scores.txt", f"{SCORE} > scores.txt && mv scores.txt other.txt"),
        (f"{SCORE} > scores.txt", f"{SCORE} 2> scores.txt"),
        (f"{SCORE} > scores.txt", f"{SCORE} > /dev/null"),
        (f"{SCORE} > scores.txt", f"{SCORE} | head > scores.txt"),
        (f"{SCORE} < README.md", f"{SCORE} < learn.py"),
        (f"{LEARN} < a | {SCORE} > b", f"{LEARN} < a; {SCORE} > b"),
        (f"{LEARN} < a | {SCORE} > b", f"{LEARN} < c | {SCORE} > b"),
        (f"echo yes | {SCORE}", f"echo no | {SCORE}"),
        ("bash count.sh a > b", "bash count.sh a > c"),
        (f"{LEARN} < a | {SCORE} > b", f"{LEARN} < a > mid; {SCORE} < other > b"),
        (f"{LEARN} < a | {SCORE} > b", f"{LEARN} < a > mid & {SCORE} < mid > b"),
        (f"{LEARN} < a | {SCORE} > b", f"{SCORE} < mid > b; {LEARN} < a > mid"),
        (f"{LEARN} < a | {SCORE} > b", f"{LEARN} < a > mid; sort -o mid mid; {SCORE} < mid > b"),
        (f"{LEARN} < a | {SCORE} > b", f"{LEARN} < a > mid; sort --output=mid a; {SCORE} < mid > b"),
        (f"{LEARN} < a | {SCORE} > b", f"{LEARN} < a > mid; echo x >> mid; {SCORE} < mid > b"),
        (f"{LEARN} < a | {SCORE} > b", f"F=mid; {LEARN} < a > mid; echo x >> $F; {SCORE} < mid > b"),
        (f"{LEARN} < a | {SCORE} > b", f"echo x > mid; {LEARN} < a >> mid; {SCORE} < mid > b"),
        (f"{LEARN} < a | {SCORE} > b", f"{LEARN} < a > mid; cat other | {SCORE} > b"),
        (f"{LEARN} < a | {SCORE} > b", f"{SCORE} < <({LEARN} < c) > b"),
        (f"{LEARN} < a | {SCORE} > b", f"{SCORE} < <(cat a) > b; {LEARN} < a"),
        (f"{LEARN} < a > mid; {SCORE} < mid > b", f"{LEARN} < a | {SCORE} > b"),
        (f"{SCORE} | sort > b", f"{SCORE} > tmp; sort < tmp2 > b"),
        (f"{SCORE} > b", f"rm -f c; {SCORE} >> b"),
        (f"{SCORE} > b", f"rm -rf b; {SCORE} >> b"),
        (f"{SCORE} > b", f"{SCORE} > b; rm -f b"),
        (f"{SCORE} > b", f"rm -f README.md; {SCORE} >> b"),
        (f"{SCORE} > b; {LEARN} -i a >> b", f"{SCORE} > b; rm -f b; {LEARN} -i a >> b"),
    ],
)
def test_other_streams(words: Path, reference: str, answer: str) -> None:
    assert not passes(words, reference, answer)


def test_many_exports_are_traced_in_time(words: Path) -> None:
    began = time.monotonic()
    assert passes(words, SCORE, "\n".join([*(f"export V{n}=1" for n in range(800)), SCORE]))
    assert time.monotonic() - began < 5
