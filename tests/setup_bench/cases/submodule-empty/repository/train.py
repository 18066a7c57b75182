import sys

sys.path.insert(0, "third_party")

from pyffe_bench import Solver

print(Solver())
