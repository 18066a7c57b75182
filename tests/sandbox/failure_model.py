"""What is known of a program that fails."""

from typing import NamedTuple


class FailureCase(NamedTuple):
    """One program: what is run, and what must be said about it."""

    name: str
    code: str
    command: str
    subject: str = ""
    fix: str = ""
    """kind:arguments, separated by commas."""
    timeout: float = 20.0
    group: str = "common"
    """What is installed where it runs: see GROUPS."""


GROUPS = {
    "common": "numpy pandas Pillow PyYAML networkx scipy click absl-py setuptools torch",
    "newest": "markupsafe jinja2 werkzeug flask itsdangerous ruamel.yaml setuptools>=82 matplotlib scikit-learn scipy pandas"
    " Pillow networkx openai pydantic gensim librosa opencv-python-headless scikit-image moviepy torch torchmetrics"
    " torch_geometric transformers huggingface_hub datasets lightgbm statsmodels importlib_metadata diffusers gym nltk"
    " spacy graphviz",
    "plain": "",
}
"""Distributions by group, each in its newest version."""


def py(text: str) -> str:
    """A command that writes `text` to main.py and runs it, so that the traceback shows its lines."""
    return f"cat > main.py <<'END'\n{text}\nEND\npython main.py"
