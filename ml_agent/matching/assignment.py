"""The best overall matching of rows to columns (Hungarian method, after Kuhn and Munkres)."""

from collections.abc import Mapping, Sequence


def best_matching(scores: Sequence[Mapping[int, float]], columns: int) -> dict[int, int]:
    """For each row the column it is matched with, so that the sum of scores is the greatest.

    Args:
        scores: for each row the positive scores of the columns it may take; a row may stay without one.
        columns: how many columns there are.

    Every row has a column of its own that scores nothing, so a full matching always exists. Cost: rows² × (rows + columns).
    """
    rows = len(scores)
    width = columns + rows
    row_of = [0] * (width + 1)
    potential_row, potential_column = [0.0] * (rows + 1), [0.0] * (width + 1)
    for row in range(1, rows + 1):
        row_of[0] = row
        _augment(scores, columns, row_of, potential_row, potential_column)
    return {row_of[column] - 1: column - 1 for column in range(1, columns + 1) if row_of[column]}


def _augment(
    scores: Sequence[Mapping[int, float]],
    columns: int,
    row_of: list[int],
    potential_row: list[float],
    potential_column: list[float],
) -> None:
    """Make room for the row in place 0 along the cheapest alternating path."""
    width = len(row_of) - 1
    cheapest = [float("inf")] * (width + 1)
    came_from = [0] * (width + 1)
    done = [False] * (width + 1)
    at = 0
    while row_of[at]:
        done[at] = True
        row, step, following = row_of[at], float("inf"), 0
        for column in range(1, width + 1):
            if done[column]:
                continue
            reduced = _cost(scores, columns, row, column) - potential_row[row] - potential_column[column]
            if reduced < cheapest[column]:
                cheapest[column], came_from[column] = reduced, at
            if cheapest[column] < step:
                step, following = cheapest[column], column
        for column in range(width + 1):
            if done[column]:
                potential_row[row_of[column]] += step
                potential_column[column] -= step
            else:
                cheapest[column] -= step
        at = following
    while at:
        row_of[at] = row_of[came_from[at]]
        at = came_from[at]


def _cost(scores: Sequence[Mapping[int, float]], columns: int, row: int, column: int) -> float:
    if column > columns:
        return 0.0 if column - columns == row else _FORBIDDEN
    score = scores[row - 1].get(column - 1, 0.0)
    return -score if score > 0 else _FORBIDDEN


_FORBIDDEN = 1e6
