"""Train a tree on the flowers."""

import argparse

from .data import load_rows
from .tree import Tree


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", default="data/flowers.csv")
    parser.add_argument("--depth", type=int, default=3, help="largest depth of the tree")
    parser.add_argument("--min-rows", type=int, default=1, help="smallest number of rows that is split")
    args = parser.parse_args()
    rows, labels = load_rows(args.data)
    tree = Tree(args.depth, args.min_rows).fit(rows, labels)
    print(sum(tree.predict(row) == label for row, label in zip(rows, labels)), "of", len(rows), "right")
    tree.save_summary("tree.json")


if __name__ == "__main__":
    main()
