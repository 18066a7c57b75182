uv pip install -q .
python - <<'PY'
import pandas
import pandasql

orders, customers = pandas.read_csv("inputs/orders.csv"), pandas.read_csv("inputs/customers.csv")
query = """
    SELECT country, count(*) AS orders, sum(amount) AS total, avg(amount) AS mean
    FROM orders JOIN customers USING (customer)
    WHERE state = 'paid' AND amount >= 25
    GROUP BY country ORDER BY total DESC
"""
pandasql.sqldf(query, {"orders": orders, "customers": customers}).to_csv("outputs/by_country.csv", index=False)
PY
