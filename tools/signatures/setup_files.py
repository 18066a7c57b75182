"""The setup files of a repository: pyproject.toml as a table, setup.cfg by sections, and where they say that packages lie."""

import ast
import configparser
import posixpath
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from ml_agent.tools.bounded import read_ini, read_toml
from ml_agent.tools.python_source import syntax_tree

_MOST_KEPT = 8
"""Files that are kept as they were parsed: several readers want each, and one made for it takes seconds."""
_FEWEST_WORDS = 4
"""Of a line that says what a package is."""


@lru_cache(_MOST_KEPT)
def read_project(text: str) -> Mapping[str, Any]:
    """pyproject.toml as a table, which nobody changes; {} where it cannot be read."""
    try:
        return read_toml(text)
    except ValueError:
        return {}


def dig(data: Mapping[str, Any], *names: str) -> dict[str, Any]:
    """A table within tables, {} where there is none."""
    table = dict(data)
    for name in names:
        inner = table.get(name)
        table = inner if isinstance(inner, dict) else {}
    return table


def config_lines(text: str, section: str, option: str) -> list[str]:
    """The lines of a setting of setup.cfg, [] where there is none."""
    return _read_config(text).get(section, option, fallback="").splitlines()


@lru_cache(_MOST_KEPT)
def _read_config(text: str) -> configparser.RawConfigParser:
    try:
        return read_ini(text)
    except configparser.Error:
        return configparser.RawConfigParser()


@lru_cache(_MOST_KEPT)
def setup_arguments(text: str) -> dict[str, Any]:
    """What setup.py gives to setup(), by name, as far as it is written out."""
    try:
        tree = syntax_tree(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return {}
    names = {
        t.id: n.value for n in ast.walk(tree) if isinstance(n, ast.Assign) for t in n.targets if isinstance(t, ast.Name)
    }
    found: dict[str, Any] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and getattr(node.func, "id", getattr(node.func, "attr", "")) == "setup":
            for keyword in node.keywords:
                value = names.get(keyword.value.id) if isinstance(keyword.value, ast.Name) else keyword.value
                try:
                    found[keyword.arg or ""] = ast.literal_eval(value) if value is not None else None
                except (ValueError, TypeError, SyntaxError, RecursionError, MemoryError):
                    continue
    return found


def package_folders(setup: str, config: str, project: str) -> dict[str, str]:
    """Folders by package, "" for all others, as `package_dir` and its like say it; {} where nothing is said.

    Args:
        setup: the text of setup.py.
        config: the text of setup.cfg.
        project: the text of pyproject.toml.
    """
    tool = dig(read_project(project), "tool", "setuptools")
    where = dig(tool, "packages", "find").get("where")
    searched = [*(where if isinstance(where, list) else []), *config_lines(config, "options.packages.find", "where")]
    found: dict[Any, Any] = {}
    if any(searched):
        found[""] = next(filter(None, searched))
    for line in config_lines(config, "options", "package_dir"):
        package, equals, folder = line.partition("=")
        found |= {package.strip(): folder.strip()} if equals else {}
    for given in (tool.get("package-dir"), setup_arguments(setup).get("package_dir")):
        found |= given if isinstance(given, dict) else {}
    return {k: v for k, v in found.items() if isinstance(k, str) and isinstance(v, str)}


def description_of(setup: str, config: str, project: str) -> str:
    """The line in which setup files say what the package is, "" where they do not; the arguments are those of `package_folders`."""
    data = read_project(project)
    said = [dig(data, "project").get("description"), dig(data, "tool", "poetry").get("description")]
    said.append(" ".join(config_lines(config, "metadata", "description")[:1]))
    said.append(setup_arguments(setup).get("description"))
    lines = (" ".join(one.split()) for one in said if isinstance(one, str) and not one.lstrip().startswith("file:"))
    return next((line for line in lines if len(line.split()) >= _FEWEST_WORDS), "")


def import_folders(placed: Mapping[str, str]) -> list[str]:
    """The folders that hold packages under their own names, of what `package_folders` says."""
    found = [posixpath.normpath(placed[""])] if "" in placed else []
    for package, folder in placed.items():
        path, named = posixpath.normpath(folder), package.replace(".", "/")
        if package and f"/{path}".endswith(f"/{named}"):
            found.append(posixpath.normpath(path[: len(path) - len(named)] or "."))
    return list(dict.fromkeys(found))
