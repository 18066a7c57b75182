"""Small repositories written for a test, and their signatures."""

from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from ml_agent.tools.signatures.model import Option, Signature
from ml_agent.tools.signatures.read import SignatureReader
from tests.tools.conftest import write_files

Make = Callable[[Mapping[str, str]], SignatureReader]


@pytest.fixture
def repository(tmp_path: Path) -> Make:
    """Write files and give a reader of them."""

    def make(files: Mapping[str, str]) -> SignatureReader:
        write_files(tmp_path, files)
        return SignatureReader(tmp_path, frozenset(files))

    return make


@pytest.fixture
def script(repository: Make) -> Callable[..., Signature]:
    """The only signature of one script, with further files beside it."""

    def read(text: str, **more: str) -> Signature:
        files = {"main.py": text, **{name.replace("__", "/") + ".py": other for name, other in more.items()}}
        (signature,) = repository(files).read("main.py")
        return signature

    return read


@pytest.fixture
def option() -> Callable[[Signature, str], Option]:
    """The option of a dest."""

    def find(signature: Signature, dest: str) -> Option:
        return next(o for o in signature.options if o.dest == dest)

    return find
