"""Downloads files and checks them; runs where the package index can be reached, standard library only, Python 3.7 and newer.

python fetch_files.py FOLDER FILES     JSON: a list of [ADDRESS, SHA256 or "", NAME]
"""

import hashlib
import json
import os
import sys
import urllib.request

MOST = 512 * 1024 * 1024  # bytes of one file


def main():
    folder, files = sys.argv[1], json.loads(sys.argv[2])
    os.makedirs(folder, exist_ok=True)
    for address, wanted, name in files:
        target = os.path.join(folder, os.path.basename(name))
        digest, size = hashlib.sha256(), 0
        with urllib.request.urlopen(address, timeout=60) as answer, open(target + ".part", "wb") as file:
            while True:
                data = answer.read(1 << 20)
                if not data:
                    break
                size += len(data)
                if size > MOST:
                    sys.exit("%s is larger than %d bytes" % (name, MOST))
                digest.update(data)
                file.write(data)
        if wanted and digest.hexdigest() != wanted:
            sys.exit("%s is not what the index says: another SHA-256" % name)
        os.replace(target + ".part", target)


if __name__ == "__main__":
    main()
