import json
import sys

from termcolor import colored

sequence = sys.argv[1]
score = sum("AILMFVWY".count(letter) for letter in sequence) / len(sequence)
print(colored(f"{score:.2f}", "red"))
with open("result.json", "w") as file:
    json.dump({"length": len(sequence), "score": score}, file)
