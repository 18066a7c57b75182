"""Runs in a container beside the sandbox, on an engine that cannot mount a socket of this machine: the proxy and its socket.

Started as `python -I -S FOLDER SECONDS PLACE HOST:PORT…` from a folder in which it is `__main__.py`; standard library only.
"""

import shutil
import sys
import time
from pathlib import Path

from ml_agent.sandbox.gate.proxy import IndexProxy


def main() -> None:
    own, seconds, place = Path(sys.argv[0]), float(sys.argv[1]), Path(sys.argv[2])
    named = (word.rpartition(":") for word in sys.argv[3:])
    shutil.copy(own / "ml_agent/sandbox/gate/relay.py", place.parent)
    with IndexProxy(place, frozenset((name, int(port)) for name, _, port in named)).serving():
        (own / "ready").touch()
        time.sleep(seconds)


if __name__ == "__main__":
    main()
