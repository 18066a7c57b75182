uv pip install -q .
cat > build.py <<'PY'
import markovify

tales, logs = (markovify.NewlineText(open(f"inputs/{name}.txt").read(), state_size=2) for name in ("tales", "logs"))
with open("outputs/model.json", "w") as file:
    file.write(markovify.combine([tales, logs], [1, 1.5]).to_json())
PY
cat > generate.py <<'PY'
import random

import markovify

random.seed(1)
model = markovify.NewlineText.from_json(open("outputs/model.json").read())
found = []
while len(found) < 20:
    sentence = model.make_short_sentence(75, tries=100)
    if sentence and sentence not in found:
        found.append(sentence)
with open("outputs/sentences.txt", "w") as file:
    file.write("\n".join(found) + "\n")
PY
python build.py
python generate.py
