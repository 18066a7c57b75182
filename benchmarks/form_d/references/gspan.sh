uv pip install -q . "pandas<2" "numpy<1.25" matplotlib networkx
python - <<'PY'
from gspan_mining.config import parser
from gspan_mining.main import main

found = main(parser.parse_args(["-s", "9", "-l", "2", "-u", "3", "inputs/graphs.txt"]))
table = found._report_df[["support", "num_vert", "description"]]
table.columns = ["support", "vertices", "description"]
table.to_csv("outputs/frequent.csv", index=False)
PY
