import argparse
import json
import os

parser = argparse.ArgumentParser()
parser.add_argument("--dataset", default="cora")
args = parser.parse_args()

folder = os.path.join(os.environ["DATAPATH"], args.dataset)
with open(os.path.join(folder, "edges.txt")) as file:
    edges = [tuple(map(int, line.split())) for line in file]
print(len(edges), "edges")
with open("result.json", "w") as file:
    json.dump({"edges": len(edges), "dataset": os.path.basename(folder)}, file)
