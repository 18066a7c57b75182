from pip.req import parse_requirements
from setuptools import setup

setup(
    name="signals-toolkit",
    version="1.4.0",
    packages=["signals"],
    entry_points={"console_scripts": ["signals-show = signals:main"]},
    install_requires=[str(one.req) for one in parse_requirements("requirements.txt", session=False)],
)
