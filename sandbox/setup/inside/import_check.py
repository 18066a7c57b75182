"""Imports modules as a program would and says which of them fail; runs inside the sandbox, under Python 3.7 and newer.

    python import_check.py FOLDERS MODULES      both JSON; folders are relative; a module is [NAME, [names taken from it]]

Prints a answer `ML-AGENT>{json}` a module that fails: its name, the error's type and words, and the end of its traceback.
"""

import importlib
import json
import os
import sys
import traceback


def main():
    folders, modules = map(json.loads, sys.argv[1:3])
    if folders:
        sys.path[:1] = [os.path.abspath(folder) for folder in folders]
    sys.argv[1:] = []
    for name, taken in modules:
        try:
            check(name, taken)
        except KeyboardInterrupt:
            raise
        except BaseException as error:  # also SystemExit: a module may end the program that imports it
            lines = traceback.format_exc().splitlines()[-40:]
            said = [name, type(error).__name__, str(error)[:500], "\n".join(lines)]
            say(said)


def say(answer):
    """Lines that nobody cuts: each continues the one before where it begins with a plus."""
    text = json.dumps(answer)
    for start in range(0, len(text), 800):
        sys.stdout.write("\nML-AGENT%s%s\n" % ("+" if start else ">", text[start : start + 800]))
    sys.stdout.flush()


def check(name, taken):
    module = importlib.import_module(name)
    for attribute in taken:
        if not hasattr(module, attribute):
            try:
                importlib.import_module(name + "." + attribute)
            except ModuleNotFoundError:
                place = getattr(module, "__file__", None) or "unknown location"
                raise ImportError("cannot import name %r from %r (%s)" % (attribute, name, place)) from None


if __name__ == "__main__":
    main()
