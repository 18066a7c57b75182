"""What each kind of file must hold: a small right one passes, and fails where it is cut, emptied or damaged."""

import gzip
import io
import struct
import zipfile
import zlib

import pytest

from ml_agent.delivery.binary_kinds import BINARY_KINDS
from ml_agent.delivery.content import judge_content
from ml_agent.delivery.expectation import Expectation
from ml_agent.delivery.text_kinds import TEXT_KINDS, InvalidContent


def box(name: bytes, body: bytes = b"", wide: bool = False) -> bytes:
    if wide:
        return struct.pack(">I4sQ", 1, name, len(body) + 16) + body
    return struct.pack(">I4s", len(body) + 8, name) + body


def chunk(name: bytes, body: bytes) -> bytes:
    return struct.pack(">I", len(body)) + name + body + struct.pack(">I", zlib.crc32(name + body))


def riff(form: bytes, inside: bytes, body: bytes, length: int | None = None, mark: bytes = b"RIFF") -> bytes:
    size = len(body) if length is None else length
    return mark + bytes(4) + form + inside + struct.pack("<I", size) + body


def packed(name: str, content: bytes = b"content") -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        if name:
            archive.writestr(zipfile.ZipInfo(name), content)
    return out.getvalue()


def tensors(head: bytes, size: int) -> bytes:
    return struct.pack("<Q", len(head)) + head + bytes(size)


def array(kind: str, shape: str, size: int) -> bytes:
    head = f"{{'descr': {kind}, 'fortran_order': False, 'shape': {shape}, }}\n".encode()
    return b"\x93NUMPY\1\0" + struct.pack("<H", len(head)) + head + bytes(size)


def claiming(archive: bytes) -> bytes:
    """A ZIP whose directory says of its one file that it is larger than it is."""
    (start,) = struct.unpack_from("<L", archive, len(archive) - 6)
    return archive[: start + 24] + struct.pack("<L", 9999) + archive[start + 28 :]


PNG_HEAD = b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", 3, 2, 8, 0, 0, 0, 0))
PNG = PNG_HEAD + chunk(b"IDAT", zlib.compress(bytes(8))) + chunk(b"IEND", b"")
JPEG = b"\xff\xd8\xff\xe0\0\4ab\xff\xc0\0\x0b\x08\0\2\0\3\1\1\x11\0\xff\xda\0\x08\1\1\0\0?\0\xd2\xff\xd9"
GIF = b"GIF89a\3\0\2\0" + bytes(3) + b"," + bytes(9) + b"\2\1x\0;"
BMP = struct.pack("<2sIHHIIiiHHIIiiII", b"BM", 78, 0, 0, 54, 40, 3, 2, 1, 24, 0, 0, 0, 0, 0, 0) + bytes(24)
TIFF = b"II*\0" + struct.pack("<IHHHIIHHIII", 8, 2, 273, 4, 1, 38, 279, 4, 1, 2, 0) + b"ab"
TIFF_2 = b"MM\0*" + struct.pack(">IHHHIIHHIII", 8, 2, 273, 4, 1, 38, 279, 4, 1, 2, 0) + b"ab"
MP3_FRAME = b"\xff\xfb\x90\0" + bytes(413)
MP3 = b"ID3\4\0\0" + b"\0\0\1\2" + bytes(130) + MP3_FRAME
MP4 = box(b"ftyp", b"isom") + box(b"moov", box(b"trak")) + box(b"mdat", b"pictures", wide=True)
NPY_HEAD = b"{'descr': '<f4', 'fortran_order': False, 'shape': (1,), }\n"
NPY = b"\x93NUMPY\1\0" + struct.pack("<H", len(NPY_HEAD)) + NPY_HEAD + bytes(4)
NPY_2 = b"\x93NUMPY\2\0" + struct.pack("<I", len(NPY_HEAD)) + NPY_HEAD + bytes(4)
TENSOR = b'{"__metadata__": {"format": "pt"}, "w": {"dtype": "F32", "shape": [2, 2], "data_offsets": [0, 16]}}'
PARQUET = b"PAR1" + b"\x15\2\x19\x1c" + struct.pack("<I", 4) + b"PAR1"
HDF5_MARK = b"\x89HDF\r\n\x1a\n"
HDF5 = HDF5_MARK + bytes(32) + struct.pack("<QQQQ", 81, 0, 0, 72) + b"\1" + bytes(8)
HDF5_3 = HDF5_MARK + b"\3" + bytes(19) + struct.pack("<QQ", 52, 48) + bytes(4) + b"OHDR"
WEBP = riff(b"WEBP", b"VP8 ", bytes(12))
AVI = riff(b"AVI ", b"LIST", b"hdrl") + b"LIST" + struct.pack("<I", 16) + b"movi00dc\4\0\0\0abcd"
PDF = b"%PDF-1.4\n1 0 obj" + 2 * b"<</Type /Page>>\n" + b"<</Type /Pages>>\nstartxref\n9\n%%EOF"
FLAC = b"fLaC\x80\0\0\x22" + bytes(34) + b"\xff\xf8" + bytes(9)
OGG = 2 * (b"OggS" + bytes(22) + b"\1\4abcd")
MATROSKA = b"\x1aE\xdf\xa3\x80\x18S\x80g\x88\x1fC\xb6u\x83abc"
GZIP = gzip.compress(b"content", mtime=0)
OLD_PICKLE = b"\x80\2X\1\0\0\0aq\0."

