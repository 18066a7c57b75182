"""Command lines that change settings: global variables; configuration files, whose own settings are left open."""

from collections.abc import Callable

from ml_agent.tools.signatures.model import Option, Signature

Script = Callable[..., Signature]
Find = Callable[[Signature, str], Option]

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
