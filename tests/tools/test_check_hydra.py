"""The check of hydra's command lines; what is right and wrong was asked of hydra 1.3 itself."""

import shlex
import textwrap
from collections.abc import Mapping
from pathlib import Path

import pytest

from ml_agent.tools.check.command import check_command
from ml_agent.tools.findings import Finding
from ml_agent.tools.index import RepoIndex
from tests.processor_time import within

FILES = {
    "train.py": """
        import hydra
        @hydra.main(version_base=None, config_path="conf", config_name="config")
        def main(cfg): ...
        if __name__ == "__main__":
            main()
        """,
    "conf/config.yaml": """
        defaults:
          - db: mysql
          - model: small
          - optional local: default
          - exp: null
          - pk: one
          - /opt@trainer.opt: adam
          - _self_
        lr: 0.1
        batch: 32
        data:
          path: x
          dir: y
        tags: null
        extra: {}
        betas: [0.9, 0.999]
        """,
    "conf/second.yaml": "lr: 1\nother: 2\n",
    "conf/db/mysql.yaml": "driver: mysql\nuser: root\n",
    "conf/db/pg.yaml": "driver: pg\nport: 5432\n",
    "conf/model/small.yaml": "defaults:\n  - enc: cnn\n  - _self_\nwidth: 8\n",
    "conf/model/large.yaml": "defaults:\n  - enc: vit\n  - _self_\nwidth: 80\nheads: 4\n",
    "conf/model/enc/cnn.yaml": "kernel: 3\n",
    "conf/model/enc/vit.yaml": "patch: 16\n",
    "conf/exp/a.yaml": "# @package _global_\ndefaults:\n  - override /db: pg\nlr: 0.01\nextra_key: 3\n",
    "conf/pk/one.yaml": "# @package foo\nz: 1\n",
    "conf/pk/two.yaml": "# @package _global_\ny: 1\n",
    "conf/opt/adam.yaml": "beta: 4\n",
    "conf/opt/sgd.yaml": "momentum: 4\n",
    "conf/add/x.yaml": "q: 1\n",
}

RIGHT = """
data.path=a lr=3
~lr
~db
++lr=3
++new=3
+new=3
+data={z:1}
db=pg
db=pg db.port=4
-m db=mysql,pg
-m lr=1,2
-m lr=choice(1,2)
-m db=glob(*)
hydra.mode=MULTIRUN lr=1,2
db=[mysql,pg]
db=pg.yaml
exp=a extra_key=5
+add=x add.q=3
--cfg job
-cn mine -cd /somewhere lr=3
-cn second other=5
--config-path=conf lr=3
--info
--version
model=large model.heads=4
model/enc=cnn
model/enc=vit model.enc.patch=5
pk=two y=5
pk=[one,two] y=4
opt@trainer.opt=sgd trainer.opt.momentum=4
trainer.opt.beta=4
+opt=sgd opt.momentum=1
+extra.x=1
tags=[a,b]
data={dir:y}
betas=[1,2]
betas.0=1
lr=${batch}
lr=[1,2]
"data.path='a=b'"
hydra.run.dir=x
$OVERRIDES lr=3
"""
WRONG = """
~nope
data.new=3
db=pgg
db.port=4
extra_key=5
add=x
-c
--multirn lr=3
--lr=3
model/enc=cnnn
model.heads=4
model.enc.patch=5
pk.z=4
trainer.opt.momentum=4
opt.beta=4
extra.x=1
tags.x=1
lr
"""


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> RepoIndex:
    return laid(tmp_path_factory.mktemp("hydra"), FILES)


def laid(root: Path, files: Mapping[str, str]) -> RepoIndex:
    for path, text in files.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(textwrap.dedent(text).lstrip("\n"))
    return RepoIndex(root, "1")


def _errors(index: RepoIndex, script: str, words: str) -> list[Finding]:
    words = words if "$" in words and "{" not in words else shlex.join(shlex.split(words))
    return [f for f in check_command(f"python {script} {words}", index) if f.severity != "unsure"]


@pytest.mark.parametrize("words", RIGHT.strip().split("\n"))
def test_right_overrides(index: RepoIndex, words: str) -> None:
    assert _errors(index, "train.py", words) == []


@pytest.mark.parametrize("words", WRONG.strip().split("\n"))
def test_wrong_overrides(index: RepoIndex, words: str) -> None:
    assert [f.severity for f in _errors(index, "train.py", words)] == ["error"]


def test_a_configuration_that_names_itself_ends(tmp_path: Path) -> None:
    files = {"train.py": FILES["train.py"], "conf/config.yaml": "defaults:\n" + "  - config\n" * 10 + "lr: 1\n"}
    index = laid(tmp_path, files)
    findings = within(10, lambda: check_command("python train.py lr=2 nothing=1", index))
    assert [f for f in findings if f.severity == "error"] == []