SOUND = (
    b"RIFF"
    + bytes(4)
    + b"WAVEfmt "
    + struct.pack("<IHHIIHH", 16, 1, 2, 8000, 32000, 4, 16)
    + b"data"
    + struct.pack("<I", 16000)
    + bytes(16000)
)

OPEN_SOUND = SOUND.replace(struct.pack("<I", 16000), b"\xff\xff\xff\xff")
LYING_SOUND = SOUND.replace(struct.pack("<II", 8000, 32000), struct.pack("<II", 8000, 1))
SAID_OF_SOUND = "WAV, 8000 Hz, 2 channels, 16 bits, 0.50 s"

GOOD = [
    ("png", PNG, "PNG, 3 x 2"), ("jpeg", JPEG, "JPEG, 3 x 2"), ("gif", GIF, "GIF"), ("gif", GIF + b"\0", "GIF"),
    ("bmp", BMP, "BMP, 3 x 2"), ("tiff", TIFF, "TIFF"), ("tiff", TIFF_2, "TIFF"),
    ("webp", WEBP, "WebP"), ("wav", LYING_SOUND, SAID_OF_SOUND),
    ("wav", SOUND, SAID_OF_SOUND), ("pdf", PDF, "PDF, 2 pages"),
    ("wav", OPEN_SOUND, SAID_OF_SOUND), ("wav", b"RF64" + OPEN_SOUND[4:], SAID_OF_SOUND),
    ("avi", AVI, "AVI"), ("mp3", MP3, "MP3"), ("mp3", MP3_FRAME, "MP3"),
    ("mp4", MP4, "MP4"), ("mp4", box(b"ftyp") + box(b"moof") + box(b"mdat", b"x"), "MP4"), ("mp4", box(b"ftyp") + box(b"moov", box(b"trak")) + b"\0\0\0\0mdatx", "MP4"),
    ("pdf", PDF.replace(b"/Page", b"/X") + b"\n", "PDF"), ("zip", packed("a"), "ZIP, 1 files"), ("npz", packed("x.npy", NPY), "NPZ, 1 arrays"),
    ("npy", NPY, "NPY"), ("npy", NPY_2, "NPY"), ("npy", array("[('a', '<f4'), ('b', '<U2', (2,))]", "()", 20), "NPY"), ("npy", array("'|O'", "(2,)", 2), "NPY"), ("npy", array("'<M8[ns]'", "(2, 1)", 16), "NPY"), ("mp3", b"ID3\4\0\0\0\1\0\0" + bytes(16384) + MP3_FRAME, "MP3"), ("torch", packed("m/data.pkl", OLD_PICKLE), "torch checkpoint"),
    ("torch", OLD_PICKLE, "torch checkpoint (pickle)"), ("pickle", b"\x80\5K\1.", "pickle"), ("pickle", OLD_PICKLE, "pickle"),
    ("safetensors", tensors(TENSOR, 16), "1 tensors"), ("parquet", PARQUET, "Parquet"), ("gzip", GZIP, "gzip"),
    ("flac", FLAC, "FLAC"), ("ogg", OGG, "Ogg"), ("matroska", MATROSKA, "Matroska"),
    ("hdf5", HDF5, "HDF5"), ("hdf5", HDF5_3, "HDF5"),
    ("text", b"a\nb", "2 lines"), ("json", b'{"error": "", "loss": 1}', "JSON object"), ("json", b"[1]", "JSON list"), ("json", b"0.5", "JSON value"),
    ("jsonl", b"1\n\n2\n", "2 rows"), ("csv", b"a;b\n1;2\n", "1 rows, columns a, b"), ("csv", b"a,1\n", "1 row without a header"), ("csv", b"a\nb\n", "1 rows, columns a"),
    ("html", b"<table></table>", "1 elements"), ("text", b"Error: x\n" * 41, "41 lines"),
    ("tsv", b"a\tb\n1\t2\n", "1 rows, columns a, b"), ("srt", b"00:01.000 --> 00:02,000\nHi\n", "1 cues"),
    ("vtt", b"WEBVTT\n\n00:01.000 --> 00:02.000\nHi\n", "1 cues"), ("html", b"<p>Hi</p>", "1 elements"), ("html", b"<img src=a>", "1 elements"),
    ("svg", b"<?xml?><svg><path/></svg >\n", "SVG"), ("yaml", b"a: 1", "YAML"), ("toml", b"a = 1", "TOML"), ("toml", b"a = [" + b"0.5, " * 2000 + b"]", "TOML"),
]  # fmt: skip

