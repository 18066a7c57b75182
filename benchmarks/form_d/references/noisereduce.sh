uv pip install -q .
python - <<'PY'
import noisereduce
import numpy as np
from scipy.io import wavfile

rate, sound = wavfile.read("inputs/noisy.wav")
sound = sound.astype(float) / 32768
clean = noisereduce.reduce_noise(sound, rate, stationary=True, y_noise=sound[: rate // 2], prop_decrease=0.95, n_fft=512)
wavfile.write("outputs/clean.wav", rate, (clean * 32768).astype(np.int16))
PY
