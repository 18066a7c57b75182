import json
import sys

from bs4 import BeautifulSoup
from dateutil import parser as dates
from tabulate import tabulate

with open(sys.argv[1]) as file:
    soup = BeautifulSoup(file, "html.parser")
rows = [(dates.parse(a.time.text).date().isoformat(), a.h2.text) for a in soup.find_all("article")]
print(tabulate(sorted(rows), headers=["date", "title"]))
with open("result.json", "w") as file:
    json.dump({"articles": len(rows), "newest": max(rows)[0]}, file)