BAD = [
    ("png", PNG[:-12], "truncated"), ("png", PNG_HEAD + chunk(b"IEND", b""), "truncated"), ("png", PNG[:-1] + b"x", "a checksum is wrong"),
    ("png", PNG[1:], "is not a valid PNG"), ("jpeg", JPEG[:-2], "truncated"), ("jpeg", JPEG.replace(b"\xff\xc0", b"\xff\xc4"), "without a picture"),
    ("jpeg", JPEG[1:], "is not a valid JPEG"), ("gif", GIF[:-1], "truncated"), ("gif", b"GIF", "is not a valid GIF"),
    ("bmp", b"BM", "truncated"), ("bmp", b"x" + BMP, "is not a valid BMP"), ("tiff", TIFF[:6], "truncated"), ("tiff", b"II", "is not a valid TIFF"),
    ("webp", riff(b"WAVE", b"VP8 ", b"pixels"), "is not a valid WebP"), ("webp", riff(b"WEBP", b"ALPH", b"pixels"), "without a picture"),
    ("wav", riff(b"WAVE", b"data", b""), "without a sample"), ("wav", SOUND[:18], "without a sample"),
    ("wav", SOUND[:-1], "truncated"), ("wav", riff(b"WAVE", b"data", b"sound", mark=b"RIFX"), "is not a valid WAV"),
    ("avi", AVI[:-1], "truncated"),
    ("mp3", MP3[:-4], "no frame was found"), ("mp3", b"\xff\xe0\xff", "no frame was found"), ("mp3", bytes(4096) + MP3_FRAME, "no frame was found"),
    ("mp4", MP4[:-1], "truncated"), ("mp4", box(b"ftyp") + b"\0\0\0\7moov", "truncated"), ("mp4", box(b"ftyp") + box(b"mdat"), "table of contents"),
    ("mp4", MP4[1:], "is not a valid MP4"), ("pdf", b"%PDF-1.4\n", "truncated"), ("pdf", b"%%EOF", "is not a valid PDF"),
    ("zip", packed(""), "empty"), ("zip", packed("a")[:-9], "truncated"), ("zip", packed("a").replace(b"content", b"contend"), "Bad CRC"),
    ("npz", packed("x.txt"), "without an array"), ("npy", NPY[:-4], "shorter than"), ("npy", NPY_2[:-1], "shorter than"), ("npy", array("'<f4'", "(0,)", 4), "without numbers"),
    ("npy", array("'<f8'", "(-1, -1)", 80), "without numbers"), ("npy", array("'?!'", "(1,)", 80), "unknown kind"),
    ("hdf5", HDF5[:-1], "truncated"), ("png", PNG_HEAD + chunk(b"IDAT", b"xxxx") + chunk(b"IEND", b""), "damaged"),
    ("parquet", PARQUET.replace(b"\4\0\0\0", b"\5\0\0\0"), "truncated"), ("npy", NPY[:-9], "truncated"),
    ("npy", NPY.replace(b"shape", b"shade"), "is not npy, or is truncated"), ("torch", packed("m/x.pkl"), "without torch's data.pkl"), ("torch", OLD_PICKLE[:-1], "truncated"),
    ("pickle", b"\x80\5K\1", "truncated"), ("pickle", b"\x80\1K\1.", "is not a pickle"), ("pickle", b"\x80\6K\1.", "is not a pickle"), ("pickle", b"K\2.", "is not a pickle"),
    ("safetensors", tensors(TENSOR, 15), "truncated"), ("safetensors", tensors(b'{"__metadata__": {}}', 9), "without a tensor"),
    ("safetensors", tensors(b"[1]", 9), "is not a safetensors"), ("safetensors", tensors(b"{", 9), "is not a safetensors"), ("safetensors", b"{}", "is not a safetensors"),
    ("parquet", PARQUET[:-1], "truncated"), ("parquet", b"PAR1PAR1", "truncated"), ("parquet", PARQUET[1:], "is not a valid Parquet"),
    ("gzip", GZIP[:-9], "truncated"), ("gzip", gzip.compress(b"", mtime=0), "empty"), ("gzip", GZIP[:-5] + b"x" + GZIP[-4:], "damaged"),
    ("flac", b"fLaC" + bytes(2), "truncated"), ("ogg", b"OggS", "truncated"), ("matroska", b"OggS" + bytes(9), "is not a valid Matroska"), ("hdf5", b"HDF", "is not a valid HDF5"),
    ("json", b"{}", "empty"), ("json", b'{"error": "quota", "code": 3}', "an error message: quota"), ("jsonl", b"1\n{", "line 2 is not JSON"),
    ("json", b'{"error": "quota", "message": 1, "status": 1, "traceback": 1, "code": 1}', "an error message: quota"), ("text", b"Error: x\n" * 40, "an error message"),
    ("csv", b"a,b\n1,2\n3\n", "row 3 has 1 fields, its header 2"), ("csv", b'a,b\n"1,2\n', "is not a table"), ("csv", b"a,b\n", "a header and no rows"),
    ("srt", b"00:01.000 --> 00:02,000\n\n", "has no subtitle"), ("vtt", b"00:01.000 --> 00:02.000\nHi\n", "WEBVTT"), ("html", b"Hi", "no HTML element"),
    ("html", b"<p> </p>", "empty"), ("svg", b"<svg></svg>", "empty"), ("svg", b"<svg><path/></svg> x", "is closed"), ("svg", b"</svg><svg>", "is closed"), ("svg", b"<g/></svg>", "is closed"),
    ("yaml", b"a: [", "is not valid YAML"), ("yaml", b"{}", "empty"), ("toml", b"a =", "is not valid TOML"), ("toml", b"# none", "empty"),
    ("file", b"Error: no model", "an error message"), ("text", b"a\0b", "binary data"), ("text", b"Usage: fit.py", "an error message"),
]  # fmt: skip


