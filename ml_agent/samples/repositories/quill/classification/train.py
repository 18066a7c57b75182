"""Train and test a sentiment classifier on the film reviews."""

import argparse
from pathlib import Path

from quill import AveragedPerceptron, LogisticRegression, NaiveBayes, read_labelled, split

ROOT = Path(__file__).resolve().parent.parent


def build(args):
    options = {
        "ngrams": args.ngrams,
        "unit": args.unit,
        "lowercase": args.lowercase,
        "buckets": args.buckets,
        "seed": args.seed,
    }
    if args.classifier == "naive-bayes":
        return NaiveBayes(alpha=args.alpha, **options)
    if args.classifier == "logreg":
        return LogisticRegression(eta=args.eta, passes=args.passes, **options)
    return AveragedPerceptron(passes=args.passes, **options)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--reviews", default=str(ROOT / "corpus" / "reviews.tsv"), help="lines of label, tab, text")
    parser.add_argument("--classifier", choices=["naive-bayes", "logreg", "perceptron"], default="naive-bayes")
    parser.add_argument("--unit", choices=["char", "word"], default="word", help="n-grams of characters or of words")
    parser.add_argument("--ngrams", type=int, nargs=2, default=[1, 1], metavar=("MIN", "MAX"), help="n-gram lengths")
    parser.add_argument("--buckets", type=int, default=4096, help="size of the table that features are hashed into")
    parser.add_argument(
        "--lowercase", action=argparse.BooleanOptionalAction, default=True, help="ignore upper and lower case"
    )
    parser.add_argument("--alpha", type=float, default=1.0, help="additive smoothing of naive Bayes")
    parser.add_argument("--eta", type=float, default=0.1, help="learning rate of the logistic regression")
    parser.add_argument("--passes", type=int, default=10, help="epochs of logistic regression and perceptron")
    parser.add_argument("--test_share", type=float, default=0.2, help="share of the reviews used for testing")
    parser.add_argument("--seed", type=int, default=0, help="random seed of the split and of the training")
    parser.add_argument("--report", default=str(ROOT / "results" / "sentiment.json"), help="file for the metrics")
    args = parser.parse_args()

    train, test = split(*read_labelled(args.reviews), test_share=args.test_share, seed=args.seed)
    model = build(args).fit(*train)
    accuracy = model.accuracy(*test)
    print(f"{len(train[0])} reviews to train on, {len(test[0])} to test on, accuracy {accuracy:.3f}")
    model.write_report(args.report, n_test=len(test[0]), accuracy=accuracy)


if __name__ == "__main__":
    main()
