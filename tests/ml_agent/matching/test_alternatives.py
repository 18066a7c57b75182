"""What stands beside a value in the source of a repository."""

import ast
from pathlib import Path

import pytest

from ml_agent.matching import alternatives
from ml_agent.matching.alternatives import Alternatives
from ml_agent.tools.files import Tree
from ml_agent.tools.python_source import parse_python


def beside(tmp_path: Path, source: str, value: str) -> set[str]:
    (tmp_path / "model.py").write_text(source, encoding="utf-8")
    return set(Alternatives(Tree(tmp_path), ["model.py"]).of(value))


@pytest.mark.parametrize(
    "source",
    [
        'WEIGHTS = {"large_384": 1, "tiny_224": 2, "hybrid_384": 3}',
        'NAMES = ["large_384", "tiny_224", "hybrid_384"]',
        'if kind == "large_384":\n    a()\nelif kind == "tiny_224":\n    b()\nelif kind in ("hybrid_384", "large_384"):\n    c()',
        "@register\ndef large_384(): ...\n@register\ndef tiny_224(): ...\n@register\ndef hybrid_384(): ...\n@other\ndef nothing(): ...",
    ],
)
def test_a_table_a_list_comparisons_and_a_registry_say_what_else_there_is(tmp_path: Path, source: str) -> None:
    found = beside(tmp_path, source, "large_384")
    assert "nothing" not in found
    assert {"tiny_224", "hybrid_384"} <= found or ("in (" in source and "tiny_224" in found)


def test_functions_without_decorators_are_alike_where_their_names_begin_alike(tmp_path: Path) -> None:
    source = "def vit_base(): ...\ndef vit_large(): ...\ndef load_weights(): ...\ndef _vit_hidden(): ..."
    assert beside(tmp_path, source, "vit_base") == {"vit_large"}


def test_what_is_compared_elsewhere_is_no_alternative(tmp_path: Path) -> None:
    source = 'if kind == "fast": a()\nif place == "home": b()'
    assert beside(tmp_path, source, "fast") == set()


@pytest.mark.parametrize("value", ["", "a sentence of words", "12", "nowhere"])
def test_what_is_no_name_or_stands_nowhere_has_none(tmp_path: Path, value: str) -> None:
    assert beside(tmp_path, 'NAMES = ["fast", "slow", "12"]', value) == set()


def test_a_dictionary_is_no_list_of_alternatives(tmp_path: Path) -> None:
    words = ", ".join(f'"word{number}"' for number in range(200))
    assert beside(tmp_path, f"WORDS = [{words}]", "word7") == set()


def test_what_cannot_be_read_or_is_no_python_is_passed_over(tmp_path: Path) -> None:
    (tmp_path / "broken.py").write_text('NAMES = ["fast", "slow"', encoding="utf-8")
    (tmp_path / "whole.py").write_text('NAMES = ["fast", "slow"]', encoding="utf-8")
    found = Alternatives(Tree(tmp_path), ["absent.py", "../outside.py", "broken.py", "whole.py"])
    assert found.of("fast") == ("slow",)


def test_only_so_much_is_looked_through(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(alternatives, "_MOST_OF_ALL", 10)
    for number in range(3):
        (tmp_path / f"a{number}.py").write_text(f'NAMES = ["fast", "slow{number}"]', encoding="utf-8")
    assert Alternatives(Tree(tmp_path), ["a0.py", "a1.py", "a2.py"]).of("fast") == ("slow0",)


def test_a_file_is_parsed_once_and_only_so_many_are(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    parsed: list[str] = []

    def parse(text: str) -> ast.Module | None:
        parsed.append(text)
        return parse_python(text)

    monkeypatch.setattr(alternatives, "parse_python", parse)
    monkeypatch.setattr(alternatives, "_MOST_PARSED", 1)
    monkeypatch.setattr(alternatives, "_MOST_VALUES", 3)
    (tmp_path / "a.py").write_text('NAMES = ["fast", "slow"]', encoding="utf-8")
    (tmp_path / "b.py").write_text('NAMES = ["long", "short"]', encoding="utf-8")
    found = Alternatives(Tree(tmp_path), ["a.py", "b.py"])
    assert [found.of(one) for one in ("fast", "slow", "long", "short")] == [("slow",), ("fast",), (), ()]
    assert len(parsed) == 1
    assert found.of("fast") == ("slow",)


def test_what_is_looked_for_among_the_words_of_a_command_is_no_value(tmp_path: Path) -> None:
    assert beside(tmp_path, 'if word in ("large_384", "--model", "-v", "tiny_224"):\n    a()', "large_384") == {
        "tiny_224"
    }
