import argparse, json
import formatter
p = argparse.ArgumentParser()
p.add_argument("--n", type=int, default=1)
a = p.parse_args()
print(formatter.NullFormatter())
json.dump({"n": a.n}, open("result.json", "w"))
