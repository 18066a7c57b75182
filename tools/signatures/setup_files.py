"""The setup files of a repository: pyproject.toml as a table, setup.cfg by sections, and where they say that packages lie."""

import ast
import configparser
import posixpath
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any

from ml_agent.tools.bounded import read_ini, read_toml

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


def package_folders(setup: ast.Module | None, config: str, project: str) -> dict[str, str]:
    """Folders by package, "" for all others, as `package_dir` and its like say it; {} where nothing is said.

    Args:
        setup: the syntax tree of setup.py.
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
    for given in (tool.get("package-dir"), *_dicts_of(setup)):
        found |= given if isinstance(given, dict) else {}
    return {k: v for k, v in found.items() if isinstance(k, str) and isinstance(v, str)}


def description_of(setup: ast.Module | None, config: str, project: str) -> str:
    """The line in which setup files say what the package is, "" where they do not; the arguments are those of `package_folders`."""
    data = read_project(project)
    said = [dig(data, "project").get("description"), dig(data, "tool", "poetry").get("description")]
    said.append(" ".join(config_lines(config, "metadata", "description")[:1]))
    for node in ast.walk(setup) if setup is not None else ():
        if isinstance(node, ast.keyword) and node.arg == "description" and isinstance(node.value, ast.Constant):
            said.append(node.value.value)
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


def _dicts_of(setup: ast.Module | None) -> Iterator[Any]:
    """What calls of setup.py give as `package_dir`: a dict as it is written, or a name that stands for one."""
    nodes = list(ast.walk(setup)) if setup is not None else []
    named = {
        target.id: node.value
        for node in nodes
        if isinstance(node, ast.Assign)
        for target in node.targets
        if isinstance(target, ast.Name)
    }
    for node in nodes:
        if isinstance(node, ast.keyword) and node.arg == "package_dir":
            value = named.get(node.value.id) if isinstance(node.value, ast.Name) else node.value
            if isinstance(value, ast.Dict):
                yield _constants(value)


def _constants(node: ast.Dict) -> dict[Any, Any]:
    """The items of a dict whose key and value are written out."""
    items = zip(node.keys, node.values, strict=True)
    return {k.value: v.value for k, v in items if isinstance(k, ast.Constant) and isinstance(v, ast.Constant)}
