"""Names and wordings that meet in common terms."""

import pytest

from ml_agent.matching.terms import terms


@pytest.mark.parametrize(
    ("british", "american"),
    [
        ("normalised", "normalize"), ("tokenise", "tokenization"), ("colours", "color"), ("greyscale", "grayscale"),
        ("centre", "center"), ("labelled", "labels"), ("modelling", "model"), ("analyse", "analyze"), ("dialogue", "dialog"),
    ],
)  # fmt: skip
def test_british_and_american_spelling_are_one(british: str, american: str) -> None:
    assert terms(british) == terms(american)


@pytest.mark.parametrize("word", ["noise", "four", "hour", "precise", "install", "fill", "metre"])
def test_a_word_and_its_plural_stay_one(word: str) -> None:
    assert terms(word) == terms(f"{word}s")


@pytest.mark.parametrize(
    ("adverb", "word"), [("randomly", "random"), ("hierarchically", "hierarchical"), ("automatically", "automatic")]
)
def test_an_adverb_is_its_adjective(adverb: str, word: str) -> None:
    assert terms(adverb) == terms(word)


@pytest.mark.parametrize("word", ["early", "only", "apply", "family"])
def test_other_words_that_end_alike_stay(word: str) -> None:
    assert terms(word) == (word,)


@pytest.mark.parametrize(
    ("glued", "apart"), [("nthreads", "n_threads"), ("nbands", "n_bands"), ("nlayers", "n_layers")]
)
def test_a_glued_n_counts(glued: str, apart: str) -> None:
    assert terms(glued) == terms(apart)


@pytest.mark.parametrize("word", ["news", "nodes", "names", "nets", "notes", "neurons", "negatives"])
def test_an_english_word_with_n_counts_nothing(word: str) -> None:
    assert "number" not in terms(word)


@pytest.mark.parametrize(("one", "other"), [("simplified", "simplify"), ("categories", "category"), ("copies", "copy"), ("applied", "apply")])  # fmt: skip
def test_words_that_change_their_y_stay_one(one: str, other: str) -> None:
    assert terms(one) == terms(other)
