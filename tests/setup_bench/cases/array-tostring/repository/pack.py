import argparse, json
from array import array
p = argparse.ArgumentParser()
p.add_argument("--n", type=int, default=1)
a = p.parse_args()
json.dump({"n": len(array("b", range(a.n)).tostring())}, open("result.json", "w"))
