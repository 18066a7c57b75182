uv pip install -q . "numpy<1.17" "scipy<1.3" "asteval<0.9.17" "setuptools<58"
python - <<'PY'
import json

import numpy as np
from lmfit.models import GaussianModel, LinearModel

x, y = np.loadtxt("inputs/spectrum.csv", delimiter=",", skiprows=1, unpack=True)
model = GaussianModel(prefix="a_") + GaussianModel(prefix="b_") + LinearModel()
parameters = model.make_params(a_amplitude=10, a_center=4, a_sigma=0.6, b_amplitude=10, b_center=6, slope=0, intercept=1)
parameters["a_center"].set(min=3, max=5)
parameters["b_sigma"].set(expr="2 * a_sigma")
result = model.fit(y, parameters, x=x)
names = [f"{peak}_{name}" for peak in "ab" for name in ("amplitude", "center", "sigma")] + ["slope", "intercept"]
found = {name: {"value": result.params[name].value, "stderr": result.params[name].stderr} for name in names}
with open("outputs/fit.json", "w") as file:
    json.dump(found, file, indent=1)
PY
