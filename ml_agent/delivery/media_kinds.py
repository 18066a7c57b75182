"""Whether sounds, films and pictures hold what their heads promise: each part is whole, and something is in it. Nothing is decoded."""

import re
import struct
from collections.abc import Iterator

from ml_agent.delivery.text_kinds import InvalidContent

Whole = bool
"""Whether all of the file is there; of a large one only the beginning is."""
_OPEN_END = frozenset({0, 0x7FFFFFFF, 0x7FFFFFFF + 1, 0xFFFFFFFF})
"""Lengths that a program writes which does not know the end yet."""
_PCM = frozenset({1, 3, 0xFFFE})
_INSIDE = frozenset({b"moov", b"trak", b"mdia", b"minf", b"stbl"})
_BITRATES = {
    (True, 3): (32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320),
    (True, 2): (32, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384),
    (False, 3): (8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160),
    (False, 2): (8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160),
}
"""Kilobits a second of MPEG 1 or of 2 and 2.5, by layer."""
_RATES = (44100, 48000, 32000)
_LEAST_FRAME = 9
"""Bytes of FLAC."""


def begins(data: bytes, mark: bytes | tuple[bytes, ...], name: str) -> None:
    """Raise InvalidContent where a file does not begin as its kind does."""
    if not data.startswith(mark):
        raise InvalidContent(f"is not a valid {name}")


def _chunks(data: bytes, place: int, whole: Whole, name: str) -> Iterator[tuple[bytes, int, int]]:
    """The name, place and length of each chunk of a RIFF; that of one with an open end is what is left."""
    while place + 8 <= len(data):
        mark, length = struct.unpack_from("<4sI", data, place)
        left = len(data) - place - 8
        length = left if mark in (b"data", b"movi") and length in _OPEN_END else length
        if length > left and whole:
            raise InvalidContent(f"is a truncated {name}")
        yield mark, place + 8, min(length, left)
        place += 8 + length + length % 2


