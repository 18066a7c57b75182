from tabulate import tabulate

__version__ = "1.4.0"


def show(samples):
    return tabulate([(i, s) for i, s in enumerate(samples)])
