"""Command lines that change settings: global variables; configuration files, whose own settings are left open."""

from collections.abc import Callable, Mapping

import pytest

from ml_agent.tools.signatures.model import Option, Signature

Script = Callable[..., Signature]
Find = Callable[[Signature, str], Option]
Make = Callable[[Mapping[str, str]], Callable[[str], list[str]]]

OVERRIDES = """
    import sys
    for word in sys.argv[1:]:
        if "=" not in word:
            exec(open(word).read())
        else:
            name, value = word.split("=")
            globals()[name[2:]] = value
"""
PROGRAM = """
    import torch
    lr, steps = 0.1, 10  # two at once
    name: str = "run"
    best = 'bf16' if torch.cuda.is_available() else 'fp32'
    _hidden = 1
    def helper(): ...
    {how}
    later = 2
    if __name__ == "__main__":
        print(lr)
"""


def test_globals_that_an_executed_file_overrides(script: Script, option: Find) -> None:
    for how in ("exec(open('apply.py').read())", "with open('apply.py') as f: exec(f.read())"):
        signature = script(PROGRAM.format(how=how), apply=OVERRIDES)
        assert [o.dest for o in signature.options] == ["lr", "steps", "name", "best", "files"]
        assert signature.whole and signature.syntax == "absl"
        assert (option(signature, "lr").type, option(signature, "lr").default) == ("float", "0.1")
        assert option(signature, "files").nargs == "*"


TRAINER = """
    from absl import app, flags
    from ml_collections import config_flags
    FLAGS = flags.FLAGS
    config_flags.DEFINE_config_file("config", {default}, "The file.", lock_config=True)
    flags.DEFINE_string("workdir", None, "Where.")
    flags.mark_flags_as_required(["config", "workdir"])
    def main(argv): print(FLAGS.config)
    if __name__ == "__main__":
        app.run(main)
"""


def test_settings_of_a_configuration_file_are_left_open(script: Script, option: Find) -> None:
    signature = script(TRAINER.format(default="'configs/one.py'"))
    assert [one.origin for one in signature.unseen] == ["configuration"]
    assert option(signature, "config").type == "path" and not option(signature, "config").required  # it has a default
    assert option(signature, "workdir").required


ONE = """
    import ml_collections
    from shared import shared_settings
    def get_config(kind="small"):
        config = shared_settings()
        model = config.model = ml_collections.ConfigDict({"width": 8, "name": "mlp"})
        model.sizes = (1, 2)
        if kind == "large":
            config.layers = 3
        config.seed = ml_collections.config_dict.placeholder(int)
        return config
"""
TWO = """
    from shared import shared_settings
    def get_config():
        config = shared_settings()
        config.lr = 2
        config["warm"] = True
        return config
"""
SHARED = """
    import ml_collections
    def shared_settings():
        config = ml_collections.ConfigDict()
        config.lr = 0.1
        config.steps = 100
        return config
"""


def test_settings_are_those_of_the_file_that_is_the_default(script: Script, option: Find) -> None:
    signature = script(TRAINER.format(default="'one.py'"), one=ONE, two=TWO, shared=SHARED)
    assert (option(signature, "config.lr").type, option(signature, "config.lr").default) == ("float", "0.1")
    assert (option(signature, "config.model.width").type, option(signature, "config.model.width").line) == ("int", 6)
    assert (option(signature, "config.seed").type, option(signature, "config.seed").default) == ("int", None)
    assert option(signature, "config.model.sizes").default == "(1, 2)"
    assert not {"config.warm", "config.layers", "config.model"} & {one.dest for one in signature.options}


def test_settings_of_several_files_have_what_these_agree_in(script: Script, option: Find) -> None:
    signature = script(TRAINER.format(default="None"), one=ONE, two=TWO, shared=SHARED)
    assert (option(signature, "config.lr").type, option(signature, "config.lr").default) == ("float", None)
    assert (option(signature, "config.steps").type, option(signature, "config.steps").default) == ("int", "100")
    assert option(signature, "config.warm").negative_flags == ("--noconfig.warm",)


@pytest.mark.parametrize(
    ("words", "code"),
    [
        ("--config=one.py --config.lr=0.5", ""), ("--config=one.py --config.lr=fast", "bad-type"),
        ("--config=one.py --config.warm", "unknown-option"), ("--config=two.py --noconfig.warm", ""),
        ("--config=two.py --config.layers=3", "unknown-option"), ("--config=one.py:large --config.layers=3", ""),
        ("--config=one.py --config.model={}", ""), ("--config=one.py --config.model.sizes[0]=3", ""),
        ("--config=/elsewhere.py --config.any=3", "cannot-tell"),
    ],
)  # fmt: skip
def test_a_call_is_checked_against_the_file_that_it_names(checked: Make, words: str, code: str) -> None:
    says = checked({"main.py": TRAINER.format(default="None"), "one.py": ONE, "two.py": TWO, "shared.py": SHARED})
    found = [one.split()[-1] for one in says(f"python main.py --workdir w {words}")]
    assert found == [code] * bool(code)


def test_settings_that_the_script_holds_itself(script: Script, option: Find) -> None:
    held = 'from one import get_config\n    config_flags.DEFINE_config_dict("net", get_config("large"))\n    flags'
    signature = script(
        TRAINER.format(default="None").replace("flags.DEFINE_string", f"{held}.DEFINE_string"), one=ONE, shared=SHARED
    )
    assert (option(signature, "net.layers").type, option(signature, "net.model.name").default) == ("int", "mlp")
