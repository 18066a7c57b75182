"""pydantic-settings: classes that read the command line."""

from collections.abc import Callable
from typing import Any

import pytest

from ml_agent.tools.signatures.model import Option, Signature

Script = Callable[..., Signature]
Find = Callable[[Signature, str], Option]
Make = Callable[..., Any]

SETTINGS = """
    from pydantic import BaseModel, Field
    from pydantic_settings import BaseSettings, CliApp, CliPositionalArg, CliSubCommand, SettingsConfigDict

    class Optimizer(BaseModel):
        lr: float = 1e-3

    class Settings(BaseSettings):
        {config}
        batch_size: int = Field(32, description="of one step")
        data: CliPositionalArg[str]
        verbose: bool = False
        optimizer: Optimizer = Optimizer()

    {end}
"""


@pytest.mark.parametrize(
    ("config", "end"),
    [
        ("model_config = SettingsConfigDict(cli_parse_args=True)", "settings = Settings()"),
        ("", "settings = Settings(_cli_parse_args=True)"),
        ("", "settings = CliApp.run(Settings)"),
    ],
)
def test_fields_are_options(script: Script, option: Find, config: str, end: str) -> None:
    signature = script(SETTINGS.format(config=config, end=end))
    batch = option(signature, "batch_size")
    assert (batch.flags, batch.type, batch.default, batch.help) == (("--batch_size",), "int", "32", "of one step")
    assert option(signature, "data").positional and option(signature, "data").required
    assert option(signature, "optimizer.lr").flags == ("--optimizer.lr",)
    assert option(signature, "optimizer").type == "json" and option(signature, "verbose").nargs is None
    assert signature.whole


def test_subcommands(repository: Make) -> None:
    text = """
    from pydantic import BaseModel
    from pydantic_settings import BaseSettings, CliApp, CliSubCommand

    class Init(BaseModel):
        path: str

    class Git(BaseSettings):
        quiet: bool = False
        init: CliSubCommand[Init]

    CliApp.run(Git)
    """
    found = repository({"main.py": text}).read("main.py")
    assert {s.subcommand: [(o.dest, o.level) for o in s.options] for s in found} == {
        (): [("quiet", 0)],
        ("init",): [("quiet", 0), ("path", 1)],
    }
