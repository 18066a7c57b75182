from setuptools import Extension, setup

setup(name="unpack", ext_modules=[Extension("repeat", ["src/repeat.c"])], py_modules=[])
