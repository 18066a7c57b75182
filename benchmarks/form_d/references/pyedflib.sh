uv pip install -q .
cd outputs  # the source folder has no compiled parts
python - <<'PY'
import csv
from datetime import datetime

import numpy as np
import pyedflib

signals = np.loadtxt("../inputs/eeg.csv", delimiter=",", skiprows=1)[:, 1:].T
limits = {"physical_min": -250, "physical_max": 250, "digital_min": -32768, "digital_max": 32767}
headers = [{"label": name, "dimension": "uV", "sample_frequency": 128, **limits} for name in ("Fp1", "Fp2", "O1")]
writer = pyedflib.EdfWriter("night.edf", 3, file_type=pyedflib.FILETYPE_EDFPLUS)
writer.setPatientCode("X17")
writer.setStartdatetime(datetime(2021, 3, 4, 5, 6, 7))
writer.setSignalHeaders(headers)
writer.writeSamples([np.ascontiguousarray(one) for one in signals])
for row in csv.DictReader(open("../inputs/events.csv")):
    writer.writeAnnotation(float(row["onset"]), float(row["duration"]), row["text"])
writer.close()
PY
