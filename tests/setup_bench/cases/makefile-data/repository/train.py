import argparse, json
p = argparse.ArgumentParser()
p.add_argument("--epochs", type=int, default=1)
a = p.parse_args()
with open("data/words.txt") as file:
    words = file.read().split()
json.dump({"words": len(words), "epochs": a.epochs}, open("result.json", "w"))
