import argparse, json
from device import Tensor
p = argparse.ArgumentParser()
p.add_argument("--epochs", type=int, default=1)
a = p.parse_args()
print(Tensor().cuda(async=True))
json.dump({"epochs": a.epochs}, open("result.json", "w"))
