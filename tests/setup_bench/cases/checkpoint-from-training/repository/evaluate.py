import argparse, json, pickle
p = argparse.ArgumentParser()
p.add_argument("--split", default="valid")
a = p.parse_args()
with open("checkpoints/model.pkl", "rb") as file:
    model = pickle.load(file)
json.dump({"split": a.split, **model}, open("result.json", "w"))