@pytest.mark.parametrize(("kind", "content", "said"), GOOD)
def test_a_right_file_passes(kind: str, content: bytes, said: str) -> None:
    assert judge_content(content, True, Expectation(kind=kind)) == said


CLAIMS = [
    ("wav", b"RF64" + OPEN_SOUND[4:44], "without a sample"), ("wav", OPEN_SOUND[:44], "without a sample"), ("jpeg", JPEG.replace(b"\0\2\0\3", b"\x70\0\x70\0"), "truncated"),
    ("jpeg", JPEG.replace(b"\xff\xda", b"\xff\xd9"), "without a picture"), ("gif", GIF[:13] + b";", "without a picture"), ("bmp", b"BMP could not be drawn, no display\n", "truncated"),
    ("bmp", BMP[:-1], "truncated"), ("tiff", TIFF[:-1], "truncated"), ("flac", FLAC[:42], "truncated"), ("flac", FLAC.replace(bytes(20), bytes(12) + b"\xff" * 8), "truncated"), ("ogg", OGG[:-1], "truncated"),
    ("matroska", MATROSKA[:-1], "truncated"), ("mp4", box(b"ftyp") + box(b"moov"), "table of contents"), ("mp4", MP4[:-8] + b"", "truncated"),
    ("mp4", box(b"ftyp") + box(b"moov", box(b"trak")), "less in it"), ("mp4", box(b"ftyp") + box(b"moov", box(b"trak", box(b"mdia", box(b"minf", box(b"stbl", box(b"stsz", struct.pack(">III", 0, 9, 9))))))) + box(b"mdat", b"x"), "less in it"),
    ("mp3", MP3[:-1], "no frame"), ("avi", riff(b"AVI ", b"LIST", b"hdrl"), "without a picture"), ("webp", WEBP[:4] + b"\xff\xff" + WEBP[6:], "truncated"), ("pdf", b"%PDF-1.4\n%%EOF", "truncated"),
    ("parquet", PARQUET.replace(b"\x15", b"\0"), "table of contents"), ("hdf5", HDF5[:64] + bytes(8) + HDF5[72:], "without a group"), ("pickle", b"\x80\4.", "without a value"), ("torch", packed("x/data.pkl", b""), "is not a pickle"),
    ("npz", packed("x.npy", array("'<f8'", "(1000000,)", 80)), "shorter than"), ("npz", claiming(packed("x.npy", NPY)), "shorter than"),
    ("npy", array("'<f8'", "(1000000000,)", 80), "shorter than"), ("zip", claiming(packed("a")), "shorter than"),
    ("safetensors", tensors(TENSOR.replace(b"[2, 2]", b"[2000, 2]"), 16), "shorter than"),
    ("png", PNG_HEAD + chunk(b"IDAT", zlib.compress(bytes(7))) + chunk(b"IEND", b""), "truncated"),
]  # fmt: skip


