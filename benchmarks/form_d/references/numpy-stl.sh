uv pip install -q .
python - <<'PY'
import json
import math

import stl

part = stl.mesh.Mesh.from_file("inputs/part.stl")
part.rotate([1, 0, 0], -math.pi / 2)  # this library turns clockwise
part.translate([0, 0, -part.z.min()])
part.save("outputs/upright.stl", mode=stl.Mode.BINARY)
volume, centre, _ = stl.mesh.Mesh.from_file("outputs/upright.stl").get_mass_properties()
with open("outputs/mass.json", "w") as file:
    json.dump({"volume": float(volume), "centre": [float(value) for value in centre]}, file)
PY
