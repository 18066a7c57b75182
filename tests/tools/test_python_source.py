"""Reading Python of others: what nobody wrote by hand is too deep, whatever it is made of; what people write is read."""

import ast
import sys
from pathlib import Path

import pytest

from ml_agent.tools.files import Tree
from ml_agent.tools.python_source import MOST_LEVELS, TooDeepError, parse_python, read_module, read_python

MANY = 990
DEEP = {
    "attributes": '"a"' + ".system" * MANY + "(1)",
    "calls": "a" + "()" * MANY,
    "subscripts": "a" + "[0]" * MANY,
    "brackets": "[" * 190 + "]" * 190,
    "choices": "x = " + "1 if a else " * MANY + "2",
    "more choices": "x = " + "1 if a else " * 5000 + "2",
    "sums": "x = " + "+".join(["a"] * 5000),
    "signs": "not " * MANY + "a",
    "functions": "lambda: " * MANY + "1",
    "branches": "if a:\n pass\n" + "elif b:\n pass\n" * 3000,
    "methods": "import torch\nx = torch" + ".relu(1)" * MANY,
}
PEOPLE = [
    "x = " + " + ".join(["'a'"] * 100),
    "if a:\n pass\n" + "elif b:\n pass\n" * 100,
    "m" + ".add(1)" * 50,
    "[" * 60 + "1" + "]" * 60,
    "x = [" + "1, " * 5000 + "]",
]


@pytest.mark.parametrize("name", DEEP)
def test_what_is_nested_too_deeply_is_refused(name: str) -> None:
    with pytest.raises(TooDeepError):
        read_python(DEEP[name])
    assert parse_python(DEEP[name]) is None


@pytest.mark.parametrize("text", PEOPLE)
def test_what_people_write_is_read_and_can_be_written_out_far_down_in_the_stack(text: str) -> None:
    def below(frames: int) -> str:
        return below(frames - 1) if frames else ast.unparse(read_python(text))

    assert below(300)
    assert sys.getrecursionlimit() >= 3 * MOST_LEVELS + 400


@pytest.mark.parametrize("text", ["x = (", "a\0b", "(" * 2000 + ")" * 2000])
def test_what_is_no_python_is_said(text: str) -> None:
    with pytest.raises(SyntaxError):
        read_python(text)
    assert parse_python(text) is None


NESTED = {
    "a": "{}", "signs": "-{}", "brackets": "[{}]", "tuples": "{},", "attributes": "{}.a", "calls": "{}()", "named": "f(a={})", "stars": "[*{}]",
    "lambdas": "lambda:{}", "sums": "{}+1", "choices": "1 if {} else 2", "slices": "a[{}:]", "comprehensions": "[i for i in {}]",
    "texts": "f'{{{}}}'", "dictionaries": "{{1:{}}}", "compared": "{}<1", "or": "{} or 1", "blocks": "if a:({})",
}  # fmt: skip


def _is_deeper(tree: ast.AST, levels: int) -> bool:
    """As it is without a short way: level by level, without names, constants and operators."""
    leaves = (ast.Name, ast.Constant, ast.expr_context, ast.operator, ast.unaryop, ast.cmpop, ast.boolop)
    level = [tree]
    for _ in range(levels + 1):
        level = [one for node in level for one in ast.iter_child_nodes(node) if not isinstance(one, leaves)]
    return bool(level)


@pytest.mark.parametrize("name", NESTED)
@pytest.mark.parametrize("levels", [6, 9, 20])
def test_what_is_too_short_to_be_deep_is_not_looked_into_and_nothing_deep_is_missed(name: str, levels: int) -> None:
    text = "x"
    for _ in range(25):
        try:
            tree = ast.parse(text)
        except SyntaxError:  # a statement goes into no other's brackets
            return
        assert (parse_python(text, levels=levels) is None) == _is_deeper(tree, levels), text
        text = NESTED[name].format(text)


def test_an_expression_is_the_only_statement() -> None:
    (statement,) = read_python("f(1)", "eval").body
    assert isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call)


def test_a_file_is_read_or_is_none(tmp_path: Path) -> None:
    """What is missing, no text or no Python has no tree."""
    (tmp_path / "good.py").write_text("x = 1\n")
    (tmp_path / "bad.py").write_text("x = (\n")
    tree = Tree(tmp_path)
    module = read_module(tree, "good.py")
    assert module is not None and ast.unparse(module) == "x = 1"
    assert read_module(tree, "bad.py") is None and read_module(tree, "none.py") is None
    assert read_module(tree, "../good.py") is None


@pytest.mark.parametrize(("times", "error"), [(1, None), (2, TooDeepError)])
def test_python_that_loses_count_of_its_levels_reads_again(
    times: int, error: type[Exception] | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """CPython's "AST constructor recursion depth mismatch" is no fault of the text; nobody can call it forth at will."""
    parse, left = ast.parse, [times]

    def losing(source: str, mode: str = "exec") -> ast.AST:
        left[0] -= 1
        if left[0] >= 0:
            raise SystemError("AST constructor recursion depth mismatch (before=147, after=37)")
        return parse(source, mode=mode)

    monkeypatch.setattr("ml_agent.tools.python_source.ast.parse", losing)
    if error is None:
        assert isinstance(read_python("x = 1").body[0], ast.Assign)
    else:
        with pytest.raises(error):
            read_python("x = 1")
