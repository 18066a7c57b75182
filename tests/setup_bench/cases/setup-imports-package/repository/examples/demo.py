import json

import signals

print(signals.show([0.1, 0.4, 0.2]))
with open("result.json", "w") as file:
    json.dump({"version": signals.__version__}, file)
