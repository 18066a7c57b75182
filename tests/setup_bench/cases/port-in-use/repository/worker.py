import argparse
import json
import socket
import time

parser = argparse.ArgumentParser()
parser.add_argument("--job", type=int, required=True)
parser.add_argument("--hold", type=float, default=0.0)
parser.add_argument("--master_port", type=int, default=29517)
args = parser.parse_args()

server = socket.socket()
try:
    server.bind(("127.0.0.1", args.master_port))
except OSError as error:
    raise RuntimeError(f"The server socket has failed to bind to 127.0.0.1:{args.master_port} ({error})") from error
server.listen()
time.sleep(args.hold)
with open(f"job{args.job}.json", "w") as file:
    json.dump({"port": server.getsockname()[1]}, file)
