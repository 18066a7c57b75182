import argparse, json
p = argparse.ArgumentParser()
p.add_argument("--epochs", type=int, default=1)
a = p.parse_args()
words = json.load(open("data/vocab.json"))
json.dump({"words": len(words), "epochs": a.epochs}, open("result.json", "w"))
