import argparse
import json

from tabulate import tabulate
from termcolor import colored

parser = argparse.ArgumentParser()
parser.add_argument("--size", type=int, default=5)
args = parser.parse_args()

grid = [[row * args.size + column for column in range(args.size)] for row in range(args.size)]
print(colored(tabulate(grid), "green"))
with open("result.json", "w") as file:
    json.dump({"cells": sum(map(len, grid))}, file)
