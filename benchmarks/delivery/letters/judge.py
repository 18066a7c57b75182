"""Judges `letters`."""

import sys
from pathlib import Path

WANTED = (
    "dear aunt ida, the first snow came on tuesday and the coast road is closed. "
    "we bake, we read, and the dog sleeps by the stove. yours, tomas\n"
)


def main():
    path = Path("post/letters_clean.txt")
    if not path.is_file():
        sys.exit("there is no post/letters_clean.txt")
    if path.read_text(encoding="utf-8") != WANTED:
        sys.exit("the text is not normalised as it should be")


if __name__ == "__main__":
    main()
