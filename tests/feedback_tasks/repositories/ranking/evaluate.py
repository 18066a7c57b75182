"""Precision of a run (superseded)."""

import argparse


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--run", required=True, help="file of ranks and relevance")
    parser.add_argument("--depth", type=int, default=5, help="ranks that count")
    parser.parse_args()
    raise RuntimeError("evaluate.py is not maintained any more: use score.py, which takes the same options")


if __name__ == "__main__":
    main()
