import argparse, json
import numpy as np
import yaml
p = argparse.ArgumentParser()
p.add_argument("--file")
a = p.parse_args()
json.dump({k: int(np.int64(v)) for k, v in yaml.safe_load(open(a.file)).items()}, open("result.json", "w"))
