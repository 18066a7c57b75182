"""Which console scripts a repository declares, by the installers' own readers and the text of setup.py, and which we read."""

import ast
import configparser
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

import msgspec

from ml_agent.tools.foreign_files import read_text
from ml_agent.tools.signatures.console import read_console
from ml_agent.tools.signatures.read import SignatureReader

DECLARED = re.compile(r"^\s*([\w.-]+)\s*=\s*[\w.]+\s*:\s*[\w.]+\s*(?:\[.*\])?$")


class ConsoleTruth(msgspec.Struct, frozen=True, kw_only=True):
    """The console scripts of one repository."""

    declared: tuple[str, ...]
    read: tuple[str, ...]
    """Those with a signature."""

    @property
    def missing(self) -> tuple[str, ...]:
        """Those without."""
        return tuple(sorted(set(self.declared) - set(self.read)))


def console_truth(root: Path, reader: SignatureReader) -> ConsoleTruth:
    """Compare what the root's setup files declare with what was read."""
    declared = {found[1] for text in _declarations(root) if (found := DECLARED.match(text))}
    read = {signature.name for signature in read_console(reader)}
    return ConsoleTruth(declared=tuple(sorted(declared)), read=tuple(sorted(read)))


def _declarations(root: Path) -> Iterator[str]:
    pyproject, cfg, setup = root / "pyproject.toml", root / "setup.cfg", root / "setup.py"
    if pyproject.exists():
        data = tomllib.loads(read_text(pyproject))
        poetry = data.get("tool", {}).get("poetry", {}).get("scripts", {})
        for name, target in {**data.get("project", {}).get("scripts", {}), **poetry}.items():
            yield f"{name} = {target}"
    if cfg.exists():
        parser = configparser.ConfigParser(strict=False, interpolation=None)
        parser.read_string(read_text(cfg))
        yield from parser.get("options.entry_points", "console_scripts", fallback="").splitlines()
    if setup.exists():
        yield from _in_setup(read_text(setup))


def _in_setup(text: str) -> Iterator[str]:
    """The texts of setup.py that look like declarations, where it declares console scripts at all."""
    if "console_scripts" in text:
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                yield from node.value.splitlines()
