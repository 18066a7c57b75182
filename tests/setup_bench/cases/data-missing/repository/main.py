import argparse
import csv

parser = argparse.ArgumentParser()
parser.add_argument("--data", required=True)
args = parser.parse_args()
with open(args.data, newline="") as file:
    print(len(list(csv.reader(file))))
