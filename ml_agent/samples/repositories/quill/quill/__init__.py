"""Count-based text models."""

from .classifiers import AveragedPerceptron, LogisticRegression, NaiveBayes
from .language_model import LanguageModel
from .text import read_labelled, sentences, split, tokenize

__all__ = [
    "AveragedPerceptron",
    "LanguageModel",
    "LogisticRegression",
    "NaiveBayes",
    "read_labelled",
    "sentences",
    "split",
    "tokenize",
]
