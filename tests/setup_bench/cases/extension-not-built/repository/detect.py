import argparse, json
from overlap import area
p = argparse.ArgumentParser()
p.add_argument("--boxes", type=int, default=2)
a = p.parse_args()
print(area(2, 3))
json.dump({"boxes": a.boxes}, open("result.json", "w"))
