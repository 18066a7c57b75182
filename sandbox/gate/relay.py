"""Runs inside a sandbox that has no network: passes a local port on to the socket of the proxy, then runs a command.

Started as `python -I -S relay.py SOCKET PORT PROGRAM ARGUMENT…`; standard library only.
"""

import os
import select
import socket
import sys
import threading

CHUNK = 64 * 1024
IDLE_SECONDS = 300.0


def pump(one: socket.socket, other: socket.socket) -> None:
    """Pass bytes both ways until neither side has more to say, one is lost, or both are silent for minutes; then close both."""
    partner = {one: other, other: one}
    with one, other:
        reading = [one, other]
        while reading:
            ready = select.select(reading, [], [], IDLE_SECONDS)[0]
            if not ready:
                return
            for side in ready:
                try:
                    data = side.recv(CHUNK)
                    if data:
                        partner[side].sendall(data)
                        continue
                    partner[side].shutdown(socket.SHUT_WR)
                except OSError:
                    return
                reading.remove(side)


def serve(listening: socket.socket, place: str) -> None:
    """Pass every connection on."""
    while True:
        inner, _ = listening.accept()
        outer = socket.socket(socket.AF_UNIX)
        try:
            outer.connect(place)
        except OSError:
            inner.close()
            continue
        threading.Thread(target=pump, args=(inner, outer), daemon=True).start()


def main() -> None:
    place, port, command = sys.argv[1], int(sys.argv[2]), sys.argv[3:]
    listening = socket.socket()  # every Python that a repository may need can do this
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    listening.bind(("127.0.0.1", port))
    listening.listen(64)
    if os.fork() == 0:
        null = os.open(os.devnull, os.O_RDWR)
        for stream in (0, 1, 2):
            os.dup2(null, stream)
        serve(listening, place)
    listening.close()
    os.execv(command[0], command)


if __name__ == "__main__":
    main()
