import argparse
import json
from dataclasses import dataclass

from termcolor import colored


@dataclass
class Frame:
    index: int


parser = argparse.ArgumentParser()
parser.add_argument("--frames", type=int, default=3)
frames = [Frame(i) for i in range(parser.parse_args().frames)]
print(colored(str(frames[-1]), "blue"))
with open("result.json", "w") as file:
    json.dump({"frames": len(frames)}, file)
