"""The sample catalogue: three small repositories among 200 other entries; beside it fifteen tasks with what must come out.

A catalogue entry whose `url` reads `sample:NAME` stands for the folder `repository_path(NAME)`; the others point to a host
that cannot exist (RFC 2606), so that nobody can register a name that the samples rank.
"""

from pathlib import Path

_HERE = Path(__file__).resolve().parent

URL_SCHEME = "sample:"


def catalog_path() -> Path:
    """The catalogue that the sample repositories are searched in (JSON lines)."""
    return _HERE / "catalog.jsonl"


def repository_path(name: str) -> Path:
    """The folder of a sample repository.

    Args:
        name: its folder's name, or a catalogue URL `sample:NAME`.

    Raises:
        KeyError: no sample repository has this name.
    """
    name = name.removeprefix(URL_SCHEME)
    folders = {folder.name: folder for folder in (_HERE / "repositories").iterdir() if folder.is_dir()}
    return folders[name]
