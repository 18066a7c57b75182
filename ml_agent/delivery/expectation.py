"""One thing that should come out, and what was seen of it."""

from pathlib import PurePosixPath
from typing import Literal

import msgspec

Source = Literal["request", "option", "before", "model"]
"""before: by option, for the run that this one goes on from, and the user now names another file."""

ENDINGS = {
    "json": ("json", "ipynb", "geojson"),
    "jsonl": ("jsonl", "ndjson"),
    "csv": ("csv",),
    "tsv": ("tsv",),
    "png": ("png",),
    "jpeg": ("jpg", "jpeg"),
    "gif": ("gif",),
    "bmp": ("bmp",),
    "webp": ("webp",),
    "tiff": ("tif", "tiff"),
    "svg": ("svg",),
    "wav": ("wav",),
    "mp3": ("mp3",),
    "flac": ("flac",),
    "ogg": ("ogg", "opus"),
    "mp4": ("mp4", "mov", "m4a", "m4v"),
    "avi": ("avi",),
    "matroska": ("mkv", "webm"),
    "pdf": ("pdf",),
    "hdf5": ("h5", "hdf5", "keras"),
    "npz": ("npz",),
    "npy": ("npy",),
    "torch": ("pt", "pth", "ckpt"),
    "safetensors": ("safetensors",),
    "pickle": ("pkl", "pickle"),
    "parquet": ("parquet",),
    "srt": ("srt",),
    "vtt": ("vtt",),
    "html": ("html", "htm"),
    "zip": ("zip", "xlsx", "docx", "pptx", "whl"),
    "gzip": ("gz", "tgz"),
    "yaml": ("yaml", "yml"),
    "toml": ("toml",),
    "text": ("txt", "md", "log", "out", "rst", "tex", "bib", "ply", "obj", "pdb", "fasta", "fa", "conll"),
    "file": (
        "bin",
        "onnx",
        "joblib",
        "model",
        "gguf",
        "tflite",
        "pb",
        "npk",
        "stl",
        "glb",
        "mid",
        "midi",
        "db",
        "sqlite",
    ),
}
"""Kinds of files, each with the endings of its names."""
KINDS = (*ENDINGS, "folder")
_KIND_OF = {ending: kind for kind, endings in ENDINGS.items() for ending in endings}


class Expectation(msgspec.Struct, frozen=True, kw_only=True):
    """A file or folder that the request names, or that something is printed."""

    kind: str
    """One of KINDS, or "printed"."""
    path: str = ""
    """As it was written; relative to where the command runs, or to the repository's root. May hold * and ?."""
    columns: tuple[str, ...] = ()
    """Of a table, or the keys of JSON."""
    rows: int | None = None
    """Of a table, without its head."""
    must: bool = True
    """Whether the task is not done without it."""
    source: Source = "request"

    def describe(self) -> str:
        """What is expected, in a few words."""
        if self.kind == "printed":
            return "something is printed"
        parts = [self.path if self.kind in ("file", "folder") else f"{self.path} ({self.kind})"]
        parts += [f"with {', '.join(self.columns)}"] if self.columns else []
        parts += [f"{self.rows} rows"] if self.rows is not None else []
        return ", ".join(parts)


class Judgement(msgspec.Struct, frozen=True, kw_only=True):
    """What our code saw of an expectation after the run."""

    expectation: Expectation
    verdict: Literal["delivered", "missing", "not judged", "disputed"]
    """disputed: missing by words that may have been misread; the author of the answer says why it is right all the same."""
    said: str
    """One line: what is there, or what is wrong."""
    path: str = ""
    """Where it was found, relative to the repository's root."""
    worded: bool = False
    """Whether only words speak against it: the file is there, new and of its kind. What is proven cannot be disputed."""
    why: str = ""
    """The reason of a dispute."""
    head: tuple[str, ...] = ()
    """What is seen of the file at a glance."""
    doubts: tuple[str, ...] = ()
    """What in it may be as it should be, and is worth a question."""


class CreatedFile(msgspec.Struct, frozen=True, kw_only=True):
    """A file that is new, or changed since the run began."""

    path: str
    """Relative to the repository's root."""
    size: int


def kind_of(path: str) -> str:
    """The kind that a name promises; "folder" for one that ends with a slash, "file" where it promises nothing."""
    if path.endswith("/"):
        return "folder"
    return _KIND_OF.get(PurePosixPath(path).suffix.lower().lstrip("."), "file")
