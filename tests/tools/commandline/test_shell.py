"""Reading bash."""

import os
import subprocess

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ml_agent.tools.commandline.invocation import Invocation
from ml_agent.tools.commandline.lexer import lex
from ml_agent.tools.commandline.shell import parse_command
from tests.processor_time import within

EFFORT = int(os.environ.get("ML_AGENT_TEST_EFFORT", "1"))
"""Multiplies the number of examples."""


def only(text: str) -> Invocation:
    """The only invocation of a text."""
    line = parse_command(text)
    assert line.error == ""
    (invocation,) = line.invocations
    return invocation


def test_environment_redirects_and_background() -> None:
    made = only("CUDA_VISIBLE_DEVICES=0,1 python3 -u x.py --a 'b c' $X/d > log.txt 2>&1 &")
    assert (made.program, made.target, made.name) == ("python3", "script", "x.py")
    assert made.words == ("--a", "b c", "$X/d") and made.environment == (("CUDA_VISIBLE_DEVICES", "0,1"),)
    assert made.redirects[0] == (">", "log.txt")


@pytest.mark.parametrize(
    ("text", "target", "name", "words"),
    [
        ("python -m pkg.mod --x 1", "module", "pkg.mod", ("--x", "1")),
        (
            "python -m torch.distributed.launch --nproc_per_node=8 --master_port 1234 train.py --x",
            "script",
            "train.py",
            ("--x",),
        ),
        ("torchrun --standalone --nproc_per_node 2 train.py -a", "script", "train.py", ("-a",)),
        ("torchrun -m pkg.train a", "module", "pkg.train", ("a",)),
        ("accelerate launch --config_file c.yaml run.py --x", "script", "run.py", ("--x",)),
        ("deepspeed --num_gpus=2 run.py --x", "script", "run.py", ("--x",)),
        ("python -c 'print(1)' a", "code", "print(1)", ("a",)),
        ("env A=1 nohup python a.py b", "script", "a.py", ("b",)),
        ("timeout 10 python a.py", "script", "a.py", ()),
        ("nice -n 5 time bash run.sh 1 2", "shell", "run.sh", ("1", "2")),
        ("conda run -n env python a.py", "script", "a.py", ()),
        ("uv run python a.py", "script", "a.py", ()),
        ("mpirun -np 4 python a.py x", "script", "a.py", ("x",)),
        ("./scripts/run.sh a", "shell", "./scripts/run.sh", ("a",)),
        ("sh -x run.sh", "shell", "run.sh", ()),
        ("bash -c 'echo 1'", "code", "echo 1", ()),
        ("python -W ignore -X dev a.py", "script", "a.py", ()),
        ("python -m pdb a.py x", "script", "a.py", ("x",)),
        ("./train.py --x", "script", "./train.py", ("--x",)),
        ("esm-fold -i x", "console", "esm-fold", ("-i", "x")),
        ("python", "console", "python", ()),
        ("srun --partition gpu python t.py --a", "script", "t.py", ("--a",)),
        ("srun --nodes 1 --exclusive python t.py --a", "script", "t.py", ("--a",)),
        ("srun -n4 --gres=gpu:8 --unheard of bash t.sh 1", "shell", "t.sh", ("1",)),
        ("srun --unheard 4 fold --a", "console", "fold", ("--a",)),
        ("srun --exclusive fold --a t.py", "console", "fold", ("--a", "t.py")),
        ("mpirun --bind-to none python t.py --a", "script", "t.py", ("--a",)),
        ("mpirun --np 4 --mca btl self --allow-run-as-root python t.py", "script", "t.py", ()),
        ("uv run -m train --a", "module", "train", ("--a",)),
        ("uv run --env-file f python t.py", "script", "t.py", ()),
        ("uv --directory d --offline run python t.py", "script", "t.py", ()),
        ("uv pip install x", "console", "uv", ("pip", "install", "x")),
        ("poetry -C d run python t.py --a", "script", "t.py", ("--a",)),
        ("poetry -C d install", "console", "poetry", ("-C", "d", "install")),
        ("taskset -c 0-3 python -m pkg a", "module", "pkg", ("a",)),
        ("env -i A=1 python t.py", "script", "t.py", ()),
        ("time -p fold t.py", "console", "fold", ("t.py",)),
        ("bash -lc 'python t.py --a' x", "code", "python t.py --a", ("x",)),
        ("bash -l -c 'python t.py'", "code", "python t.py", ()),
        ("bash -o pipefail -ec 'python t.py'", "code", "python t.py", ()),
        ("bash -euo pipefail -c 'python t.py'", "code", "python t.py", ()),
        ("bash --norc -o pipefail t.sh 1", "shell", "t.sh", ("1",)),
    ],
)
def test_what_is_called(text: str, target: str, name: str, words: tuple[str, ...]) -> None:
    made = only(text)
    assert (made.target, made.name, made.words) == (target, name, words)


