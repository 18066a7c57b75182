"""hydra's older forms, and how it reads YAML."""

from collections.abc import Callable, Mapping
from typing import Any

from ml_agent.tools.signatures.model import Option, Signature

Find = Callable[[Signature, str], Option]
Make = Callable[..., Any]

MAIN = """
    import hydra
    @hydra.main({how})
    def main(cfg): ...
    if __name__ == "__main__":
        main()
"""


def _read(repository: Make, files: Mapping[str, str]) -> Signature:
    (signature,) = repository(files).read("train.py")
    return signature  # type: ignore[no-any-return]


def test_a_key_that_the_program_fills_is_not_required(repository: Make, option: Find) -> None:
    main = MAIN.format(how='config_path="conf", config_name="config"').replace("...", "\n        cfg.net.inputs = 3")
    found = _read(repository, {"train.py": main, "conf/config.yaml": "net:\n  inputs: ???\n  outputs: ???\n"})
    assert not option(found, "net.inputs").required and option(found, "net.outputs").required


def test_numbers_as_omegaconf_reads_them(repository: Make, option: Find) -> None:
    kinds = {
        "3e-4": "float", "1e6": "float", "-2E3": "float", "1.e3": "float", ".5e1": "float", "1_0e2": "float", "1.5": "float",
        "64": "int", "e5": "str", "1e": "str", "2024-01-01": "str", "'3e-4'": "str", "0x1e4": "int",
    }  # fmt: skip
    text = "".join(f"k{at}: {value}\n" for at, value in enumerate(kinds))
    main = MAIN.format(how='config_path="conf", config_name="config"')
    found = _read(repository, {"train.py": main, "conf/config.yaml": text})
    assert {value: option(found, f"k{at}").type for at, value in enumerate(kinds)} == kinds
