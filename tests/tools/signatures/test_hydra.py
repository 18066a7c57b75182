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
OLD = {
    "train.py": MAIN.format(how='config_path="conf/config.yaml"'),
    "conf/config.yaml": "defaults:\n  - model: small\nlr: 0.1\nevery: 10\n",
    "conf/model/small.yaml": "model:\n  width: 8\nevery: 2\n",
    "conf/model/large.yaml": "model:\n  width: 80\n",
    "conf/opt/adam.yaml": "opt:\n  beta: 1\n",
}
"""As hydra 0.11 reads it."""


def _read(repository: Make, files: Mapping[str, str]) -> Signature:
    (signature,) = repository(files).read("train.py")
    return signature  # type: ignore[no-any-return]


def test_a_configuration_that_is_given_as_a_path(repository: Make, option: Find) -> None:
    for how in ('config_path="conf/config.yaml"', "'conf/config.yaml'", "config_path='conf/config.yaml', strict=True"):
        found = _read(repository, OLD | {"train.py": MAIN.format(how=how)})
        assert found.whole
        assert [o.dest for o in found.options] == ["model", "lr", "every", "model.width", "opt"]
        assert option(found, "model").choices == ("large", "small")
        assert option(found, "every").default == "2", "a group is merged behind the file that names it"


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


def test_a_group_that_goes_with_another_one_is_followed(repository: Make, option: Find) -> None:
    main = MAIN.format(how='config_path="conf", config_name="config", version_base=None')
    files = {
        f"conf/{group}/{name}.yaml": f"of_{name}: 3\n" for group in ("data", "judge") for name in ("small", "large")
    }
    listed = "defaults:\n  - data: small\n  - judge: ${data}\n"
    found = _read(repository, {"train.py": main, "conf/config.yaml": listed, **files})
    assert found.whole and option(found, "judge").default == "small"
    assert [o.dest for o in found.options if "." in o.dest] == ["data.of_small", "judge.of_small"]
