from setuptools import find_packages, setup

setup(
    name="revenue-forecast",
    version="0.2.0",
    long_description=open("README.rst").read(),
    packages=find_packages(),
    install_requires=["tabulate"],
)
