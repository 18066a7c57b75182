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

from ml_agent.delivery.text_kinds import InvalidContent

Whole = bool
"""Whether all of the file is there; of a large one only the beginning is."""
_JPEG_FRAMES = frozenset(range(0xC0, 0xD0)) - {0xC4, 0xC8, 0xCC}
MOST_UNPACKED = 512 * 1024**2
MOST_HEAD = 64 * 1024
"""Of an array."""


def judge_png(data: bytes, whole: Whole) -> str:
    """Every chunk whole, with its sum; a head, a picture and an end among them."""
    _begins(data, b"\x89PNG\r\n\x1a\n", "PNG")
    place, names = 8, set[bytes]()
    while place + 12 <= len(data):
        (length,) = struct.unpack_from(">I", data, place)
        name, body = data[place + 4 : place + 8], data[place + 8 : place + 8 + length]
        if place + 12 + length > len(data):
            break
        if struct.unpack_from(">I", data, place + 8 + length)[0] != zlib.crc32(name + body):
            raise InvalidContent("is a damaged PNG: a checksum is wrong")
        names.add(name)
        place += 12 + length
        if name == b"IEND":
            break
    if whole and not {b"IHDR", b"IDAT", b"IEND"} <= names:
        raise InvalidContent("is a truncated PNG")
    width, height = picture_size(data) or (0, 0)
    return f"PNG, {width} x {height}"


def judge_jpeg(data: bytes, whole: Whole) -> str:
    """From mark to mark up to the picture, and its end."""
    _begins(data, b"\xff\xd8\xff", "JPEG")
    size = picture_size(data)
    if size is None:
        raise InvalidContent("is a JPEG without a picture")
    if whole and b"\xff\xd9" not in data[-64:]:
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


def _riff(form: bytes, name: str, inside: bytes) -> Callable[[bytes, Whole], str]:
    def judge(data: bytes, whole: Whole) -> str:
        if data[:4] not in (b"RIFF", b"RF64") or data[8:12] != form:
            raise InvalidContent(f"is not a valid {name}")
        place = data.find(inside, 12)
        if place < 0 or len(data) < place + 8:
            raise InvalidContent(f"is an empty {name}")
        (length,) = struct.unpack_from("<I", data, place + 4)
        if length == 0:
            raise InvalidContent(f"is an empty {name}")
        if whole and data[:4] == b"RIFF" and length not in (0xFFFFFFFF, 0x7FFFFFFF) and place + 8 + length > len(data):
            raise InvalidContent(f"is a truncated {name}")
        return name

    return judge


_RIFF_WAVE = _riff(b"WAVE", "WAV", b"data")


def judge_wav(data: bytes, whole: Whole) -> str:
    """As every RIFF file, and what its head says of the sound."""
    said, place = _RIFF_WAVE(data, whole), data.find(b"fmt ", 12, 4096)
    if place < 0:
        return said
    channels, rate, second, _, bits = struct.unpack_from("<HIIHH", data, place + 10)
    (length,) = struct.unpack_from("<I", data, data.find(b"data", 12) + 4)
    lasts = f", {length / second:.2f} s" if second and length < 0x7FFFFFFF else ""
    return f"{said}, {rate} Hz, {channels} channel{'s' if channels != 1 else ''}, {bits} bits{lasts}"


def judge_mp3(data: bytes, _whole: Whole) -> str:
    """A tag or a frame at its beginning, and a frame somewhere."""
    start = 0
    if data[:3] == b"ID3" and len(data) > 10:
        start = 10 + sum((byte & 0x7F) << shift for byte, shift in zip(data[6:10], (21, 14, 7, 0), strict=True))
    place = data.find(b"\xff", start)
    while 0 <= place < len(data) - 1 and place < start + 4096:
        if data[place + 1] & 0xE0 == 0xE0 and data[place + 1] & 0x06:
            return "MP3"
        place = data.find(b"\xff", place + 1)
    raise InvalidContent("is not an MP3: no frame was found")


def judge_mp4(data: bytes, whole: Whole) -> str:
    """Its boxes, each whole, with a head and a table of contents."""
    if data[4:8] != b"ftyp":
        raise InvalidContent("is not a valid MP4")
    place, names = 0, set()
    while place + 8 <= len(data):
        length, name = struct.unpack_from(">I4s", data, place)
        if length == 1 and place + 16 <= len(data):
            (length,) = struct.unpack_from(">Q", data, place + 8)
        length = length or len(data) - place
        if length < 8 or (place + length > len(data) and whole):
            raise InvalidContent("is a truncated MP4")
        names.add(name)
        place += length
    if whole and not names & {b"moov", b"moof"}:
        raise InvalidContent("is an MP4 without a table of contents")
    return "MP4"


