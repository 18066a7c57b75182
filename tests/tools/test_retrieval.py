"""The tokenizer keeps and splits identifiers; BM25 finds in corpora of any size."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ml_agent.tools.retrieval import Bm25Index, tokenize


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


def test_the_best_document_comes_first() -> None:
    index = Bm25Index.of([["train", "a", "model"], ["test", "it"], ["train", "train", "it"]])
    assert [hit.position for hit in index.top(["train", "it"], 5)] == [2, 1, 0]
    assert [hit.position for hit in index.top(["train", "it"], 1)] == [2]


@given(
    documents=st.lists(st.lists(st.sampled_from("abcd"), max_size=5), max_size=8),
    query=st.lists(st.sampled_from("abcde"), max_size=4),
    k=st.integers(0, 10),
)
def test_answers_hold_a_word_of_the_query(documents: list[list[str]], query: list[str], k: int) -> None:
    hits = Bm25Index.of(documents).top(query, k)
    matching = [position for position, document in enumerate(documents) if set(document) & set(query)]
    assert len(hits) == min(k, len(matching))
    assert {hit.position for hit in hits} <= set(matching)
    assert sorted((hit.score for hit in hits), reverse=True) == [hit.score for hit in hits]
