"""What is left of an answer when everything is taken out that does nothing."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ml_agent.benchmarks.strict.bash_text import assignments, strip_bash
from ml_agent.benchmarks.strict.python_text import strip_python
from ml_agent.benchmarks.strict.text import kind_of, unfence


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("python a.py --x 1 # --y 2", "python a.py --x 1"),
        ("python a.py '#no' a#b", "python a.py '#no' a#b"),
        ("echo 0.5\npython a.py", "python a.py"),
        ("echo 0.5 | python a.py", "echo 0.5\npython a.py"),
        ("echo 0.5 > conf; python a.py", "echo 0.5 > conf\npython a.py"),
        ("LR=3; python a.py", "python a.py"),
        ("LR=3; python a.py --lr $LR", "LR=3\npython a.py --lr $LR"),
        ("export LR=3\npython a.py --lr ${LR}", "LR=3\npython a.py --lr ${LR}"),
        ("FOO=1 python a.py", "python a.py"),
        ("CUDA_VISIBLE_DEVICES=1 python a.py", "CUDA_VISIBLE_DEVICES=1 python a.py"),
        ("python a.py \\\n  --x 1", "python a.py --x 1"),
        ("python a.py && printf '%s' 7", "python a.py"),
    ],
)
def test_bash(text: str, left: str) -> None:
    assert strip_bash(text) == left


def test_a_variable_that_the_repository_reads_counts() -> None:
    assert strip_bash("DATA=x python a.py", lambda name: name == "DATA") == "DATA=x python a.py"


def test_only_assignments_of_a_prefix_stay() -> None:
    assert assignments("pip install x\nexport A=1\nB=2\ncd y\nC=3 run") == "export A=1\nexport B=2"


@pytest.mark.parametrize(
    ("text", "gone", "kept"),
    [
        ('"""doc 5"""\nf(3)', "5", "3"),
        ("f(3)  # 5", "5", "3"),
        ("x = 5\nf(3)", "5", "3"),
        ("x = g(5)\nf(3)", "x", "5"),
        ("x: int = 5\ny = x\nf(3)", "5", "3"),
        ("print('5')\nf(3)", "5", "3"),
        ("print(f'{g(5)} 7')\nf(3)", "7", "5"),
        ("logger.info('5')\nf(3)", "5", "3"),
        ("class A:\n    size = 5\nf(3)", "5", "3"),
        ("def a():\n    print(g(5))\nf(3)", "5", "3"),
        ("def f(x):\n    '''7'''\n    return x\nf(3)", "7", "3"),
        ("print(str(5))\nf(3)", "5", "3"),
    ],
)
def test_python(text: str, gone: str, kept: str) -> None:
    left = strip_python(text)
    assert gone not in left
    assert kept in left


def test_python_that_is_used_stays_as_written() -> None:
    text = "sizes = (50,512,7,7)\nlr = 1e-4\nclass A:\n    size = 9\nf(sizes, lr, A)\n"
    assert strip_python(text) == text


@given(st.text(max_size=200))
def test_stripping_never_fails(text: str) -> None:
    strip_bash(text)
    strip_python(text)
    kind_of(unfence(text))


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("python main.py", "bash"),
        ("python main.py --lr 0.1", "bash"),
        ("make", "bash"),
        ("import torch\nx = 1", "python"),
        ("from a import b\nx = (", "python"),
        ("print(3)", "python"),
        ("esm-fold -i a.fasta", "bash"),
        ("sh run.sh", "bash"),
    ],
)
def test_kinds(text: str, kind: str) -> None:
    assert kind_of(text) == kind


def test_fences() -> None:
    assert unfence("Here:\n```python\nx = 1\n```\nDone.") == "x = 1\n"
    assert unfence("`python a.py`") == "python a.py"
    assert unfence("python a.py") == "python a.py"
