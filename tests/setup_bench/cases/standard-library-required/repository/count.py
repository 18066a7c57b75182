import collections
import json
import os
import sys

from tabulate import tabulate

if not os.path.exists(sys.argv[1]):
    sys.exit("no such text")
with open(sys.argv[1]) as file:
    counts = collections.Counter(file.read().split())
print(tabulate(counts.most_common(), headers=["word", "count"]))
with open("result.json", "w") as file:
    json.dump({"words": sum(counts.values()), "distinct": len(counts)}, file)
