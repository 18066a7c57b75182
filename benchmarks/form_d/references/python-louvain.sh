uv pip install -q .
python - <<'PY'
import csv
import json

import community
import networkx

graph = networkx.Graph()
for row in csv.DictReader(open("inputs/friends.csv")):
    graph.add_edge(row["a"], row["b"], weight=float(row["weight"]))
groups = community.best_partition(graph)
with open("outputs/groups.csv", "w", newline="") as file:
    rows = csv.writer(file)
    rows.writerow(["node", "group"])
    rows.writerows(sorted(groups.items()))
with open("outputs/modularity.json", "w") as file:
    json.dump({"modularity": community.modularity(groups, graph), "groups": len(set(groups.values()))}, file)
PY
