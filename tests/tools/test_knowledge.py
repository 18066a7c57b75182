import pytest
from hypothesis import given
from hypothesis import strategies as st

from ml_agent.tools.knowledge import Concept, Knowledge, field_strengths, shipped, squash
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


def test_a_shared_name_counts_less() -> None:
    assert [mention.weight for mention in KNOWLEDGE.mentions("Amazon")] == [0.5, 0.5]
    strengths = field_strengths(KNOWLEDGE.mentions("Amazon GCN"))
    assert list(strengths) == [GRAPHS, LANGUAGE]
    assert strengths[GRAPHS] == 1.0 > strengths[LANGUAGE] > 0.3


def test_saying_a_name_twice_is_saying_it_once() -> None:
    once, twice = (field_strengths(KNOWLEDGE.mentions(text)) for text in ("amazon gcn", "amazon amazon AMAZON gcn"))
    assert once == twice


def test_nothing_known_is_nothing() -> None:
    assert field_strengths([]) == {}


def test_squash() -> None:
    assert squash("Time-Series_Library 2") == "timeserieslibrary2"


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


@pytest.mark.parametrize(
    ("text", "field"),
    [
        ("train PPO on CartPole-v1", "reinforcement learning"),
        ("transcribe talk.wav with wav2vec2", "speech recognition"),
        ("a U-Net for brain MRI", "medical imaging"),
        ("BPR on MovieLens 1M", "recommender systems"),
        ("DistilBERT on SST-2", "bert"),
        ("Tacotron 2 with WaveGlow", "speech synthesis"),
        ("PointNet on ModelNet40", "3d point cloud"),
        ("SHAP values", "explainable ai"),
        ("5-way 1-shot with MAML", "meta-learning"),
        ("FedAvg with 100 clients", "federated learning"),
        ("word-level bigrams with Kneser-Ney smoothing", "n-gram language models"),
    ],
)
def test_knows_fields_all_over(text: str, field: str) -> None:
    strengths = field_strengths(shipped().mentions(text))
    assert next(iter(strengths)).words[0] == field
