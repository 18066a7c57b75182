"""The tokenizer keeps and splits identifiers; BM25 finds in corpora of any size."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ml_agent.tools.retrieval import Bm25Index, singular, tokenize


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("--num-stacks 5", ["num-stacks", "num", "stack", "5"]),
        ("batch_size=16", ["batch_size", "batch", "size", "16"]),
        ("GraphConv", ["graphconv", "graph", "conv"]),
        ("ViT-B-32", ["vit-b-32", "vit", "b", "32"]),
        ("torch.nn.Linear", ["torch.nn.linear", "torch", "nn", "linear"]),
        ("lr 1e-4 or 0.5.", ["lr", "1e-4", "or", "0.5"]),
        ("examples/arma/citation.py", ["example", "arma", "citation.py", "citation", "py"]),
        ("HTTPServer", ["httpserver", "http", "server"]),
        ("", []),
    ],
)
def test_tokenize(text: str, tokens: list[str]) -> None:
    assert tokenize(text) == tokens


@pytest.mark.parametrize(
    ("plural", "word"),
    [
        ("stacks", "stack"),
        ("batches", "batch"),
        ("entries", "entry"),
        ("loss", "loss"),
        ("bias", "bias"),
        ("gpus", "gpus"),
        ("is", "is"),
    ],
)
def test_singular(plural: str, word: str) -> None:
    assert singular(plural) == word


def test_the_best_document_comes_first() -> None:
    index = Bm25Index([["train", "a", "model"], ["test", "it"], ["train", "train", "it"]])
    assert [hit.position for hit in index.top(["train", "it"], 5)] == [2, 1, 0]
    assert [hit.position for hit in index.top(["train", "it"], 1)] == [2]


@pytest.mark.parametrize("documents", [[], [[]], [[], []]])
def test_an_empty_corpus_has_no_answers(documents: list[list[str]]) -> None:
    assert Bm25Index(documents).top(["a"], 3) == []


@given(
    documents=st.lists(st.lists(st.sampled_from("abcd"), max_size=5), max_size=8),
    query=st.lists(st.sampled_from("abcde"), max_size=4),
    k=st.integers(0, 10),
)
def test_answers_hold_a_word_of_the_query(documents: list[list[str]], query: list[str], k: int) -> None:
    hits = Bm25Index(documents).top(query, k)
    matching = [position for position, document in enumerate(documents) if set(document) & set(query)]
    assert len(hits) == min(k, len(matching))
    assert {hit.position for hit in hits} <= set(matching)
    assert sorted((hit.score for hit in hits), reverse=True) == [hit.score for hit in hits]


@given(
    st.lists(st.lists(st.sampled_from("abcdef"), max_size=8), min_size=1, max_size=8),
    st.lists(st.sampled_from("abcdefg"), max_size=4),
)
def test_scores_are_those_of_okapi_with_a_positive_weight(documents: list[list[str]], query: list[str]) -> None:
    total = sum(map(len, documents))
    hits = Bm25Index(documents).top(query, len(documents))
    for hit in hits:
        expected = 0.0
        for word in query:
            holding = sum(word in document for document in documents)
            rarity = math.log((len(documents) + 1) / holding) if holding else 0.0
            count, length = documents[hit.position].count(word), len(documents[hit.position])
            expected += rarity * count * 2.5 / (count + 1.5 * (0.25 + 0.75 * length / (total / len(documents))))
        assert hit.score == pytest.approx(expected)
    assert {hit.position for hit in hits} == {n for n, document in enumerate(documents) if set(query) & set(document)}
    assert list(hits) == sorted(hits, key=lambda hit: (-hit.score, hit.position))
