import argparse, json
from repeat import repeated
p = argparse.ArgumentParser()
p.add_argument("--times", type=int, default=2)
a = p.parse_args()
json.dump({"text": repeated("ab", a.times)}, open("result.json", "w"))
