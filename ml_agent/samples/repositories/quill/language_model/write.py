"""Let an n-gram language model continue a text."""

import argparse
from pathlib import Path

from quill import LanguageModel
from quill.language_model import SMOOTHINGS

RESULTS = Path(__file__).resolve().parent.parent / "results"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("text", help="text file to learn from")
    parser.add_argument("--order", type=int, default=5, help="length of the longest n-gram")
    parser.add_argument("--unit", choices=["char", "word"], default="char", help="what a token is")
    parser.add_argument(
        "--smoothing", choices=SMOOTHINGS, default="witten-bell", help="how counts become probabilities"
    )
    parser.add_argument("--prefix", default="", help="beginning that every text continues")
    parser.add_argument("--length", type=int, default=100, help="number of tokens to add")
    parser.add_argument("--temp", type=float, default=1.0, help="sampling temperature")
    parser.add_argument("-n", "--n_texts", type=int, default=1, help="how many texts to write")
    parser.add_argument("--seed", type=int, default=0, help="random seed of the first text")
    parser.add_argument("--out", default=str(RESULTS / "written.json"), help="where the texts are stored")
    args = parser.parse_args()

    model = LanguageModel(args.order, args.unit, args.smoothing)
    model.train(args.text)
    for i in range(args.n_texts):
        print(model.generate(args.prefix, args.length, args.temp, args.seed + i))
        print("-" * 40)
    made = model.generated
    model.write_report(
        args.out,
        n_texts=len(made),
        prompt=made[0]["prompt"],
        new_tokens=made[0]["new_tokens"],
        temperature=made[0]["temperature"],
    )


if __name__ == "__main__":
    main()
