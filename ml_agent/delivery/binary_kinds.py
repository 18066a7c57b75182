"""Whether bytes are what their name promises, by the formats' own marks, lengths and sums; nothing is decoded or unpickled."""

import io
import json
import struct
import zipfile
import zlib
from collections.abc import Callable

from ml_agent.delivery.text_kinds import InvalidContent

Whole = bool
"""Whether all of the file is there; of a large one only the beginning is."""
_JPEG_FRAMES = frozenset(range(0xC0, 0xD0)) - {0xC4, 0xC8, 0xCC}
MOST_UNPACKED = 512 * 1024**2


def judge_png(data: bytes, whole: Whole) -> str:
    """Every chunk whole, with its sum; a picture in it; and its end."""
    _begins(data, b"\x89PNG\r\n\x1a\n", "PNG")
    place, names, size = 8, [], (0, 0)
    while place + 12 <= len(data):
        (length,) = struct.unpack_from(">I", data, place)
        name, body = data[place + 4 : place + 8], data[place + 8 : place + 8 + length]
        if place + 12 + length > len(data):
            break
        if struct.unpack_from(">I", data, place + 8 + length)[0] != zlib.crc32(name + body):
            raise InvalidContent("is a damaged PNG: a sum is wrong")
        if name == b"IHDR":
            size = struct.unpack_from(">II", body)
        names.append(name)
        place += 12 + length
        if name == b"IEND":
            break
    if whole and (b"IEND" not in names or b"IDAT" not in names):
        raise InvalidContent("is a PNG that breaks off")
    return f"PNG, {size[0]} x {size[1]}"


def judge_jpeg(data: bytes, whole: Whole) -> str:
    """From mark to mark up to the picture, and its end."""
    _begins(data, b"\xff\xd8\xff", "JPEG")
    place, size = 2, None
    while place + 9 < len(data) and data[place] == 0xFF and data[place + 1] != 0xDA:
        if data[place + 1] in _JPEG_FRAMES:
            height, width = struct.unpack_from(">HH", data, place + 5)
            size = f"{width} x {height}"
        place += 2 + struct.unpack_from(">H", data, place + 2)[0]
    if size is None:
        raise InvalidContent("is a JPEG without a picture")
    if whole and b"\xff\xd9" not in data[-64:]:
        raise InvalidContent("is a JPEG that breaks off")
    return f"JPEG, {size}"


def judge_gif(data: bytes, whole: Whole) -> str:
    """Its head, a picture, and its end."""
    if data[:6] not in (b"GIF87a", b"GIF89a"):
        raise InvalidContent("is no GIF")
    if whole and (not data.rstrip(b"\0").endswith(b";") or b"," not in data[13:]):
        raise InvalidContent("is a GIF that breaks off")
    return f"GIF, {data[6] + 256 * data[7]} x {data[8] + 256 * data[9]}"


def judge_bmp(data: bytes, whole: Whole) -> str:
    """Its head, and as many bytes as that says."""
    _begins(data, b"BM", "BMP")
    if whole and (len(data) < 26 or struct.unpack_from("<I", data, 2)[0] > len(data)):
        raise InvalidContent("is a BMP that breaks off")
    return "BMP"


def judge_tiff(data: bytes, whole: Whole) -> str:
    """Its head and the place of its first directory."""
    if data[:4] not in (b"II*\0", b"MM\0*", b"II+\0", b"MM\0+"):
        raise InvalidContent("is no TIFF")
    if b"*" in data[2:4] and whole:
        (place,) = struct.unpack_from("<I" if data[:2] == b"II" else ">I", data, 4)
        if not 8 <= place < len(data):
            raise InvalidContent("is a TIFF that breaks off")
    return "TIFF"


def _riff(form: bytes, name: str, inside: bytes) -> Callable[[bytes, Whole], str]:
    def judge(data: bytes, whole: Whole) -> str:
        if data[:4] not in (b"RIFF", b"RF64") or data[8:12] != form:
            raise InvalidContent(f"is no {name}")
        place = data.find(inside, 12)
        if place < 0 or len(data) < place + 8:
            raise InvalidContent(f"is a {name} with nothing in it")
        (length,) = struct.unpack_from("<I", data, place + 4)
        if length == 0:
            raise InvalidContent(f"is a {name} with nothing in it")
        if whole and data[:4] == b"RIFF" and length not in (0xFFFFFFFF, 0x7FFFFFFF) and place + 8 + length > len(data):
            raise InvalidContent(f"is a {name} that breaks off")
        return name

    return judge


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
    raise InvalidContent("is no MP3: no frame begins")


def judge_mp4(data: bytes, whole: Whole) -> str:
    """Its boxes, each whole, with a head and a table of contents."""
    if data[4:8] != b"ftyp":
        raise InvalidContent("is no MP4")
    place, names = 0, set()
    while place + 8 <= len(data):
        length, name = struct.unpack_from(">I4s", data, place)
        if length == 1 and place + 16 <= len(data):
            (length,) = struct.unpack_from(">Q", data, place + 8)
        length = length or len(data) - place
        if length < 8 or (place + length > len(data) and whole):
            raise InvalidContent("is an MP4 that breaks off")
        names.add(name)
        place += length
    if whole and not names & {b"moov", b"moof"}:
        raise InvalidContent("is an MP4 without a table of contents")
    return "MP4"


