import inspect
from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ml_agent.tools.query import _stem, names_in, read_query

ENDINGS = ("al", "ational", "ization", "ing", "edly", "ators", "iveness", "fulness", "ements", "ities", "eed", "ies")


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("use the ViT-B-32 model", ("ViT-B-32",)),
        ("with IF-I-XL-v1.0 at 7.0", ("IF-I-XL-v1.0",)),
        ("esm2_t33_650M on my_file", ("esm2_t33_650M", "my_file")),
        ("Train the GCN on Cora", ("GCN",)),
        ("a learning rate of 1e-4, 256 or 3x3", ()),
        ("Please help me, I am new", ()),
    ],
)
def test_names_look_like_names(text: str, names: tuple[str, ...]) -> None:
    assert names_in(text) == names


def test_a_field_is_known_by_what_belongs_to_it() -> None:
    query = read_query("Could you train an APPNP on Citeseer with dropout 0.5?")
    assert query.fields[0][0] == "graph neural networks" and query.names == ("APPNP",)
    assert read_query("sort my stamps").fields == ()


@given(st.text(max_size=300))
def test_every_text_is_a_query(text: str) -> None:
    query = read_query(text)
    assert all(len(word) > 1 for word in query.words) and len(query.fields) <= 3


def test_stems_do_not_depend_on_other_threads() -> None:
    words = [f"{begin}{end}" for begin in ("nation", "gener", "learn", "relat", "oper") for end in ENDINGS]
    stem = inspect.unwrap(_stem)
    alone = [stem(word) for word in words]
    with ThreadPoolExecutor(8) as pool:
        rounds = list(pool.map(lambda _: [stem(word) for word in words], range(40)))
    assert all(one == alone for one in rounds)