@pytest.mark.hostile
@pytest.mark.parametrize(("kind", "content", "said"), CLAIMS)
def test_a_header_that_claims_more_than_there_is(kind: str, content: bytes, said: str) -> None:
    test_a_wrong_file_is_said_to_be_wrong(kind, content, said)


@pytest.mark.parametrize(("kind", "content", "said"), BAD)
def test_a_wrong_file_is_said_to_be_wrong(kind: str, content: bytes, said: str) -> None:
    with pytest.raises(InvalidContent, match=said):
        judge_content(content, True, Expectation(kind=kind))


ASKED = [
    ("json", b'{"a": {"B c": {"d": 1}}}', ("a", "b_c", "d"), None, "JSON object"), ("json", b'[{"a": 1}]', ("a",), 1, "JSON list"),
    ("json", b'{"a": {"b": {"c": {"d": 1}}}}', ("a", "d"), None, "lacks the keys d; it has a"), ("json", b"[1]", ("a",), None, "lacks the keys a; it has none"),
    ("json", b"[1]", (), 2, "has 1 entries, not 2"), ("jsonl", b'{"a": 1}', ("a",), 1, "1 rows"), ("jsonl", b'{"a": 1}', ("b",), None, "lacks the keys b; it has a"),
    ("jsonl", b"1", ("a",), None, "is not jsonl, or is truncated"), ("csv", b"a,b\n1,2\n", ("B",), 1, "1 rows, columns a, b"), ("csv", b"a,b\n1,2\n", ("a", "c"), None, "lacks the columns c; it has a, b"),
    ("csv", b"1,2\n3,4\n", (), 2, "2 rows without a header"), ("csv", b"a,b\n1,2\n", ("a",), 2, "has 1 rows, not 2"), ("csv", b"a,b\n", (), 0, "0 rows, columns a, b"),
    ("csv", b"a,1\n", ("a",), None, "has a header and no rows"),
    ("yaml", b"a: {b: 1}", ("a", "b"), None, "YAML"), ("yaml", b"a: 1", ("b",), None, "lacks the keys b"), ("yaml", b"1", ("b",), None, "lacks the keys b"),
    ("toml", b"a = 1", ("a",), None, "TOML"), ("toml", b"a = 1", ("b",), None, "lacks the keys b"),
]  # fmt: skip


@pytest.mark.parametrize(("kind", "content", "columns", "rows", "said"), ASKED)
def test_columns_and_rows_are_those_that_were_asked_for(
    kind: str, content: bytes, columns: tuple[str, ...], rows: int | None, said: str
) -> None:
    try:
        found = judge_content(content, True, Expectation(kind=kind, columns=columns, rows=rows))
    except InvalidContent as wrong:
        found = str(wrong)
    assert found == said


CUT = [
    ("png", PNG[:-12]), ("jpeg", JPEG[:-2]), ("gif", GIF[:-1]), ("bmp", BMP[:-1]), ("tiff", TIFF), ("wav", riff(b"WAVE", b"data", b"sound")[:-1]),
    ("mp4", MP4[:-1]), ("mp4", box(b"ftyp") + box(b"mdat")), ("pdf", b"%PDF-1.4\n"), ("zip", packed("a")[:-9]), ("npz", packed("a")[:-9]), ("npy", NPY[:-4]),
    ("torch", packed("a")[:-9]), ("pickle", b"\x80\5K\1"), ("safetensors", tensors(TENSOR, 15)), ("parquet", PARQUET[:-1]), ("gzip", GZIP[:-8]),
]  # fmt: skip


@pytest.mark.parametrize(("kind", "content"), CUT)
def test_of_a_large_file_the_beginning_is_enough(kind: str, content: bytes) -> None:
    assert judge_content(content, False, Expectation(kind=kind))


def test_every_kind_is_here() -> None:
    assert {kind for kind, _, _ in GOOD} == {*BINARY_KINDS, *TEXT_KINDS}


def test_a_line_of_json_goes_on_behind_ends_that_other_texts_know() -> None:
    content = '{"text": "one\u2028two\x85three"}\r\n{"text": "four"}\n'.encode()
    assert judge_content(content, True, Expectation(kind="jsonl", rows=2)) == "2 rows"


def test_a_file_of_blanks_that_promises_nothing_is_judged() -> None:
    assert judge_content(b" \n", True, Expectation(kind="file")) == "2 bytes"
