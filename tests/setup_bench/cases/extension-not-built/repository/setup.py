from setuptools import Extension, setup

setup(name="boxes", ext_modules=[Extension("overlap", ["src/overlap.c"])], py_modules=[])
