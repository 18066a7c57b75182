import pytest
from hypothesis import given
from hypothesis import strategies as st

from ml_agent.tools.knowledge import Concept, Knowledge, shipped, squash
from ml_agent.tools.query import stems

GRAPHS = Concept(("graph neural networks",), ("gcn", "graph neural network", "cora", "=DD", "amazon"))
LANGUAGE = Concept(("language models",), ("neural network language", "gpt-[0-9]*", "*uncased*", "amazon"))
IMAGES = Concept(("image translation",), ("[a-z][a-z][a-z]*2[a-z][a-z][a-z]*", "=*GAN"))
TEXT = Concept(("word vectors",), ("word2vec",))
KNOWLEDGE = Knowledge((GRAPHS, LANGUAGE, IMAGES, TEXT))


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("train a GCN on Cora", [("GCN", GRAPHS), ("Cora", GRAPHS)]),
        ("a Graph-Neural_Network", [("Graph Neural Network", GRAPHS)]),
        ("GraphNeuralNetwork", [("GraphNeuralNetwork", GRAPHS)]),
        ("the DD data", [("DD", GRAPHS)]),
        ("the dd data", []),
        ("gpt-2 and gpt-neo", [("gpt 2", LANGUAGE)]),
        ("multi_uncased_L-12", [("uncased", LANGUAGE)]),
        ("label2city", [("label2city", IMAGES)]),
        ("word2vec", [("word2vec", TEXT)]),
        ("a DualGAN began", [("DualGAN", IMAGES)]),
        ("", []),
    ],
)
def test_finds_names_and_their_fields(text: str, found: list[tuple[str, Concept]]) -> None:
    assert [(mention.text, mention.concept) for mention in KNOWLEDGE.mentions(text)] == found


def test_a_longer_name_hides_the_shorter_ones() -> None:
    mentions = KNOWLEDGE.mentions("a neural network language model")
    assert [mention.text for mention in mentions] == ["neural network language"]


@given(st.text(max_size=200))
def test_no_text_breaks_the_shipped_table(text: str) -> None:
    for mention in shipped().mentions(text):
        assert squash(mention.text) in squash(text)


def test_the_shipped_table_is_sound_and_broad() -> None:
    concepts = shipped().concepts
    assert len(concepts) > 100 and len({name for concept in concepts for name in concept.names}) > 2000
    assert len({concept.words for concept in concepts}) == len(concepts)
    for concept in concepts:
        assert concept.words and concept.names, concept.words
        assert len(set(map(str.lower, concept.names))) == len(concept.names), concept.words
        assert all(stems(words) for words in concept.words)
        # Self-descriptions are words of the field: no OWNER/NAME, no link.
        assert not any("/" in words or ":" in words for words in concept.words)
