uv pip install -q . pillow
python - <<'PY'
import numpy as np
import seam_carving
from PIL import Image

picture = np.asarray(Image.open("inputs/harbour.png").convert("RGB"))
height, width, _ = picture.shape
narrow = seam_carving.resize(picture, (width - 60, height), energy_mode="forward", order="width-first")
Image.fromarray(narrow).save("outputs/narrow.png")
PY