def judge_pdf(data: bytes, whole: Whole) -> str:
    """Its first line and its last."""
    _begins(data, b"%PDF-", "PDF")
    if whole and b"%%EOF" not in data[-2048:]:
        raise InvalidContent("is a PDF that breaks off")
    return "PDF"


def judge_zip(data: bytes, whole: Whole) -> str:
    """Its directory, and every file in it with its sum."""
    _begins(data, b"PK", "ZIP")
    if not whole:
        return "ZIP"
    names = _zip_names(data)
    return f"ZIP, {len(names)} files"


def judge_npz(data: bytes, whole: Whole) -> str:
    """A ZIP of arrays."""
    _begins(data, b"PK", "NPZ")
    if whole and not any(name.endswith(".npy") for name in _zip_names(data)):
        raise InvalidContent("is an NPZ without an array")
    return "NPZ"


def judge_npy(data: bytes, whole: Whole) -> str:
    """Its head, and some numbers."""
    _begins(data, b"\x93NUMPY", "NPY")
    wide = data[6:7] > b"\x01"
    (length,) = struct.unpack_from("<I" if wide else "<H", data, 8)
    head = data[(12 if wide else 10) :][:length]
    if len(head) < length or b"'shape'" not in head:
        raise InvalidContent("is an NPY that breaks off")
    if whole and len(data) <= (12 if wide else 10) + length:
        raise InvalidContent("is an NPY without numbers")
    return "NPY"


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
        raise InvalidContent("is no pickle")
    if whole and b"." not in data[2:]:
        raise InvalidContent("is a pickle that breaks off")
    return "pickle"


def judge_safetensors(data: bytes, whole: Whole) -> str:
    """Its head, and as many bytes as that promises."""
    if len(data) < 8:
        raise InvalidContent("is no safetensors file")
    (length,) = struct.unpack_from("<Q", data)
    try:
        head = json.loads(data[8 : 8 + length]) if length < 100_000_000 else None
    except ValueError:
        head = None
    if not isinstance(head, dict):
        raise InvalidContent("is no safetensors file")
    ends = [
        entry["data_offsets"][1] for name, entry in head.items() if name != "__metadata__" and isinstance(entry, dict)
    ]
    if not ends:
        raise InvalidContent("is a safetensors file without a tensor")
    if whole and 8 + length + max(ends) > len(data):
        raise InvalidContent("is a safetensors file that breaks off")
    return f"{len(ends)} tensors"


def judge_parquet(data: bytes, whole: Whole) -> str:
    """Its mark at both ends."""
    _begins(data, b"PAR1", "Parquet file")
    if whole and (not data.endswith(b"PAR1") or len(data) < 12):
        raise InvalidContent("is a Parquet file that breaks off")
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
        raise InvalidContent("is a gzip file that breaks off")
    if size == 0:
        raise InvalidContent("is a gzip file with nothing in it")
    return "gzip"


def _judge_mark(mark: bytes, name: str) -> Callable[[bytes, Whole], str]:
    def judge(data: bytes, _whole: Whole) -> str:
        _begins(data, mark, name)
        if len(data) <= 2 * len(mark):
            raise InvalidContent(f"is a {name} that breaks off")
        return name

    return judge


def _begins(data: bytes, mark: bytes, name: str) -> None:
    if not data.startswith(mark):
        raise InvalidContent(f"is no {name}")


def _zip_names(data: bytes) -> list[str]:
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            members = archive.infolist()
            if sum(member.file_size for member in members) < MOST_UNPACKED and (bad := archive.testzip()):
                raise InvalidContent(f"is a damaged ZIP: {bad}")
    except (zipfile.BadZipFile, zlib.error, NotImplementedError, RuntimeError, OSError, ValueError) as error:
        raise InvalidContent(f"is a ZIP that breaks off: {error}") from error
    if not members:
        raise InvalidContent("is a ZIP with nothing in it")
    return [member.filename for member in members]


BINARY_KINDS: dict[str, Callable[[bytes, Whole], str]] = {
    "png": judge_png,
    "jpeg": judge_jpeg,
    "gif": judge_gif,
    "bmp": judge_bmp,
    "tiff": judge_tiff,
    "webp": _riff(b"WEBP", "WebP", b"VP8"),
    "wav": _riff(b"WAVE", "WAV", b"data"),
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
    "flac": _judge_mark(b"fLaC", "FLAC"),
    "ogg": _judge_mark(b"OggS", "Ogg"),
    "matroska": _judge_mark(b"\x1aE\xdf\xa3", "Matroska"),
    "hdf5": _judge_mark(b"\x89HDF\r\n\x1a\n", "HDF5"),
}
"""Each says what it saw, or raises InvalidContent."""
