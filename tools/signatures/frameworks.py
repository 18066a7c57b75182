"""The frameworks that read command lines: ours, and those that installed packages add."""

import functools
import re
from collections.abc import Mapping

from tools import plugins
from tools.signatures import (
    absl_reader,
    argparse_reader,
    click_reader,
    config_dict,
    dataclass_reader,
    docopt_reader,
    fire_reader,
    gin_reader,
    globals_reader,
    hydra_reader,
    pydantic_reader,
    typer_reader,
    tyro_reader,
)
from tools.signatures.interpreter import Factory

_OURS = (
    argparse_reader, absl_reader, click_reader, typer_reader, fire_reader, globals_reader, config_dict, docopt_reader, hydra_reader, dataclass_reader,
    tyro_reader, pydantic_reader, gin_reader,
)  # fmt: skip
_READS = r"ArgumentParser|ArgParser|LightningCLI|TrlParser|hydra_main|\bBaseSettings\b|\bCliApp\b|\bDEFINE_|FLAGS\b|\b(?:click|typer|fire|docopt|hydra|tyro|jsonargparse|simple_parsing|OmegaConf)\b|\bexec\("


@functools.cache
def factories() -> Mapping[str, Factory]:
    """What models each library object, by its dotted name. Raises PluginError."""
    found: dict[str, Factory] = {}
    for reader in _OURS:
        found |= reader.FACTORIES
    for added in plugins.everything(plugins.FRAMEWORKS).values():
        found |= added
    return found


@functools.cache
def reads_arguments() -> re.Pattern[str]:
    """What a file that reads a command line has in its text."""
    added = {name.partition(".")[0] for one in plugins.everything(plugins.FRAMEWORKS).values() for name in one}
    return re.compile("|".join([_READS, *(rf"\b{re.escape(name)}\b" for name in sorted(added))]))
