"""Train an n-gram language model and report its perplexity on held-out text."""

import argparse
from pathlib import Path

from quill import LanguageModel, tokenize
from quill.language_model import SMOOTHINGS

RESULTS = Path(__file__).resolve().parent.parent / "results"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("text", help="text file to learn from")
    parser.add_argument("--order", type=int, default=3, help="length of the longest n-gram")
    parser.add_argument("--unit", choices=["char", "word"], default="char", help="what a token is")
    parser.add_argument(
        "--smoothing", choices=SMOOTHINGS, default="witten-bell", help="how counts become probabilities"
    )
    parser.add_argument("--k", type=float, default=0.1, help="pseudo count of add-k smoothing")
    parser.add_argument("--heldout", type=float, default=0.2, help="share of the text, from its end, kept for testing")
    parser.add_argument("--out", default=str(RESULTS / "language_model.json"), help="report file")
    args = parser.parse_args()

    tokens = tokenize(Path(args.text).read_text(encoding="utf-8"), args.unit)
    cut = len(tokens) - round(len(tokens) * args.heldout)
    model = LanguageModel(args.order, args.unit, args.smoothing, args.k)
    model.source = Path(args.text).name
    model.train_tokens(tokens[:cut])
    perplexity = model.perplexity(tokens[cut:])
    print(f"{cut} tokens to train on, {len(tokens) - cut} to test on, perplexity {perplexity:.2f}")
    model.write_report(args.out, perplexity=perplexity, heldout=round((len(tokens) - cut) / len(tokens), 3))


if __name__ == "__main__":
    main()
