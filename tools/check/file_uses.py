"""How a program uses the value of an option as a file, as far as the text of its script shows it."""

import re
from typing import Literal

from ml_agent.tools.signatures.model import Option
from ml_agent.tools.signatures.sources import Sources

FileUse = Literal["opened", "loaded", "written", "joined", ""]
"""opened: as nothing but a file or folder. loaded: by a function that may take a name as well. written: it is made.
joined: behind a folder, so that it is no path by itself."""
_OPENS = r"\b(?:open|imread|listdir|scandir|loadtxt|genfromtxt|read_(?:csv|table|json|excel|parquet|pickle|feather|hdf|text|image))\(\s*"
_LOADS = r"\b(?:load|read)\w*\(\s*"
_WRITES = r"\b(?:to_\w+|save\w*|imwrite|imsave|write_\w+|mkdir|makedirs)\([^()\n]{0,80}?"
_JOINS = r"\b(?:join|joinpath|Path)\((?:[^()\n]|\([^()\n]*\)){1,80}?,\s*|(?<=[\w)\"'])\s/\s|(?:/|\})\{"
_MODE = r"\s*,\s*(?:mode\s*=\s*)?[\"'][rb+]*[wax]"


def use_of(option: Option, script: str, sources: Sources) -> FileUse:
    """What the script and the file that declares an option show: `open(args.csv)`, `np.load(points)`, `df.to_csv(args.table)`.

    Args:
        option: whose value it is.
        script: the file that is run.
        sources: the repository's.
    """
    paths = dict.fromkeys((script, option.path))
    text = "\n".join(sources.text(path) or "" for path in paths if option.dest in sources.words(path))
    value = rf"(?:[\w.]+\.)?\b{re.escape(option.dest)}\b(?![\w.(=\[])"
    uses: dict[FileUse, str] = {
        "written": rf"{_WRITES}{value}|\bopen\(\s*{value}{_MODE}|\bPath\({value}\)\.(?:open\([\"'][wax]|write_|mkdir)",
        "opened": rf"{_OPENS}{value}|\bPath\({value}\)\.(?:open|read_|iterdir|r?glob)",
        "loaded": rf"{_LOADS}{value}",
        "joined": rf"(?:{_JOINS}){value}",
    }
    return next((use for use, pattern in uses.items() if re.search(pattern, text)), "")
