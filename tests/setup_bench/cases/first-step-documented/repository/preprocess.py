import argparse, json
p = argparse.ArgumentParser()
p.add_argument("--input", required=True)
p.add_argument("--output", required=True)
a = p.parse_args()
json.dump(sorted(set(open(a.input).read().split())), open(a.output, "w"))
