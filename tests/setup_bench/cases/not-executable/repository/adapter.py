import json
import sys

matrix = [[0.0] * int(sys.argv[1]) for _ in range(4)]
with open("result.json", "w") as file:
    json.dump({"rank": len(matrix[0])}, file)
