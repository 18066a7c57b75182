import ctypes

gl = ctypes.CDLL("libGL.so.1")
