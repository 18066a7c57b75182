"""Small programs that fail, each with the name that the failure must get; `capture_failures.py` runs them once."""

from tests.sandbox.failure_libraries import LIBRARY_CASES
from tests.sandbox.failure_model import FailureCase, py

ARGPARSE = """
import argparse
parser = argparse.ArgumentParser()
parser.add_argument("--model", choices=["arma", "gcn"], required=True)
parser.add_argument("--epochs", type=int, default=3)
parser.add_argument("--epoch-size", type=int)
parser.add_argument("data", nargs="?")
args = parser.parse_args()
"""
CLICK = """
import click

@click.command()
@click.option("--rate", type=float, required=True)
@click.option("--mode", type=click.Choice(["fast", "slow"]), default="fast")
@click.argument("path")
def main(rate, mode, path):
    pass

main()
"""
ABSL = """
from absl import app, flags
flags.DEFINE_enum("task", "cola", ["cola", "mrpc"], "task")
flags.DEFINE_string("output_dir", None, "where", required=True)
flags.DEFINE_bool("do_train", False, "train")

def main(argv):
    pass

app.run(main)
"""

CASES: tuple[FailureCase, ...] = (
    # environment
    FailureCase("module", "missing-module", py("import yaml_is_not_here"), "yaml_is_not_here"),
    FailureCase("module-other-name", "missing-module", py("import cv2"), "cv2"),
    FailureCase("module-dotted", "missing-module", py("from sklearnex.linear import A"), "sklearnex"),
    FailureCase("module-with-m", "missing-module", "python -m pytest_is_not_here", "pytest_is_not_here"),
    FailureCase(
        "optional-dependency",
        "missing-module",
        py("import pandas\npandas.DataFrame({'a': [1]}).to_excel('a.xlsx')"),
        "openpyxl",
    ),
    FailureCase(
        "optional-to-be-installed",
        "missing-module",
        py("raise ImportError('rank requires bottleneck to be installed.')"),
        "bottleneck",
    ),
    FailureCase(
        "optional-not-installed",
        "missing-module",
        py("raise ImportError('To plot trees, `graphviz` must be installed')"),
        "graphviz",
    ),
    FailureCase("numpy-alias", "removed-api", py("import numpy as np\nprint(np.float(1))"), "", "constrain:numpy<1.24"),
    FailureCase(
        "numpy-warnings", "removed-api", py("import numpy as np\nprint(np.warnings)"), "", "constrain:numpy<1.24"
    ),
    FailureCase("numpy-2", "removed-api", py("import numpy as np\nprint(np.float_(1))"), "", "constrain:numpy<2"),
    FailureCase(
        "pandas-append",
        "removed-api",
        py("import pandas as pd\npd.DataFrame({'a': [1]}).append({'a': 2}, ignore_index=True)"),
        "",
        "constrain:pandas<2",
    ),
    FailureCase(
        "pillow-antialias",
        "removed-api",
        py("from PIL import Image\nImage.new('L', (4, 4)).resize((2, 2), Image.ANTIALIAS)"),
        "",
        "constrain:Pillow<10",
    ),
    FailureCase(
        "yaml-loader", "removed-api", py("import yaml\nprint(yaml.load('a: 1'))"), "", "constrain:PyYAML==5.3.1"
    ),
    FailureCase(
        "networkx-matrix",
        "removed-api",
        py("import networkx as nx\nnx.from_numpy_matrix([[0]])"),
        "",
        "constrain:networkx<3",
    ),
    FailureCase("scipy-imread", "removed-api", py("from scipy.misc import imread"), "", "constrain:scipy<1.2"),
    FailureCase(
        "general-removed-name",
        "removed-api",
        py("import networkx\nnetworkx.no_such_function()"),
        "networkx",
        "by-date:networkx",
    ),
    FailureCase(
        "general-removed-import",
        "removed-api",
        py("from networkx.algorithms import no_such_function"),
        "networkx.algorithms",
        "by-date:networkx",
    ),
    FailureCase(
        "collections-mapping", "wrong-python", py("from collections import Mapping"), "Mapping", "python:<=3.9"
    ),
    FailureCase("getargspec", "wrong-python", py("import inspect\ninspect.getargspec(print)"), "", "python:<=3.10"),
    FailureCase("time-clock", "wrong-python", py("import time\ntime.clock()"), "", "python:<=3.7"),
    FailureCase(
        "python-312-fstring", "wrong-python", py("names = ['a']\nprint(f'{', '.join(names)}')"), "", "python:>=3.12"
    ),
    FailureCase(
        "library",
        "missing-system-library",
        py("import ctypes\nctypes.CDLL('libOSMesa.so.8')"),
        "libOSMesa.so.8",
        "system:libosmesa6",
    ),
    FailureCase(
        "sndfile",
        "missing-system-library",
        py("raise OSError('sndfile library not found')"),
        "sndfile",
        "system:libsndfile1",
    ),
    FailureCase(
        "tk",
        "missing-system-library",
        py("raise ModuleNotFoundError(\"No module named '_tkinter'\")"),
        "_tkinter",
        "system:python3-tk",
    ),
    FailureCase("program", "missing-program", "sox in.wav out.wav", "sox", "system:sox"),
    FailureCase(
        "program-from-python",
        "missing-program",
        py("import subprocess\nsubprocess.run(['ffmpeg', '-version'])"),
        "ffmpeg",
        "system:ffmpeg",
    ),
    FailureCase(
        "cuda", "no-cuda", py("import torch\ntorch.zeros(2).cuda()"), "Torch not compiled with CUDA enabled", "cpu:"
    ),
    FailureCase(
        "cuda-weights",
        "no-cuda",
        py(
            "raise RuntimeError('Attempting to deserialize object on a CUDA device but torch.cuda.is_available() is False. If you are running on a CPU-only machine, please use torch.load with map_location')"
        ),
        "",
        "cpu:",
    ),
    FailureCase("variable", "missing-environment-variable", py("import os\nos.environ['DATAPATH']"), "DATAPATH"),
    FailureCase(
        "api-key",
        "missing-credentials",
        py("raise Exception('The api_key client option must be set either by passing api_key to the client')"),
    ),
    FailureCase(
        "resolution",
        "network-blocked",
        py("import urllib.request\nurllib.request.urlopen('http://data.example.org/x')"),
    ),
    FailureCase(
        "operators",
        "exception",
        py("import torch\nraise RuntimeError('operator torchvision::nms does not exist')"),
        "RuntimeError: operator torchvision::nms does not exist",
    ),
    FailureCase(
        "numpy-abi",
        "removed-api",
        py(
            "raise ValueError('numpy.dtype size changed, may indicate binary incompatibility. Expected 96 from C header, got 88 from PyObject')"
        ),
        "",
        "constrain:numpy<2",
    ),
    # arguments
    FailureCase(
        "unknown-option",
        "bad-arguments",
        py(ARGPARSE) + " --model gcn --learning-rate 3",
        "error: unrecognized arguments: --learning-rate",
    ),
    FailureCase("bad-choice", "bad-arguments", py(ARGPARSE) + " --model gat"),
    FailureCase(
        "missing-option", "bad-arguments", py(ARGPARSE), "error: the following arguments are required: --model"
    ),
    FailureCase("bad-value", "bad-arguments", py(ARGPARSE) + " --model gcn --epochs many"),
    FailureCase(
        "missing-value", "bad-arguments", py(ARGPARSE) + " --model", "error: argument --model: expected one argument"
    ),
    FailureCase("ambiguous-option", "bad-arguments", py(ARGPARSE) + " --model gcn --epoc 3"),
    FailureCase(
        "click-option", "bad-arguments", py(CLICK) + " --rat 1 x", "No such option '--rat'. Did you mean '--rate'?"
    ),
    FailureCase("script", "missing-script", "python scripts/train.py --epochs 3"),
    FailureCase("shell-script", "missing-script", "bash run_all.sh", "run_all.sh"),
    FailureCase("folder", "missing-script", "cd examples && python main.py", "examples"),
    FailureCase("package-as-script", "missing-script", "mkdir -p pack && python pack", "/workspace/pack"),
    FailureCase(
        "relative-import",
        "relative-import",
        "mkdir -p azure && echo 'from .models import a' > azure/run.py && python azure/run.py",
        "with no known parent package",
    ),
    FailureCase("crlf", "line-endings", "printf 'set -e\\r\\ncd .\\r\\n' > train.sh; bash train.sh"),
    FailureCase("not-executable", "permission", "printf 'echo 1' > go.sh; chmod 600 go.sh; ./go.sh", "./go.sh"),
    FailureCase("read-only", "permission", py("open('/usr/x', 'w')")),
    # data
    FailureCase("file", "missing-file", py("open('config.ini')"), "config.ini"),
    FailureCase("data-file", "missing-file", py("open('data/train.csv')"), "data/train.csv"),
    FailureCase(
        "data-file-pandas", "missing-file", py("import pandas\npandas.read_csv('data/train.csv')"), "data/train.csv"
    ),
    FailureCase("weights", "missing-file", py("import torch\ntorch.load('./weights/vit.pth')"), "./weights/vit.pth"),
    FailureCase("output-folder", "missing-folder", py("open('logs/first.txt', 'w')"), "", "folder:logs"),
    FailureCase(
        "output-folder-torch",
        "missing-folder",
        py("import torch\ntorch.save({}, 'checkpoints/a.pt')"),
        "checkpoints",
        "folder:checkpoints",
    ),
    FailureCase(
        "output-folder-pandas",
        "missing-folder",
        py("import pandas\npandas.DataFrame().to_csv('out/a.csv')"),
        "out",
        "folder:out",
    ),
    FailureCase("listdir", "missing-file", py("import os\nos.listdir('samples')"), "samples"),
    FailureCase("data-folder", "missing-file", py("import os\nos.listdir('data/images')"), "data/images"),
    FailureCase(
        "lfs-pointer",
        "lfs-pointer",
        "printf 'version https://git-lfs.github.com/spec/v1\\noid sha256:1\\nsize 9\\n' > net.pkl; "
        + py("import pickle\npickle.load(open('net.pkl', 'rb'))"),
    ),
    FailureCase("column", "exception", py("import pandas\npandas.DataFrame({'a': [1]})['label']"), "KeyError: 'label'"),
    # code
    FailureCase("syntax", "syntax", py("def f(:\n    pass"), "/workspace/main.py"),
    FailureCase("indentation", "syntax", py("if True:\npass"), "/workspace/main.py"),
    FailureCase("name", "exception", py("print(modle)")),
    FailureCase("cannot-import", "cannot-import-name", "echo 'a = 1' > helper.py; " + py("from helper import b"), "b"),
    FailureCase("shape", "exception", py("import torch\ntorch.ones(2, 3) @ torch.ones(2, 3)")),
    FailureCase("shape-numpy", "exception", py("import numpy as np\nnp.ones((2, 3)) + np.ones((4,))")),
    FailureCase(
        "own-exception", "exception", py("class TrainingError(Exception): pass\nraise TrainingError('diverged')")
    ),
    FailureCase("crash", "crash", py("import ctypes\nctypes.string_at(0)")),
    FailureCase("silent", "unknown", "exit 3"),
    # limits
    FailureCase("memory", "out-of-memory", py("x = []\nwhile True: x.append(bytearray(1 << 24))")),
    FailureCase("memory-error", "out-of-memory", py("bytearray(1 << 62)")),
    FailureCase("numpy-memory", "out-of-memory", py("import numpy as np\nnp.ones((1 << 20, 1 << 20))")),
    FailureCase("torch-memory", "out-of-memory", py("import torch\ntorch.ones(1 << 45)")),
    FailureCase("time", "timeout", "sleep 30", timeout=1.0),
    FailureCase("files", "limit-reached", py("x = [open('/dev/null') for _ in range(100000)]")),
    FailureCase("disk", "disk-full", py("open('big', 'wb').write(bytes(100_000_000))")),
    FailureCase(
        "processes",
        "limit-reached",
        py(
            "import threading, time\nfor _ in range(10000): threading.Thread(target=time.sleep, args=(30,), daemon=True).start()"
        ),
    ),
    FailureCase("killed", "killed", "kill -KILL $$"),
    *LIBRARY_CASES,
)
