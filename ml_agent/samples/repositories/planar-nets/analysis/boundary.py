"""Print the decision regions of a trained network as text."""

import argparse
import os
import sys

sys.path.append(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

from tools.layers import Perceptron  # noqa: E402
from tools.record import RESULTS, write_metrics  # noqa: E402


def regions(model, columns, rows, extent):
    """One string a row, from top to bottom; `#` is class 1, `.` class 0."""
    picture = []
    for row in range(rows):
        y = extent - 2 * extent * row / max(rows - 1, 1)
        cells = []
        for column in range(columns):
            x = 2 * extent * column / max(columns - 1, 1) - extent
            cells.append("#" if model.predict((x, y)) >= 0.5 else ".")
        picture.append("".join(cells))
    return picture


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("checkpoint", help="network stored by train/fit_mlp.py --save")
    parser.add_argument(
        "--grid", type=int, nargs=2, default=[48, 24], metavar=("COLUMNS", "ROWS"), help="number of cells across and down"
    )
    parser.add_argument("--extent", type=float, default=1.5, help="the plane is drawn from -extent to +extent")
    parser.add_argument("--out", default=str(RESULTS / "boundary.json"), help="file for the metrics")
    args = parser.parse_args()

    model = Perceptron.load(args.checkpoint)
    picture = regions(model, *args.grid, args.extent)
    print("\n".join(picture))
    filled = sum(line.count("#") for line in picture)
    metrics = {
        "checkpoint": os.path.basename(args.checkpoint),
        "units": model.units,
        "columns": len(picture[0]),
        "rows": len(picture),
        "extent": args.extent,
        "share_class_1": filled / (len(picture) * len(picture[0])),
        "picture": picture,
    }
    write_metrics(args.out, metrics)


if __name__ == "__main__":
    main()