def test_folders_follow_cd() -> None:
    line = parse_command("cd a/b && python x.py; cd ..\npython y.py; cd $HOME; python z.py")
    assert [(i.name, i.folder) for i in line.invocations] == [("x.py", "a/b"), ("y.py", "a"), ("z.py", "")]


def test_continuations_prompts_and_comments() -> None:
    line = parse_command("# first\n$ python a.py \\\n    --x 1 \\\n    --y 2 # and --z 3\n")
    assert line.invocations[0].words == ("--x", "1", "--y", "2") and line.comments == ("and --z 3",)


def test_control_structures() -> None:
    line = parse_command("for i in 1 2; do python a.py --i $i; done\nif true; then bash b.sh; fi\nx=$(python c.py)")
    assert [i.name for i in line.invocations if i.name != "true"] == ["a.py", "b.sh", "c.py"]
    assert line.assignments == (("x", "$(python c.py)"),)


def test_pipes_and_subshells() -> None:
    line = parse_command("(cd d; python a.py) && cat x | python b.py")
    assert [i.name for i in line.invocations] == ["a.py", "cat", "b.py"]


@pytest.mark.parametrize("text", ["python a.py 'open", "python a.py )", "if then"])
def test_what_bash_refuses_is_an_error_but_still_read(text: str) -> None:
    line = parse_command(text)
    assert line.error


@pytest.mark.parametrize("piece", ["$(", "${", "'a\" ", "a=(", "`", "cat <<A\n", "$(a) "])
def test_what_is_never_closed_is_not_looked_for_for_ever(piece: str) -> None:
    text = piece * (60_000 // len(piece))
    assert "".join(token.gap + token.raw for token in within(4, lambda: list(lex(text)))) == text


@settings(max_examples=100 * EFFORT, deadline=None)
@given(st.one_of(st.text(max_size=200), st.text("$(){}[]<>|&;'\"\\`#= \n\tab-/!*~", max_size=60)))
def test_never_raises(text: str) -> None:
    for invocation in parse_command(text).invocations:
        assert all(isinstance(word, str) for word in invocation.words)


@settings(max_examples=80 * EFFORT, deadline=None)
@given(st.lists(st.text(st.characters(codec="utf-8", exclude_characters="\0\r\n"), max_size=12), max_size=5))
def test_quoted_words_come_back(words: list[str]) -> None:
    import shlex

    text = "python a.py " + " ".join(shlex.quote(w) for w in words)
    assert list(parse_command(text).invocations[0].words) == words


PIECES = ["python", "a.py", "--x", "'a b'", '"c d"', "'", '"', "&&", "||", ";", ";;", "|", "\n", "if", "then", "else", "fi", "for", "in", "do", "done", "while", "{", "}", "(", ")", "A=1",
          "!", "&", "> f", ">", "2>&1", "$(a)", "`a`", "$((1+2))", "#", "time", "<<E\nx\nE\n", "a()", "[[", "case"]  # fmt: skip


@settings(max_examples=300 * EFFORT, deadline=None)
@given(st.lists(st.sampled_from(PIECES), min_size=1, max_size=9).map(" ".join))
def test_what_is_refused_is_refused_by_bash(text: str) -> None:
    if parse_command(text, prompts=False).error:
        done = subprocess.run(["bash", "-n"], input=text.encode(), capture_output=True, check=False)
        assert done.returncode or done.stderr, text


@pytest.mark.parametrize("end", ["(", "$(x)", "`x`", "<"])
def test_a_long_text_is_soon_read(end: str) -> None:
    text = "python -u run.py " + "--name $root$abcdefghijklmnop value \n" * 200 + end
    within(2, lambda: parse_command(text))
