"""Stored rows."""

import csv


def load_rows(path):
    """Rows of numbers and their labels, which stand in the last column."""
    with open(path, newline="") as file:
        cells = [list(map(float, row)) for row in csv.reader(file)]
    return [row[:-1] for row in cells], [int(row[-1]) for row in cells]
