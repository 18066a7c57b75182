"""Values as people state them."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ml_agent.matching.mentions import read_request
from ml_agent.values.lexer import tokenize
from ml_agent.values.numbers import DIGITED, WORDED, from_digits, from_words, same_number


def test_a_folder_that_is_called_like_a_number_is_none() -> None:
    assert [one.value for one in read_request("run two/run.py on data/ten with 3 of one/two").mentions if not one.parts] == [
        "two/run.py", "data/ten", "3", "one/two",
    ]  # fmt: skip


def test_zero_is_a_number_of_its_own() -> None:
    assert [one.value for one in read_request("one hundred and zero").mentions if not one.parts] == ["100", "0"]
    assert [one.value for one in read_request("one hundred and two").mentions if not one.parts] == ["102"]


@settings(deadline=None)
@given(st.integers(min_value=0, max_value=10**9), st.booleans())
def test_whole_numbers_survive(number: int, grouped: bool) -> None:
    written = f"{number:,}" if grouped else str(number)
    match = DIGITED.fullmatch(written)
    assert match is not None
    assert same_number(from_digits(match) or "", str(number))


_WORDS = ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine"]
_TENS = ["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"]


@settings(deadline=None)
@given(
    st.integers(min_value=1, max_value=9), st.integers(min_value=2, max_value=9), st.integers(min_value=1, max_value=9)
)
def test_numbers_in_words(hundreds: int, tens: int, ones: int) -> None:
    text = f"{_WORDS[hundreds - 1]} hundred and {_TENS[tens - 2]}-{_WORDS[ones - 1]}"
    match = WORDED.fullmatch(text)
    assert match is not None
    assert from_words(match[0]) == str(100 * hundreds + 10 * tens + ones)


_OF_NUMBERS = [
    *_WORDS, *_TENS, "a", "an", "and", "half", "quarter", "hundred", "thousand", "million", "dozen", "minus", "fifth", "tenths", "ten-thousandths",
    "point", "oh", "percent", "per cent", "times ten to the", "power of", "out of", "in", "of", "every", "by", "first", "7", "0.5", "-", ",",
]  # fmt: skip


@settings(deadline=None, max_examples=300)
@given(st.lists(st.sampled_from(_OF_NUMBERS), max_size=12))
def test_words_of_numbers_in_any_order_are_read(several: list[str]) -> None:
    text = " ".join(several)
    assert all(one.value for one in read_request(text).mentions)


def test_an_article_begins_another_number() -> None:
    said = [
        one.value
        for one in read_request("a guidance of eight hundred and a fifth of the noise").mentions
        if not one.parts
    ]
    assert said == ["800", "0.2"]


@pytest.mark.parametrize("text", ["five hundred a", "a half", "nine eleventh", "and", ""])
def test_words_that_count_nothing_are_no_number(text: str) -> None:
    assert from_words(text) is None


@pytest.mark.parametrize("text", ["two times ten to the minus and", "ten to the minus of", "ten to the minus sixth"])
def test_an_exponent_that_is_no_number_ends_nothing(text: str) -> None:
    assert all(one.value for one in read_request(text).mentions)


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("learning rate 2e−3", ["2e-3"]),
        ("learning rate −0.01", ["-0.01"]),
        ("learning rate –0.01", ["-0.01"]),
        ("seeds 1–3", ["1-3"]),
        ("lr 1×10⁻³ and weight decay 10⁻⁴", ["1e-3", "1e-4"]),
        ("2¹⁰ samples", ["1024"]),
        ("the model – 3 layers deep", ["3"]),
    ],
)
def test_numbers_as_papers_print_them(text: str, values: list[str]) -> None:
    assert [one.value for one in read_request(text).mentions if one.kind == "number" or "-" in one.value[1:]] == values


@pytest.mark.parametrize(
    ("text", "dotted"),
    [
        ("with CoreNLP 3.4.1, please", ["3.4.1"]),
        ("listen at 10.0.0.1:8080.", ["10.0.0.1:8080"]),
        ("torch 1.13.1+cu117", ["1.13.1+cu117"]),
        ("at a rate of 0.5.", []),
        ("layers 1.2 and 3.4", []),
    ],
)
def test_versions_and_addresses_are_no_numbers(text: str, dotted: list[str]) -> None:
    assert [one.value for one in tokenize(text) if one.kind == "name" and one.value.count(".") > 1] == dotted
