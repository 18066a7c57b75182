"""How a sentence is read: words, numbers in digits and in words, paths, and the words around a place that say what it is for."""
