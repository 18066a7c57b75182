import cPickle
import json
import random

strokes = [(random.random(), random.random()) for _ in xrange(20)]
print "strokes", len(strokes)
cPickle.dump(strokes, open("strokes.pkl", "wb"))
with open("result.json", "w") as file:
    json.dump({"strokes": len(strokes)}, file)
