uv pip install -q .
mkdir steps  # beside the repository's folder pycrfsuite/, which has no compiled part
cat > steps/features.py <<'PY'
def features(tokens):
    found = []
    for k, token in enumerate(tokens):
        before = tokens[k - 1] if k else "<s>"
        after = tokens[k + 1] if k + 1 < len(tokens) else "</s>"
        found.append(["word=" + token, "before=" + before, "after=" + after, "upper=" + str(token[0].isupper())])
    return found
PY
cat > steps/train.py <<'PY'
import pycrfsuite
from features import features

trainer = pycrfsuite.Trainer(verbose=False)
for sentence in open("inputs/train.conll").read().strip().split("\n\n"):
    tokens, tags = zip(*(line.split("\t") for line in sentence.splitlines()))
    trainer.append(features(tokens), tags)
trainer.set_params({"c1": 0.1, "c2": 0.01, "max_iterations": 60})
trainer.train("outputs/names.crfsuite")
PY
cat > steps/tag.py <<'PY'
import pycrfsuite
from features import features

tagger = pycrfsuite.Tagger()
tagger.open("outputs/names.crfsuite")
with open("outputs/test.conll", "w") as target:
    for line in open("inputs/test.txt"):
        tokens = line.split()
        pairs = zip(tokens, tagger.tag(features(tokens)))
        target.write("\n".join("\t".join(pair) for pair in pairs) + "\n\n")
PY
python steps/train.py
python steps/tag.py
