import json

import viewer

with open("result.json", "w") as file:
    json.dump({"library": str(viewer.gl._name)}, file)
