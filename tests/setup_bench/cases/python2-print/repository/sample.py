import cPickle
import random

strokes = [(random.random(), random.random()) for _ in xrange(20)]
print "strokes", len(strokes)
cPickle.dump(strokes, open("strokes.pkl", "wb"))