def judge_wav(data: bytes, whole: Whole) -> str:
    """Its chunks; how long it lasts is told by the samples that are there."""
    if data[:4] not in (b"RIFF", b"RF64") or data[8:12] != b"WAVE":
        raise InvalidContent("is not a valid WAV")
    head: tuple[int, ...] = ()
    for mark, place, length in _chunks(data, 12, whole, "WAV"):
        if mark == b"fmt ":
            head = struct.unpack_from("<HHIIHH", data, place)
        elif mark == b"data" and head:
            form, channels, rate, _, _, bits = head
            block = channels * ((bits + 7) // 8)
            if whole and length < max(block, 1):
                raise InvalidContent("is a WAV without a sample")
            lasts = f", {length / (block * rate):.2f} s" if whole and form in _PCM and block * rate else ""
            return f"WAV, {rate} Hz, {channels} channel{'s' if channels != 1 else ''}, {bits} bits{lasts}"
    if whole:
        raise InvalidContent("is a WAV without a sample")
    return "WAV"


def judge_webp(data: bytes, whole: Whole) -> str:
    """Its chunks, of which one is a picture."""
    if data[:4] != b"RIFF" or data[8:12] != b"WEBP":
        raise InvalidContent("is not a valid WebP")
    if whole and struct.unpack_from("<I", data, 4)[0] > len(data) - 8:
        raise InvalidContent("is a truncated WebP")
    if whole and not any(
        mark in (b"VP8 ", b"VP8L", b"ANMF") and length > 10 for mark, _, length in _chunks(data, 12, whole, "WebP")
    ):
        raise InvalidContent("is a WebP without a picture")
    return "WebP"


def judge_avi(data: bytes, whole: Whole) -> str:
    """Its lists, and a film in one of them."""
    if data[:4] != b"RIFF" or data[8:12] != b"AVI ":
        raise InvalidContent("is not a valid AVI")
    lists = {
        data[place : place + 4]: length
        for mark, place, length in _chunks(data, 12, whole, "AVI")
        if mark == b"LIST" and length >= 4
    }
    if whole and (b"hdrl" not in lists or lists.get(b"movi", 0) <= 12):
        raise InvalidContent("is an AVI without a picture")
    return "AVI"


def judge_mp3(data: bytes, _whole: Whole) -> str:
    """A tag or a frame at its beginning, and a frame that is whole."""
    start = 0
    if data[:3] == b"ID3" and len(data) > 10:
        start = 10 + sum((byte & 0x7F) << shift for byte, shift in zip(data[6:10], (21, 14, 7, 0), strict=True))
    place = data.find(b"\xff", start)
    while 0 <= place < len(data) - 3 and place < start + 4096:
        if 0 < _mp3_frame(data, place) <= len(data) - place:
            return "MP3"
        place = data.find(b"\xff", place + 1)
    raise InvalidContent("is not an MP3: no frame was found")


def _mp3_frame(data: bytes, place: int) -> int:
    """How long a frame is, 0 where none begins."""
    mark, version, rates = data[place + 1], data[place + 1] >> 3 & 3, data[place + 2]
    layer, rate, kilobits = 4 - (mark >> 1 & 3), rates >> 2 & 3, rates >> 4
    if mark & 0xE0 != 0xE0 or version == 1 or layer not in (2, 3) or rate == 3 or kilobits in (0, 15):
        return 0
    new = version == 3
    samples = 1152 if new or layer == 2 else 576
    hertz = _RATES[rate] >> {3: 0, 2: 1, 0: 2}[version]
    return samples // 8 * _BITRATES[new, layer][kilobits - 1] * 1000 // hertz + (rates >> 1 & 1)


def judge_mp4(data: bytes, whole: Whole) -> str:
    """Its boxes, each whole; a track; and as much of it as the table of contents says."""
    if data[4:8] != b"ftyp":
        raise InvalidContent("is not a valid MP4")
    names, media, told = set(), 0, 0
    todo = [(0, len(data))]
    while todo:
        place, end = todo.pop()
        while place + 8 <= end:
            length, name = struct.unpack_from(">I4s", data, place)
            head = 16 if length == 1 else 8
            length = struct.unpack_from(">Q", data, place + 8)[0] if length == 1 else length or end - place
            if length < head or (place + length > end and whole):
                raise InvalidContent("is a truncated MP4")
            names.add(name)
            media += length - head if name == b"mdat" else 0
            told += _samples(data[place + head : place + min(length, end)]) if name == b"stsz" else 0
            todo += [(place + head, min(place + length, end))] if name in _INSIDE else []
            place += length
    if whole and not names & {b"trak", b"moof"}:
        raise InvalidContent("is an MP4 without a table of contents")
    if whole and not 0 < max(told, 1) <= media:
        raise InvalidContent("is an MP4 with less in it than its table of contents says")
    return "MP4"


def _samples(table: bytes) -> int:
    """Bytes of all the samples of a track."""
    size, count = struct.unpack_from(">II", table, 4)
    return int(size * count if size else sum(struct.unpack_from(f">{count}I", table, 12)))


def judge_gif(data: bytes, whole: Whole) -> str:
    """From block to block: a picture, and the end."""
    begins(data, (b"GIF87a", b"GIF89a"), "GIF")
    place, pictures = 13 + _colours(data[10]), 0
    while place < len(data) and data[place] in b"!,":
        picture = data[place : place + 1] == b","
        place += 11 + _colours(data[place + 9]) if picture else 2
        pictures += picture and data[place : place + 1] > b"\0"
        while place < len(data) and data[place]:
            place += data[place] + 1
        place += 1
    if whole and data[place : place + 1] != b";":
        raise InvalidContent("is a truncated GIF")
    if whole and not pictures:
        raise InvalidContent("is a GIF without a picture")
    return "GIF"


def _colours(flags: int) -> int:
    return 3 << (flags & 7) + 1 if flags & 0x80 else 0


def judge_bmp(data: bytes, whole: Whole) -> str:
    """As many pixels as its head says."""
    begins(data, b"BM", "BMP")
    begin, head = struct.unpack_from("<II", data, 10)
    if head == 12:
        width, height, _, bits = struct.unpack_from("<HHHH", data, 18)
        form = size = 0
    else:
        width, height, _, bits, form, size = struct.unpack_from("<iiHHII", data, 18)
    if head not in (12, 40, 52, 56, 64, 108, 124) or not width or not height or begin < 14 + head:
        raise InvalidContent("is not a valid BMP")
    size = (width * bits + 31) // 32 * 4 * abs(height) if form in (0, 3, 6) else size
    if width < 0 or (whole and begin + max(size, 1) > len(data)):
        raise InvalidContent("is a truncated BMP")
    return f"BMP, {width} x {abs(height)}"


_TIFF_TYPES = {1: "B", 3: "H", 4: "I", 13: "I", 16: "Q"}


def judge_tiff(data: bytes, whole: Whole) -> str:
    """Its first directory, and the parts of a picture that it names."""
    begins(data, (b"II*\0", b"MM\0*", b"II+\0", b"MM\0+"), "TIFF")
    order, big = "<" if data[:1] == b"I" else ">", b"+" in data[2:4]
    (place,) = struct.unpack_from(order + ("Q" if big else "I"), data, 8 if big else 4)
    if place >= len(data) and not whole:
        return "TIFF"
    (count,) = struct.unpack_from(order + ("Q" if big else "H"), data, place)
    place, tags = place + (8 if big else 2), dict[int, tuple[int, ...]]()
    for _ in range(min(count, 4096)):
        tag, kind, number = struct.unpack_from(order + ("HHQ" if big else "HHI"), data, place)
        value, room = place + (12 if big else 8), 8 if big else 4
        form = f"{order}{min(number, 1_000_000)}{_TIFF_TYPES.get(kind, 'B')}"
        if tag in (273, 279, 324, 325) and kind in _TIFF_TYPES:
            if struct.calcsize(form) > room:
                (value,) = struct.unpack_from(order + ("Q" if big else "I"), data, value)
            tags[tag] = struct.unpack_from(form, data, value)
        place += 20 if big else 12
    parts = [*zip(tags.get(273, tags.get(324, ())), tags.get(279, tags.get(325, ())), strict=False)]
    if not any(length for _, length in parts):
        raise InvalidContent("is a TIFF without a picture")
    if whole and any(begin + length > len(data) for begin, length in parts):
        raise InvalidContent("is a truncated TIFF")
    return "TIFF"


def judge_flac(data: bytes, whole: Whole) -> str:
    """Its blocks, a frame behind them, and as many bytes as that many samples take at least."""
    begins(data, b"fLaC", "FLAC")
    place, last = 4, False
    while not last:
        (head,) = struct.unpack_from(">I", data, place)
        last, place = head >> 31 == 1, place + 4 + (head & 0xFFFFFF)
    largest, frame = struct.unpack_from(">H", data, 10)[0], int.from_bytes(data[12:15], "big")
    samples = int.from_bytes(data[21:26], "big") & 0xFFFFFFFFF
    least = -(-samples // max(largest, 1)) * max(frame, _LEAST_FRAME)
    if data[place : place + 1] != b"\xff" or (whole and len(data) - place < max(least, _LEAST_FRAME)):
        raise InvalidContent("is a truncated FLAC")
    return "FLAC"


def judge_ogg(data: bytes, whole: Whole) -> str:
    """Page after page, each whole, and something behind the head."""
    begins(data, b"OggS", "Ogg")
    place, pages = 0, 0
    while data.startswith(b"OggS", place) and place + 27 <= len(data):
        table = data[place + 27 : place + 27 + data[place + 26]]
        place += 27 + data[place + 26] + sum(table)
        pages += sum(table) > 0
    if whole and (place > len(data) or pages < 2):
        raise InvalidContent("is a truncated Ogg")
    return "Ogg"


def judge_matroska(data: bytes, whole: Whole) -> str:
    """Its elements, each whole, and a cluster of pictures or sound."""
    begins(data, b"\x1aE\xdf\xa3", "Matroska")
    place, clusters = 0, 0
    while place + 2 <= len(data):
        wide = 9 - data[place].bit_length()
        size = 9 - data[place + wide].bit_length()
        if wide > 4 or size > 8:
            break
        name = data[place : place + wide]
        length = int.from_bytes(data[place + wide : place + wide + size], "big") & (1 << 7 * size) - 1
        place += wide + size
        if name == b"\x18S\x80g":  # the segment: what is in it comes next
            if whole and length != (1 << 7 * size) - 1 and place + length > len(data):
                break
            continue
        if name == b"\x1fC\xb6u":
            clusters += 1
            if length == (1 << 7 * size) - 1:  # written without knowing its end
                return "Matroska"
        place += length
    if whole and (place != len(data) or not clusters):
        raise InvalidContent("is a truncated Matroska")
    return "Matroska"


def judge_pdf(data: bytes, whole: Whole) -> str:
    """Its mark, its end, which says where its objects are listed, and how many pages it has, where that is not compressed."""
    begins(data, b"%PDF-", "PDF")
    end = re.search(rb"startxref\s+(\d{1,12})\s+%%EOF", data[-2048:])
    if whole and (end is None or int(end[1]) >= len(data) or not re.search(rb"\sobj\b", data)):
        raise InvalidContent("is a truncated PDF")
    pages = len(_PAGE.findall(data)) if whole else 0
    return f"PDF, {pages} page{'s' if pages != 1 else ''}" if pages else "PDF"


_PAGE = re.compile(rb"/Type\s?/Page(?![A-Za-z])")
