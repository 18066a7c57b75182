from setuptools import setup

import signals

setup(name="signals-toolkit", version=signals.__version__, packages=["signals"], install_requires=["tabulate"])
