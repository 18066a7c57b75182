from hypothesis import given
from hypothesis import strategies as st

from ml_agent.tools.query import read_query


def test_a_field_is_known_by_what_belongs_to_it() -> None:
    query = read_query("Could you train an APPNP on Citeseer with dropout 0.5?")
    assert query.fields[0][0] == "graph neural networks" and query.names == ("APPNP",)
    assert read_query("sort my stamps").fields == ()


@given(st.text(max_size=300))
def test_every_text_is_a_query(text: str) -> None:
    query = read_query(text)
    assert all(len(word) > 1 for word in query.words) and len(query.fields) <= 3
