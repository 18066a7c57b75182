"""Whether bytes are what their name promises, by the formats' own marks, lengths and sums; nothing is decoded or unpickled."""

import ast
import io
import json
import math
import re
import struct
import zipfile
import zlib
from collections.abc import Callable
from typing import Any

from ml_agent.delivery.media_kinds import (
    Whole,
    begins,
    judge_avi,
    judge_bmp,
    judge_flac,
    judge_gif,
    judge_matroska,
    judge_mp3,
    judge_mp4,
    judge_ogg,
    judge_pdf,
    judge_tiff,
    judge_wav,
    judge_webp,
)  # fmt: skip
from ml_agent.delivery.text_kinds import InvalidContent

_JPEG_FRAMES = frozenset(range(0xC0, 0xD0)) - {0xC4, 0xC8, 0xCC}
_PIXELS_IN_BYTE = 8 * 256
"""Of a JPEG, at most: the least is a bit for blocks of 16 x 16."""
MOST_UNPACKED = 512 * 1024**2
MOST_HEAD = 64 * 1024
"""Of an array."""


class TooLarge(Exception):
    """Its head promises more than may be unpacked here; the message says so, in one line."""


def judge_png(data: bytes, whole: Whole) -> str:
    """Every chunk whole, with its sum; a picture of the size that it says; and its end. Raises TooLarge."""
    begins(data, b"\x89PNG\r\n\x1a\n", "PNG")
    place, head, size, name, unpacker = 8, b"", 0, b"", zlib.decompressobj()
    while place + 12 <= len(data) and name != b"IEND":
        (length,) = struct.unpack_from(">I", data, place)
        name, body = data[place + 4 : place + 8], data[place + 8 : place + 8 + length]
        if place + 12 + length > len(data):
            name = b""
            break
        if struct.unpack_from(">I", data, place + 8 + length)[0] != zlib.crc32(name + body):
            raise InvalidContent("is a damaged PNG: a checksum is wrong")
        head = head or body if name == b"IHDR" else head
        size += _unpacked(unpacker, body, MOST_UNPACKED - size) if name == b"IDAT" and whole else 0
        place += 12 + length
    width, height, needed = _png_size(head)
    if whole and needed > MOST_UNPACKED:
        raise TooLarge(f"has the head of a PNG of {width} x {height}, which is too large to be unpacked here")
    if whole and (name != b"IEND" or size < needed):
        raise InvalidContent("is a truncated PNG")
    return f"PNG, {width} x {height}"


