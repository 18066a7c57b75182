from tabulate import tabulate


def forecast(series, horizon):
    step = (series[-1] - series[0]) / (len(series) - 1)
    return [series[-1] + step * (i + 1) for i in range(horizon)]


def table(values):
    return tabulate(list(enumerate(values, 1)), headers=["step", "value"])
