"""Normalise a text: normalise.py INPUT OUTPUT [lower]."""

import sys
import unicodedata
from pathlib import Path


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    text = unicodedata.normalize("NFKC", Path(sys.argv[1]).read_text(encoding="utf-8"))
    if "lower" in sys.argv[3:]:
        text = text.lower()
    Path(sys.argv[2]).write_text(" ".join(text.split()) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
