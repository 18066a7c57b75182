import csv
import sys

with open(sys.argv[1], encoding="utf-8", newline="") as file:
    titles = [row[1] for row in csv.reader(file)]
print(len(titles), "titles")