def judge_zip(data: bytes, whole: Whole) -> str:
    """Its directory, and every file in it with its sum."""
    _begins(data, b"PK", "ZIP")
    if not whole:
        return "ZIP"
    names = _zip_names(data)
    return f"ZIP, {len(names)} files"


def judge_npz(data: bytes, whole: Whole) -> str:
    """A ZIP of arrays, each with as many numbers as its head promises."""
    _begins(data, b"PK", "NPZ")
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
    _begins(data, b"\x93NUMPY", name)
    wide = data[6:7] > b"\x01"
    begins = 12 if wide else 10
    (length,) = struct.unpack_from("<I" if wide else "<H", data, 8)
    head = data[begins:][:length]
    if len(head) < length or length > MOST_HEAD:
        raise InvalidContent(f"is a truncated {name}")
    try:
        told = ast.literal_eval(head.decode("latin-1").strip())
    except SyntaxError as error:
        raise InvalidContent(f"is a damaged {name}") from error
    numbers = math.prod(told["shape"])
    if numbers < 1 or any(one < 0 for one in told["shape"]):
        raise InvalidContent(f"is an {name} without numbers")
    if size is not None and size < begins + length + numbers * max(_item_size(told["descr"]), 1):
        raise InvalidContent(f"is an {name} shorter than its header says")
    return told, begins + length


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
        if whole and not any(name.endswith("data.pkl") for name in _zip_names(data)):
            raise InvalidContent("is a ZIP without torch's data.pkl")
        return "torch checkpoint"
    return f"torch checkpoint ({judge_pickle(data, whole)})"


def judge_pickle(data: bytes, whole: Whole) -> str:
    """Protocol 2 or later, and its stop; it is never loaded."""
    if data[:1] != b"\x80" or not 2 <= data[1] <= 5:
        raise InvalidContent("is not a pickle")
    if whole and b"." not in data[2:]:
        raise InvalidContent("is a truncated pickle")
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
    _begins(data, b"PAR1", "Parquet file")
    if whole and (not data.endswith(b"PAR1") or not 0 < struct.unpack_from("<I", data[-8:])[0] <= len(data) - 12):
        raise InvalidContent("is a truncated Parquet file")
    return "Parquet"


def judge_gzip(data: bytes, whole: Whole) -> str:
    """Unpacked to its end, as far as that stays small."""
    _begins(data, b"\x1f\x8b", "gzip file")
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


def _marked(name: str, *marks: bytes, end: bytes = b"") -> Callable[[bytes, Whole], str]:
    """Kinds that are known by their first bytes, and by what stands near their end."""

    def judge(data: bytes, whole: Whole) -> str:
        mark = next((one for one in marks if data.startswith(one)), None)
        if mark is None:
            raise InvalidContent(f"is not a valid {name}")
        if len(data) <= len(mark) + 3 or (whole and end not in data[-2048:]):
            raise InvalidContent(f"is a truncated {name}")
        return name

    return judge


_MARKED_PDF = _marked("PDF", b"%PDF-", end=b"%%EOF")
_PAGE = re.compile(rb"/Type\s?/Page(?![A-Za-z])")


def judge_pdf(data: bytes, whole: Whole) -> str:
    """Its mark and its end, and how many pages it has, where that is not compressed."""
    said, pages = _MARKED_PDF(data, whole), len(_PAGE.findall(data)) if whole else 0
    return f"{said}, {pages} page{'s' if pages != 1 else ''}" if pages else said


def _begins(data: bytes, mark: bytes, name: str) -> None:
    if not data.startswith(mark):
        raise InvalidContent(f"is not a valid {name}")


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
    _begins(data, mark, "HDF5")
    place = {0: 40, 1: 44, 2: 28, 3: 28}[data[8]]  # of the address where it ends, by the version of its head
    if whole and struct.unpack_from("<Q", data, place)[0] > len(data):
        raise InvalidContent("is a truncated HDF5")
    return "HDF5"


BINARY_KINDS: dict[str, Callable[[bytes, Whole], str]] = {
    "png": judge_png,
    "jpeg": judge_jpeg,
    "gif": _marked("GIF", b"GIF87a", b"GIF89a", end=b";"),
    "bmp": _marked("BMP", b"BM"),
    "tiff": _marked("TIFF", b"II*\0", b"MM\0*", b"II+\0", b"MM\0+"),
    "webp": _riff(b"WEBP", "WebP", b"VP8"),
    "wav": judge_wav,
    "avi": _riff(b"AVI ", "AVI", b"LIST"),
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
    "flac": _marked("FLAC", b"fLaC"),
    "ogg": _marked("Ogg", b"OggS"),
    "matroska": _marked("Matroska", b"\x1aE\xdf\xa3"),
    "hdf5": judge_hdf5,
}
"""Each says what it saw, or raises InvalidContent."""
