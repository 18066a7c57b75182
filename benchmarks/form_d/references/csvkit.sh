uv pip install -q .
columns=station,date,temperature,place
csvcut -d ";" -e latin-1 -c $columns inputs/2023.csv > 2023.csv
csvcut -c $columns inputs/2024.csv > 2024.csv
csvstack -g 2023,2024 -n year 2023.csv 2024.csv | csvsort -I -c date,station > outputs/all.csv
csvjoin -I -c station outputs/all.csv inputs/stations.csv | csvgrep -c region -m North > north.csv
# Codes stay text, temperatures are sorted as numbers.
python - <<'PY'
import agate

text = {name: agate.Text() for name in ("year", "station", "date", "place")}
table = agate.Table.from_csv("north.csv", column_types=text)
table = table.order_by("temperature", reverse=True).select(["year", "station", "date", "temperature", "place", "altitude"])
table.to_csv("outputs/north.csv")
PY
