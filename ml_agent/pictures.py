"""Pictures that a run made, small enough to be shown to a model; they are made smaller in the sandbox, never here.

By the environment's Pillow: -I leaves out what the repository or the program put beside it.
"""

import base64
import binascii
import shlex
from collections.abc import Iterator, Sequence
from contextlib import suppress
from itertools import islice
from pathlib import Path

from ml_agent.delivery.binary_kinds import picture_size
from ml_agent.model.thread import Picture
from ml_agent.sandbox.contract import Command, Sandbox
from ml_agent.tools.bounded import read_bytes

TYPES = {".png": "image/png", ".jpg": "image/jpeg", ".jpeg": "image/jpeg", ".gif": "image/gif"}
"""By the end of the name. SVG is left out: it may carry scripts."""
MOST = 2
SIDE = 512
"""Pixels."""
MOST_BYTES = 50_000
"""Of one picture as it is shown."""
SHRINK = f"""
import base64, io, sys
from PIL import Image
picture = Image.open(sys.argv[1])
picture.thumbnail(({SIDE}, {SIDE}))
picture = picture.convert("RGBA")
below, out = Image.new("RGBA", picture.size, "white"), io.BytesIO()
Image.alpha_composite(below, picture).convert("RGB").save(out, "JPEG", quality=70)
print(base64.b64encode(out.getvalue()).decode())
"""


def pictures_of(sandbox: Sandbox, outputs: Sequence[str], folder: Path) -> tuple[Picture, ...]:
    """The first pictures among the files that were brought out into `folder`: made smaller with the Pillow of the environment, or as they are
    where there is none and they are small."""
    paths = (path for path in outputs if Path(path).suffix.lower() in TYPES)
    return tuple(islice(_shown(sandbox, paths, folder), MOST))


def _shown(sandbox: Sandbox, paths: Iterator[str], folder: Path) -> Iterator[Picture]:
    for path in islice(paths, 2 * MOST):
        text = f"python -I -c {shlex.quote(SHRINK)} {shlex.quote(path)}"
        small = _decoded(sandbox.run(Command(text=text, timeout=30)).stdout)
        kind = "image/jpeg"
        if not small:
            with suppress(OSError):  # too large to be shown as it is
                small, kind = read_bytes(folder / path, MOST_BYTES), TYPES[Path(path).suffix.lower()]
        sides = picture_size(small)
        if sides is not None and max(sides) <= 2 * SIDE and len(small) <= MOST_BYTES:
            yield Picture(path=path, address=f"data:{kind};base64,{base64.b64encode(small).decode()}")


def _decoded(said: str) -> bytes:
    try:
        return base64.b64decode(said.strip(), validate=True)
    except (binascii.Error, ValueError):
        return b""
