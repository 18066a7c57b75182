"""Whether a request is about a repository at all."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from ml_agent.matching.about import ABOUT_FEATURES, RelevanceModel, shipped
from ml_agent.matching.mentions import read_request
from ml_agent.matching.vocabulary import Vocabulary, vocabulary_of
from ml_agent.tools.index import RepoIndex

TAGGER = """
import argparse
p = argparse.ArgumentParser(description="Tag sentences of a text file with a trained model")
p.add_argument("--checkpoint", required=True, help="trained weights")
p.add_argument("--sentences", required=True, help="text file with one sentence a line")
p.add_argument("--epochs", type=int, default=10)
p.parse_args()
"""
README = """# Tagger

Tags parts of speech. Train it on a treebank, then tag sentences with the trained weights.

## Data

Treebanks come in the CoNLL format, one token a line: word, lemma, part of speech and morphology.
Sentences are separated by empty lines; comments begin with a hash. Unknown words are spelled by characters.

## Training

NeuralTag and tree-bank_reader are other names of it. Nouns, verbs and adjectives are learned with a bidirectional recurrent network over embeddings, dropout and a conditional random field.
"""
TABLE = {"terms": {"train": [1.0, 0.2], "epoch": [0.9, 0.1]}, "rare": [0.025, 0.001], "bias": 0.0, "least": 0.0}


@pytest.fixture
def vocabulary(tmp_path: Path) -> Vocabulary:
    """Of a script and what its README says."""
    (tmp_path / "tagger.py").write_text(TAGGER)
    (tmp_path / "README.md").write_text(README)
    return vocabulary_of(RepoIndex.open(tmp_path, "one"))


def value(feature: str, text: str, vocabulary: Vocabulary) -> float:
    about = RelevanceModel(TABLE | {"weights": dict.fromkeys(ABOUT_FEATURES, 0.0)})
    return about.vector(read_request(text), vocabulary)[ABOUT_FEATURES.index(feature)]


def in_order(feature: str, several: Sequence[str], vocabulary: Vocabulary) -> bool:
    values = [value(feature, text, vocabulary) for text in several]
    return values == sorted(values) and values[0] < values[-1]


@pytest.mark.parametrize(
    ("feature", "less", "more"),
    [
        ("rarity_known", "train violins", "train treebanks"),
        ("known", "train violins", "train epochs"),
        ("closest", "train violins", "treebanks of sentences"),
        ("rare_known", "train epochs", "train treebanks"),
        ("rare_in_files", "train sentences", "train a tagger"),
        ("rare_in_options", "train treebanks", "train sentences"),
    ],
)
def test_rare_words_that_both_have_speak_for_it(feature: str, less: str, more: str, vocabulary: Vocabulary) -> None:
    assert in_order(feature, [less, more], vocabulary)


@pytest.mark.parametrize("feature", ["terms", "option_terms"])
def test_who_says_much_shares_words_with_anything(feature: str, vocabulary: Vocabulary) -> None:
    larger = vocabulary._replace(known=vocabulary.known | {"violin"}, options=vocabulary.options | {"violin"})
    assert value(feature, "train", vocabulary) < value(feature, "train", larger)


@pytest.mark.parametrize(
    "text",
    [
        "Bake me a chocolate cake with three layers and a cherry on top.",
        "Book a flight from Berlin to Lisbon for next Friday.",
        "What is the weather like in Oslo tomorrow?",
        "Translate my love letter into Latin and post it.",
        "Order two pizzas with extra cheese to my office.",
        "Write a poem about the autumn moon.",
        "Remind me to call my mother at seven.",
        "Fix the leaking tap in the kitchen.",
        "Find the cheapest hotel near the harbour.",
        "Compile the Linux kernel with 8 jobs.",
        "Resize the partition of my hard disk to 200 gigabytes.",
        "Convert 300 euros into Swiss francs.",
    ],
)
def test_a_request_about_something_else_is_known_as_one(text: str, vocabulary: Vocabulary) -> None:
    assert shipped().foreign_terms(read_request(text), vocabulary)


@pytest.mark.parametrize(
    "text",
    [
        "Train it.",
        "Train the model for 12 epochs with a batch size of 32 on two GPUs.",
        "Resume from /home/olga/quokka7/best_w.pt and save to /scratch/kiwi.",
        "Kindly tag the sentences of the text file on my humble machine with weights.",
        "run the demo",
        "How do I use this?",
        "trian the tagger, please",
        "Learn to tag Finnish from the treebank in fi.conllu.",
    ],
)
def test_a_request_that_could_be_about_it_is_not(text: str, vocabulary: Vocabulary) -> None:
    assert not shipped().foreign_terms(read_request(text), vocabulary)


@pytest.mark.parametrize("name", ["neuraltag", "treebankreader", "NeuralTag", "tree bank"])
def test_names_are_known_as_who_is_in_a_hurry_types_them(name: str, vocabulary: Vocabulary) -> None:
    assert all(
        term in vocabulary.known
        for word in read_request(f"use {name}").content
        for term in word.terms
        if word.text != "use"
    )


def test_a_repository_knows_its_own_name(tmp_path: Path) -> None:
    (tmp_path / "NAFNet").mkdir()
    (tmp_path / "NAFNet" / "run.py").write_text("import argparse\nargparse.ArgumentParser().parse_args()\n")
    assert "nafnet" in vocabulary_of(RepoIndex.open(tmp_path / "NAFNet", "one")).known


def test_the_rarest_words_are_told_first(vocabulary: Vocabulary) -> None:
    told = shipped().foreign_terms(
        read_request("Book a flight to Lisbon and convert 300 euros into Swiss francs."), vocabulary
    )
    assert {"flight", "lisbon"} <= set(told[:6]) and "convert" not in told[:2]


def test_the_silence_of_who_says_little_means_nothing(tmp_path: Path) -> None:
    (tmp_path / "run.py").write_text("import argparse\np = argparse.ArgumentParser()\np.add_argument('--mean')\n")
    few = vocabulary_of(RepoIndex.open(tmp_path, "one"))
    assert not shipped().foreign_terms(read_request("Compute the mean pressure of barometers in Oslo."), few)
    assert shipped().foreign_terms(read_request("Bake a chocolate cake with cherries."), few)


def test_words_are_counted_by_passages_and_told_apart_by_what_they_name(vocabulary: Vocabulary) -> None:
    assert vocabulary.passages >= 3 and 1 <= vocabulary.said["treebank"] <= vocabulary.passages
    assert "tagger" in vocabulary.files and "checkpoint" not in vocabulary.files
    assert {"weight", "epoch"} & vocabulary.options
    assert vocabulary.files | vocabulary.options | vocabulary.said.keys() <= vocabulary.known
