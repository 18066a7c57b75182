"""Programs that fail with the newest libraries, or need none."""

from tests.sandbox.failure_model import FailureCase, py

LIBRARY_CASES: tuple[FailureCase, ...] = (
    # of groups that need little, or the newest
    FailureCase(
        "compiler",
        "missing-program",
        "printf 'int x;' > a.c; "
        + py("import subprocess\nsubprocess.check_call(['cmake', '.'])").replace(
            "python main.py", "PATH=/usr/nothing:/opt/venv/bin /opt/venv/bin/python main.py"
        ),
        "cmake",
        "system:cmake,build-essential",
        group="plain",
    ),
    FailureCase("import-error", "import-error", py("raise ImportError('the kernels were not built')"), group="plain"),
    FailureCase(
        "lazy-attribute",
        "removed-api",
        py("raise AttributeError('No librosa attribute nothing_of_that_name')"),
        "librosa",
        "by-date:librosa",
        group="plain",
    ),
    FailureCase(
        "argument-of-a-library",
        "removed-api",
        py("import networkx as nx\nnx.relabel_nodes(nx.path_graph(2), {}, deep=True)"),
        fix="by-date:networkx",
        group="newest",
    ),
    FailureCase(
        "graphviz-program",
        "missing-program",
        py("import os\nos.environ['PATH'] = ''\nimport graphviz\ngraphviz.Digraph('a').render()"),
        "dot",
        "system:graphviz",
        group="newest",
    ),
    # newest libraries
    *(
        FailureCase(name, "removed-api", py(text), fix=f"constrain:{fix}", group="newest")
        for name, fix, text in (
            ("markupsafe-soft-unicode", "markupsafe<2.1", "from markupsafe import soft_unicode"),
            ("werkzeug-url-quote", "Werkzeug<3", "from werkzeug.urls import url_quote"),
            ("flask-context", "Flask<2.3,Werkzeug<2.3", "from flask import _request_ctx_stack"),
            ("matplotlib-colormap", "matplotlib<3.9", "import matplotlib.cm as cm\ncm.get_cmap('jet')"),
            (
                "matplotlib-style",
                "matplotlib<3.8",
                "import matplotlib.pyplot as plt\nplt.style.use('seaborn-whitegrid')",
            ),
            ("scipy-trapz", "scipy<1.14", "from scipy.integrate import trapz"),
            ("scipy-matrix", "scipy<1.14", "import scipy.sparse as s\ns.csr_matrix([[1]]).A"),
            ("sklearn-split", "scikit-learn<0.22", "from sklearn.cross_validation import train_test_split"),
            (
                "sklearn-names",
                "scikit-learn<1.2",
                "from sklearn.feature_extraction.text import CountVectorizer as C\nC().fit(['a word']).get_feature_names()",
            ),
            (
                "sklearn-squared",
                "scikit-learn<1.6",
                "from sklearn.metrics import mean_squared_error as m\nm([1.0], [2.0], squared=False)",
            ),
            ("pandas-panel", "pandas<1", "import pandas as pd\npd.Panel()"),
            (
                "pillow-textsize",
                "Pillow<10",
                "from PIL import Image, ImageDraw\nImageDraw.Draw(Image.new('L', (4, 4))).textsize('a')",
            ),
            ("openai-completion", "openai<1", "import openai\nopenai.ChatCompletion.create(model='m', messages=[])"),
            ("pydantic-settings", "pydantic<2", "from pydantic import BaseSettings"),
            ("librosa-output", "librosa<0.8", "import librosa\nlibrosa.output.write_wav"),
            ("opencv-contrib", "opencv-contrib-python-headless<4.7", "import cv2\ncv2.xfeatures2d.SIFT_create()"),
            (
                "skimage-multichannel",
                "scikit-image<0.22",
                "import numpy as np\nfrom skimage.transform import rescale\nrescale(np.zeros((4, 4, 3)), 0.5, multichannel=True)",
            ),
            ("torch-six", "torch<2", "from torch._six import container_abcs"),
            ("torch-rfft", "torch<1.8", "import torch\ntorch.rfft(torch.ones(4), 1)"),
            ("torchmetrics-task", "torchmetrics<0.11", "import torchmetrics\ntorchmetrics.Accuracy()"),
            ("transformers-adamw", "transformers<4.39", "from transformers import AdamW"),
            ("hub-download", "huggingface-hub<0.26", "from huggingface_hub import cached_download"),
            (
                "statsmodels-arima",
                "statsmodels<0.13",
                "from statsmodels.tsa.arima_model import ARIMA\nARIMA([1.0], (1, 0, 0))",
            ),
        )
    ),
    # versions of Python
    *(
        FailureCase(name, "wrong-python", py(text), fix=f"python:{fix}", group="plain")
        for name, fix, text in (
            ("python-override", ">=3.12", "from typing import override"),
            ("python-deprecated", ">=3.13", "from warnings import deprecated"),
            ("python-type-alias", ">=3.12", "type Pair = tuple[int, int]"),
            ("python-formatter", "<=3.9", "import formatter"),
            ("python-encodestring", "<=3.8", "import base64\nbase64.encodestring(b'a')"),
            ("python-shuffle", "<=3.10", "import random\nrandom.shuffle([1], random.random)"),
            (
                "python-dataclass",
                "<=3.10",
                "import dataclasses as d\nclass A: __hash__ = None\n@d.dataclass\nclass B:\n    a: A = A()",
            ),
            ("python-errno", "<=3.6", "import os\nos.errno"),
            ("python-2-module", "<=2.7", "import urllib2"),
        )
    ),
)
