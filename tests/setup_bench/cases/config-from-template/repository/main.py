import argparse, json
p = argparse.ArgumentParser()
p.add_argument("--rounds", type=int, default=2)
a = p.parse_args()
with open("config.json") as file:
    config = json.load(file)
json.dump({"rounds": a.rounds, **config}, open("result.json", "w"))
