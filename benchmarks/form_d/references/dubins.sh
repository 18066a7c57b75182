uv pip install -q .
cd outputs  # the folder dubins/ of the repository has no compiled part
python - <<'PY'
import csv

import dubins

poses, lengths = open("paths.csv", "w", newline=""), open("lengths.csv", "w", newline="")
with poses, lengths:
    points, totals = csv.writer(poses), csv.writer(lengths)
    points.writerow(["path", "x", "y", "theta"])
    totals.writerow(["path", "length"])
    for row in csv.DictReader(open("../inputs/poses.csv")):
        start, goal = ([float(row[name + end]) for name in ("x", "y", "t")] for end in "01")
        path = dubins.shortest_path(start, goal, 1.5)
        totals.writerow([row["path"], path.path_length()])
        points.writerows([row["path"], *pose] for pose in path.sample_many(0.25)[0])
PY
