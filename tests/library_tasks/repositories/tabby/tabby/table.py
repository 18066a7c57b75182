"""A table and what can be done with it."""

import csv
import json
import operator
from pathlib import Path

COMPARISONS = {"==": operator.eq, "!=": operator.ne, "<": operator.lt, ">": operator.gt}


def _value(text):
    try:
        return float(text)
    except ValueError:
        return text


def read(path):
    """A table from a CSV file with a head line; numbers become floats."""
    with open(path, newline="") as file:
        return Table([{key: _value(text) for key, text in row.items()} for row in csv.DictReader(file)])


class Table:
    """Rows that have the same columns."""

    def __init__(self, rows):
        self.rows = list(rows)

    def column(self, name):
        """The values of a column."""
        return [row[name] for row in self.rows]

    def where(self, name, comparison, value):
        """The rows where a column compares so with a value; comparison is one of ==, !=, <, >."""
        compare = COMPARISONS[comparison]
        return Table(row for row in self.rows if compare(row[name], value))

    def mean_by(self, group, name):
        """A table of the mean of a column for each value of another one, in the order of appearance."""
        groups = {}
        for row in self.rows:
            groups.setdefault(row[group], []).append(row[name])
        return Table({group: key, f"mean_{name}": sum(values) / len(values)} for key, values in groups.items())

    def join(self, other, on):
        """The rows of both tables that agree in a column."""
        index = {row[on]: row for row in other.rows}
        return Table({**row, **index[row[on]]} for row in self.rows if row[on] in index)

    def sort(self, name, descending=False):
        """Sorted by a column."""
        return Table(sorted(self.rows, key=lambda row: row[name], reverse=descending))

    def write(self, path, form="csv"):
        """Write it as csv, json or markdown."""
        Path(path).parent.mkdir(parents=True, exist_ok=True)
        names = list(self.rows[0]) if self.rows else []
        with open(path, "w", newline="") as file:
            if form == "json":
                json.dump(self.rows, file)
            elif form == "markdown":
                file.write("| " + " | ".join(names) + " |\n|" + " --- |" * len(names) + "\n")
                for row in self.rows:
                    file.write("| " + " | ".join(str(row[name]) for name in names) + " |\n")
            else:
                writer = csv.DictWriter(file, names)
                writer.writeheader()
                writer.writerows(self.rows)
