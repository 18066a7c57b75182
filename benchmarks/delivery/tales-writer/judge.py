"""Judges `tales-writer`."""

import json
import sys
from pathlib import Path


def main():
    path = Path("stories/written.json")
    if not path.is_file():
        sys.exit("there is no stories/written.json")
    report = json.loads(path.read_text(encoding="utf-8"))
    expected = {
        "n_texts": 3,
        "new_tokens": 12,
        "unit": "word",
        "prompt": "The geese",
        "temperature": 0.7,
        "source": "tales.txt",
    }
    for name, value in expected.items():
        if report.get(name) != value:
            sys.exit(f"{name} is {report.get(name)!r}, not {value!r}")
    texts = [entry["text"] for entry in report["generated"]]
    if len(texts) != 3 or not all(text.startswith("The geese") for text in texts):
        sys.exit("there are not three texts that begin with The geese")


if __name__ == "__main__":
    main()
