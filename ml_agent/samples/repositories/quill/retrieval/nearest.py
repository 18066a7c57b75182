"""Find the sentences of a text that are nearest to a query.

usage: python -m retrieval.nearest TEXT_FILE QUERY [HOW_MANY]
"""

import math
import sys
from collections import Counter
from pathlib import Path

from quill.text import sentences, tokenize, write_json

RESULTS = Path(__file__).resolve().parent.parent / "results"


def vector(text, weights):
    counts = Counter(word.lower() for word in tokenize(text) if word.isalpha())
    return {word: (1 + math.log(count)) * weights.get(word, 0.0) for word, count in counts.items()}


def cosine(a, b):
    norm = math.sqrt(sum(v * v for v in a.values()) * sum(v * v for v in b.values()))
    return sum(value * b.get(word, 0.0) for word, value in a.items()) / norm if norm else 0.0


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    path = Path(sys.argv[1])
    query = sys.argv[2]
    how_many = int(sys.argv[3]) if len(sys.argv) > 3 else 5

    documents = sentences(path.read_text(encoding="utf-8"))
    frequency = Counter(word for d in documents for word in {w.lower() for w in tokenize(d) if w.isalpha()})
    weights = {word: math.log(len(documents) / n) for word, n in frequency.items()}
    target = vector(query, weights)
    ranked = sorted(((cosine(target, vector(d, weights)), d) for d in documents), reverse=True)[:how_many]
    for similarity, sentence in ranked:
        print(f"{similarity:.3f}  {sentence}")
    report = {
        "text": path.name,
        "query": query,
        "returned": len(ranked),
        "results": [{"similarity": s, "sentence": d} for s, d in ranked],
    }
    write_json(RESULTS / "nearest.json", report)


if __name__ == "__main__":
    main()
