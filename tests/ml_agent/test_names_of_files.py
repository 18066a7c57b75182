"""Names of files as people have them, with blanks, signs and letters of all languages: read whole, as inputs, results and values."""

import unicodedata

import pytest

from ml_agent.delivery.request_words import expectations_of
from ml_agent.named_paths import named_paths
from ml_agent.user_values import quoted_paths, tokens_of, user_values

QUOTES = ['"%s"', "'%s'", "`%s`", "“%s”", "‘%s’", "«%s»", "« %s »", "„%s“"]
QUOTED = ["my best.json", "out dir/best ü.json", "out/best scores.json", "best (1).json", "数据 1.json"]
FOREIGN = ["数据.txt", "über.txt", "ñandu.csv", "é.txt", "résumé.v2.json", "данные_1.csv", "数据1.txt", "in/über.txt"]


@pytest.mark.parametrize("name", QUOTED)
@pytest.mark.parametrize("quotes", QUOTES)
def test_a_name_in_quotes_is_whole(quotes: str, name: str) -> None:
    text = f"score the sentences in {quotes % 'my in.txt'} and save the scores to {quotes % name}"
    assert [one.path for one in expectations_of(text)] == [name]
    assert [one.value for one in user_values(text)] == ["my in.txt", name]
    assert {one.path for one in named_paths(text, ()) if one.quoted} == {"my in.txt", name}


@pytest.mark.parametrize("name", [*FOREIGN, *(unicodedata.normalize("NFD", name) for name in FOREIGN)])
def test_a_name_may_begin_with_any_letter(name: str) -> None:
    text = f"score the sentences in {name}, and save the scores to {name}."
    assert {one.value for one in user_values(text)} >= {name}
    assert {one.path for one in expectations_of(text)} == {name}


@pytest.mark.parametrize("text", ["对sample.txt评分", "können.The next", "训练10轮", "λ=0.1"])
def test_words_of_other_languages_are_no_names(text: str) -> None:
    assert {token.value for token in tokens_of(text) if token.kind == "path"} <= {"sample.txt"}


@pytest.mark.parametrize(
    "quoted", ["a.txt and b.txt", "python score.py --out b.json", "see https://a.example/b c.txt", "a b", "a=b c.txt"]
)
def test_what_is_quoted_and_no_name(quoted: str) -> None:
    assert not list(quoted_paths(f'it says "{quoted}" there'))
