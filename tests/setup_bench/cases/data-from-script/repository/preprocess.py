import json

with open("data/raw.txt") as file:
    words = sorted(set(file.read().split()))
with open("data/vocab.json", "w") as file:
    json.dump({word: i for i, word in enumerate(words)}, file)
