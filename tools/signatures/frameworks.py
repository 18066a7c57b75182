"""The frameworks that read command lines, ours and those that installed packages add: which object stands for each of their names.

A module whose import announces a framework of ours is named in `programs.py` as well, so that its scripts are read at all.
"""

import functools
from collections.abc import Mapping

from ml_agent.tools import plugins
from ml_agent.tools.signatures import (
    absl_reader,
    argparse_reader,
    click_reader,
    dataclass_reader,
    fire_reader,
    globals_reader,
    hydra_reader,
    typer_reader,
    tyro_reader,
)
from ml_agent.tools.signatures.interpreter import Factory

_OURS = (
    argparse_reader, absl_reader, click_reader, typer_reader, fire_reader, globals_reader, hydra_reader, dataclass_reader,
    tyro_reader,
)  # fmt: skip


@functools.cache
def factories() -> Mapping[str, Factory]:
    """What models each library object, by its dotted name. Raises PluginError."""
    found: dict[str, Factory] = {}
    for reader in _OURS:
        found |= reader.FACTORIES
    return {**found, **plugins.frameworks()}