def _png_size(head: bytes) -> tuple[int, int, int]:
    """Width, height, and the bytes that its pixels take at least, unpacked; each line begins with one of its own."""
    width, height, depth, colours, _, _, interlaced = map(int, struct.unpack(">IIBBBBB", head))
    bits = depth * {0: 1, 2: 3, 3: 1, 4: 2, 6: 4}[colours]
    return width, height, height * ((width * bits + 7) // 8 + (0 if interlaced else 1))


def _unpacked(unpacker: Any, packed: bytes, most: int) -> int:
    """Bytes that a further part of a zlib stream holds, as far as we look."""
    size = 0
    try:
        while packed and size < most:
            size += len(unpacker.decompress(packed, 1024**2))
            packed = unpacker.unconsumed_tail
    except zlib.error as error:
        raise InvalidContent("is damaged: its content cannot be unpacked") from error
    return size


def judge_jpeg(data: bytes, whole: Whole) -> str:
    """From mark to mark up to the picture, as many bytes as one of its size has at least, and its end."""
    begins(data, b"\xff\xd8\xff", "JPEG")
    size, place = picture_size(data), data.find(b"\xff\xda", 2)
    if whole and (size is None or place < 0):
        raise InvalidContent("is a JPEG without a picture")
    size = size or (0, 0)
    if whole and (b"\xff\xd9" not in data[-64:] or len(data) - place < size[0] * size[1] // _PIXELS_IN_BYTE):
        raise InvalidContent("is a truncated JPEG")
    return f"JPEG, {size[0]} x {size[1]}"


def picture_size(data: bytes) -> tuple[int, int] | None:
    """Width and height of a PNG, JPEG or GIF, as its head tells them."""
    try:
        if data.startswith(b"\x89PNG\r\n\x1a\n") and data[12:16] == b"IHDR":
            width, height = struct.unpack_from(">II", data, 16)
            return width, height
        if data[:6] in (b"GIF87a", b"GIF89a"):
            width, height = struct.unpack_from("<HH", data, 6)
            return width, height
        place = 2 if data[:3] == b"\xff\xd8\xff" else len(data)
        while place + 9 < len(data) and data[place] == 0xFF and data[place + 1] != 0xDA:
            if data[place + 1] in _JPEG_FRAMES:
                height, width = struct.unpack_from(">HH", data, place + 5)
                return width, height
            place += 2 + struct.unpack_from(">H", data, place + 2)[0]
    except struct.error:
        return None
    return None


def judge_zip(data: bytes, whole: Whole) -> str:
    """Its directory, and every file in it with its sum."""
    begins(data, b"PK", "ZIP")
    if not whole:
        return "ZIP"
    names = _zip_names(data)
    return f"ZIP, {len(names)} files"


def judge_npz(data: bytes, whole: Whole) -> str:
    """A ZIP of arrays, each with as many numbers as its head promises."""
    begins(data, b"PK", "NPZ")
    if not whole:
        return "NPZ"
    names = [name for name in _zip_names(data) if name.endswith(".npy")]
    if not names:
        raise InvalidContent("is an NPZ without an array")
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        for name in names:
            with archive.open(name) as member:
                array_head(member.read(MOST_HEAD), archive.getinfo(name).file_size, "NPZ")
    return f"NPZ, {len(names)} arrays"


def judge_npy(data: bytes, whole: Whole) -> str:
    """Its head, and as many numbers as that promises."""
    array_head(data[:MOST_HEAD], len(data) if whole else None, "NPY")
    return "NPY"


def array_head(data: bytes, size: int | None, name: str) -> tuple[dict[str, Any], int]:
    """What the head of an array says and where its numbers begin; `size` is the file's, None where it is not known.

    Raises InvalidContent where there are not as many numbers as it promises.
    """
    begins(data, b"\x93NUMPY", name)
    wide = data[6:7] > b"\x01"
    begun = 12 if wide else 10
    (length,) = struct.unpack_from("<I" if wide else "<H", data, 8)
    head = data[begun:][:length]
    if len(head) < length or length > MOST_HEAD:
        raise InvalidContent(f"is a truncated {name}")
    try:
        told = ast.literal_eval(head.decode("latin-1").strip())
    except SyntaxError as error:
        raise InvalidContent(f"is a damaged {name}") from error
    numbers = math.prod(told["shape"])
    if numbers < 1 or any(one < 0 for one in told["shape"]):
        raise InvalidContent(f"is an {name} without numbers")
    if size is not None and size < begun + length + numbers * max(_item_size(told["descr"]), 1):
        raise InvalidContent(f"is an {name} shorter than its header says")
    return told, begun + length


def _item_size(kind: object) -> int:
    """Bytes of one element of an array; 0 where they are Python's objects, whatever those take."""
    if isinstance(kind, list):
        fields = [(field[1], field[2] if len(field) > 2 else ()) for field in kind]
        return sum(
            _item_size(one) * math.prod(shape if isinstance(shape, tuple) else (shape,)) for one, shape in fields
        )
    word = re.fullmatch(r"[<>|=]?([a-zA-Z?])(\d*)(?:\[\w+\])?", str(kind))
    if word is None:
        raise InvalidContent("holds an array of an unknown kind")
    if word[1] == "O":
        return 0
    return int(word[2] or 1) * (4 if word[1] == "U" else 1)


def judge_torch(data: bytes, whole: Whole) -> str:
    """A ZIP with a pickle in it, as torch writes them today, or an old one."""
    if data[:2] == b"PK":
        if whole:
            _judge_tensors(data)
        return "torch checkpoint"
    return f"torch checkpoint ({judge_pickle(data, whole)})"


def _judge_tensors(data: bytes) -> None:
    name = next((name for name in _zip_names(data) if name.endswith("data.pkl")), None)
    if name is None:
        raise InvalidContent("is a ZIP without torch's data.pkl")
    with zipfile.ZipFile(io.BytesIO(data)) as archive, archive.open(name) as member:
        judge_pickle(member.read(MOST_HEAD), False)


def judge_pickle(data: bytes, whole: Whole) -> str:
    """Protocol 2 or later, a value, and its stop; it is never loaded."""
    if data[:1] != b"\x80" or not 2 <= data[1] <= 5:
        raise InvalidContent("is not a pickle")
    if whole and b"." not in data[2:]:
        raise InvalidContent("is a truncated pickle")
    begun = 11 if data[2:3] == b"\x95" else 2  # a frame
    if whole and begun == 11 and struct.unpack_from("<Q", data, 3)[0] > len(data) - begun:
        raise InvalidContent("is a truncated pickle")
    if data[begun : begun + 1] in (b".", b""):
        raise InvalidContent("is a pickle without a value")
    return "pickle"


def judge_safetensors(data: bytes, whole: Whole) -> str:
    """Its head, and as many bytes as that promises."""
    if len(data) < 8:
        raise InvalidContent("is not a safetensors file")
    (length,) = struct.unpack_from("<Q", data)
    try:
        head = json.loads(data[8 : 8 + length]) if length < 100_000_000 else None
    except ValueError:
        head = None
    if not isinstance(head, dict):
        raise InvalidContent("is not a safetensors file")
    tensors = [entry for name, entry in head.items() if name != "__metadata__" and isinstance(entry, dict)]
    if not tensors:
        raise InvalidContent("is a safetensors file without a tensor")
    for tensor in tensors:
        begins, end = tensor["data_offsets"]
        bits = int(re.sub(r"\D+(\d+).*|\D+", r"\1", str(tensor["dtype"])) or 8)  # F32, BF16, F8_E4M3, BOOL
        if end - begins != (math.prod(tensor["shape"]) * bits + 7) // 8:
            raise InvalidContent("is a safetensors file shorter than its header says")
    ends = [tensor["data_offsets"][1] for tensor in tensors]
    if whole and 8 + length + max(ends) > len(data):
        raise InvalidContent("is a truncated safetensors file")
    return f"{len(ends)} tensors"


def judge_parquet(data: bytes, whole: Whole) -> str:
    """Its mark at both ends, and a table of contents as long as it says."""
    begins(data, b"PAR1", "Parquet file")
    if whole and (not data.endswith(b"PAR1") or not 0 < struct.unpack_from("<I", data[-8:])[0] <= len(data) - 12):
        raise InvalidContent("is a truncated Parquet file")
    begun = len(data) - 8 - struct.unpack_from("<I", data[-8:])[0] if whole else 0
    if whole and not re.match(rb"\x15[\2\4]\x19[^\0]", data[begun:][:4]):  # its version, then a list of columns
        raise InvalidContent("is a Parquet file without a table of contents")
    return "Parquet"


def judge_gzip(data: bytes, whole: Whole) -> str:
    """Unpacked to its end, as far as that stays small."""
    begins(data, b"\x1f\x8b", "gzip file")
    unpacker, size = zlib.decompressobj(31), 0
    try:
        piece = data
        while piece and size < MOST_UNPACKED:
            size += len(unpacker.decompress(piece, 1024**2))
            piece = unpacker.unconsumed_tail
    except zlib.error as error:
        raise InvalidContent("is a damaged gzip file") from error
    if whole and size < MOST_UNPACKED and not unpacker.eof:
        raise InvalidContent("is a truncated gzip file")
    if size == 0:
        raise InvalidContent("is an empty gzip file")
    return "gzip"


def _zip_names(data: bytes) -> list[str]:
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            members = archive.infolist()
            if sum(member.file_size for member in members) < MOST_UNPACKED:
                for member in members:
                    _judge_member(archive, member)
    except (zipfile.BadZipFile, zlib.error, NotImplementedError, RuntimeError, OSError, ValueError) as error:
        raise InvalidContent(f"is a truncated ZIP: {error}") from error
    if not members:
        raise InvalidContent("is an empty ZIP")
    return [member.filename for member in members]


def _judge_member(archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> None:
    """Unpack a file to its end, where its sum is compared, too. Raises InvalidContent, and what the library says of a damaged one."""
    size = 0
    with archive.open(member) as content:
        while part := content.read(1024**2):
            size += len(part)
    if size != member.file_size:
        raise InvalidContent(f"is a damaged ZIP: {member.filename} is shorter than its header says")


def judge_hdf5(data: bytes, whole: Whole) -> str:
    """Its mark, and as many bytes as it says."""
    mark = b"\x89HDF\r\n\x1a\n"
    begins(data, mark, "HDF5")
    place = {0: 40, 1: 44, 2: 28, 3: 28}[data[8]]  # of the address where it ends, by the version of its head
    end, root = (struct.unpack_from("<Q", data, where)[0] for where in (place, place + (8 if data[8] > 1 else 24)))
    if whole and end > len(data):
        raise InvalidContent("is a truncated HDF5")
    if whole and not (place < root < end and data[root : root + 4][: 4 if data[8] > 1 else 1] in (b"OHDR", b"\1")):
        raise InvalidContent("is an HDF5 without a group")
    return "HDF5"


BINARY_KINDS: dict[str, Callable[[bytes, Whole], str]] = {
    "png": judge_png,
    "jpeg": judge_jpeg,
    "gif": judge_gif,
    "bmp": judge_bmp,
    "tiff": judge_tiff,
    "webp": judge_webp,
    "wav": judge_wav,
    "avi": judge_avi,
    "mp3": judge_mp3,
    "mp4": judge_mp4,
    "pdf": judge_pdf,
    "zip": judge_zip,
    "npz": judge_npz,
    "npy": judge_npy,
    "torch": judge_torch,
    "pickle": judge_pickle,
    "safetensors": judge_safetensors,
    "parquet": judge_parquet,
    "gzip": judge_gzip,
    "flac": judge_flac,
    "ogg": judge_ogg,
    "matroska": judge_matroska,
    "hdf5": judge_hdf5,
}
"""Each says what it saw, or raises InvalidContent."""
