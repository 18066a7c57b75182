"""Reading, splitting and hashing text."""

import json
import random
import re
import zlib
from pathlib import Path


def tokenize(text, unit="word"):
    """Words and punctuation marks, or characters."""
    if unit == "char":
        return list(text)
    return re.findall(r"\w+|[^\w\s]", text)


def join(tokens, unit):
    if unit == "char":
        return "".join(tokens)
    return re.sub(r" ([,.;:?!])", r"\1", " ".join(tokens))


def sentences(text):
    return [part.strip() for part in re.split(r"(?<=[.?!])\s+", " ".join(text.split())) if part.strip()]


def read_labelled(path):
    """Texts and labels from lines of the form `label<TAB>text`."""
    texts, labels = [], []
    for line in Path(path).read_text(encoding="utf-8").splitlines():
        label, _, text = line.partition("\t")
        texts.append(text)
        labels.append(label)
    return texts, labels


def split(texts, labels, test_share=0.2, seed=0):
    """((texts, labels) to train on, (texts, labels) to test on)."""
    rows = list(zip(texts, labels))
    random.Random(seed).shuffle(rows)
    size = round(len(rows) * test_share)
    test, train = rows[:size], rows[size:]
    return tuple(map(list, zip(*train))), tuple(map(list, zip(*test)))


def ngrams(tokens, shortest, longest):
    for n in range(shortest, longest + 1):
        for start in range(len(tokens) - n + 1):
            yield " ".join(tokens[start : start + n])


def bucket(feature, buckets):
    return zlib.crc32(feature.encode("utf-8")) % buckets


def write_json(path, content):
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(content, indent=2, sort_keys=True, ensure_ascii=False) + "\n", encoding="utf-8")
    print(f"wrote {path}")
