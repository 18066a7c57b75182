import argparse
import json

from jinja2 import Markup, Template

parser = argparse.ArgumentParser()
parser.add_argument("--runs", type=int, default=1)
args = parser.parse_args()

rows = [{"run": i, "accuracy": 0.8 + 0.01 * i} for i in range(args.runs)]
page = Template("{{ head }}{% for row in rows %}<tr><td>{{ row.run }}</td></tr>{% endfor %}", autoescape=True)
html = page.render(head=Markup("<h1>Runs</h1>"), rows=rows)
assert "<h1>" in html
with open("result.json", "w") as file:
    json.dump({"runs": html.count("<tr>")}, file)
