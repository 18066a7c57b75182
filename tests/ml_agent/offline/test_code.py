"""Python answers adapted from examples."""

import ast
import time
from collections.abc import Callable
from typing import Any

from ml_agent.offline.literals import literals

PACKAGE = {
    "vision/__init__.py": "from vision.zoo import load, big, small\n",
    "vision/zoo.py": '''
        """Models."""

        def load(name, model_type="base", device="cpu"):
            """Load a model."""

        def big():
            """The big model."""

        def small():
            """The small model."""
    ''',
}
README = """
    # Vision

    ## Set-up

    ```python
    import torch
    from PIL import Image
    device = torch.device("cpu")
    raw_image = Image.open("docs/example.png").convert("RGB")
    ```

    ## Captioning

    Generate a caption:

    ```python
    from vision import load
    model = load(name="clip_caption", model_type="base_coco", device=device)  # a comment stays
    caption = "a large fountain in the park"
    print(model.generate(raw_image, caption, guidance=7.0))
    ```

    ## Shapes

    ```python
    import torch
    from vision import small
    print(small()(torch.randn(50,49,512)).shape)
    ```
"""
FILES = {**PACKAGE, "README.md": README}


def test_literals_are_replaced_and_the_rest_stays(repository: Callable[..., Any]) -> None:
    draft = repository(FILES).answer(
        "Generate a caption for the image './pics/cat.jpg' with the 'clip_vqa' model, the text 'a cat on a mat' and a guidance of 5.0."
    )
    assert draft.kind == "python"
    assert draft.sound
    for part in ('"./pics/cat.jpg"', 'name="clip_vqa"', '"a cat on a mat"', "guidance=5.0", "# a comment stays"):
        assert part in draft.text


def test_a_file_never_takes_the_place_of_a_sentence(repository: Callable[..., Any]) -> None:
    readme = """
        # Encoder

        Encode the sentences with the model all-mini:

        ```python
        from vision import load
        model = load("all-mini")
        sentences = ["The weather is lovely today.", "He drove to the stadium."]
        print(model.encode(sentences))
        ```
    """
    draft = repository({**PACKAGE, "README.md": readme}).answer("Encode the sentences in s.txt with all-mini.")
    assert draft.level in {"guess", "unsure"} and "s.txt" not in draft.text


def test_earlier_blocks_and_imports_complete_the_example(repository: Callable[..., Any]) -> None:
    draft = repository(FILES).answer("Generate a caption for an image.")
    assert draft.text.index("import torch") < draft.text.index("device = torch.device") < draft.text.index("load(name=")
    ast.parse(draft.text)


def test_shapes_keep_the_style_of_the_code(repository: Callable[..., Any]) -> None:
    draft = repository(FILES).answer("Print the shapes of the small model for an input of shape (10, 64, 512).")
    assert "torch.randn(10,64,512)" in draft.text


def test_a_missing_import_of_the_repository_is_added(repository: Callable[..., Any]) -> None:
    files = {
        **PACKAGE,
        "README.md": "# Use\n\nLoad it:\n\n```python\nmodel = load('clip')\nprint(np.sum(model))\n```\n",
    }
    draft = repository(files).answer("Load the clip model in Python.")
    assert "import load" in draft.text
    assert "import numpy as np" in draft.text


def test_the_wording_decides_between_command_and_python(repository: Callable[..., Any]) -> None:
    files = {
        **PACKAGE,
        "README.md": "# Use\n\n```bash\npython run.py --name clip\n```\n\n```python\nfrom vision import load\nload('clip').run()\n```\n",
        "run.py": "import argparse\np = argparse.ArgumentParser()\np.add_argument('--name')\np.parse_args()\n",
    }
    place = repository(files)
    assert place.answer("Give me Python code that loads and runs clip.").kind == "python"
    assert place.answer("Give me the command that runs clip.").kind == "bash"


ZOO = {
    "vision/__init__.py": "from vision.zoo import make\n",
    "vision/zoo.py": """
        _BIG = dict(web_a=1, photos_b=2)
        WEIGHTS = {"big-net": _BIG, "tiny-net": {"web_c": 3}, "old-net": {"photos_b": 4}}

        def make(name, pretrained=None):
            ...
    """,
    "README.md": """
        # Vision

        Make a model:

        ```python
        from vision import make
        print(make("big-net", pretrained="photos-b"))
        ```
    """,
}


REGISTERED = {
    "vision/__init__.py": "from vision.zoo import load\n",
    "vision/zoo.py": """
        @register("finder")
        class Finder:
            WEIGHTS = {"base": "finder.yaml"}

        @register("sorter")
        @register("old_sorter")
        class Sorter:
            WEIGHTS = {"kinds": "sorter.yaml", "base": "base.yaml"}

        def load(name, weights, guidance_scale=1.0):
            ...
    """,
    "README.md": """
        # Vision

        Load a model and find pictures:

        ```python
        from vision import load
        caption = "a dog on a hill"
        print(load(name="finder", weights="base", guidance_scale=2.0).find_pictures(caption))
        ```
    """,
}


def test_what_the_code_calls_or_sets_is_no_value(repository: Callable[..., Any]) -> None:
    text = repository(REGISTERED).answer("Write code for a Find Pictures task that changes the 'guidance_scale'.").text
    assert '"a dog on a hill"' in text
    assert '"finder", weights="base", guidance_scale=2.0' in text


def test_a_list_of_names_in_a_readme_is_no_program(repository: Callable[..., Any]) -> None:
    files = {
        "README.md": "# Scores\n\nEvaluate an encoder on these tasks:\n\n```python\n['MR', 'TREC', 'MRPC']\n```\n",
        "score.py": "import argparse\np = argparse.ArgumentParser()\np.add_argument('--tasks', nargs='+')\np.parse_args()\n",
    }
    drafts = repository(files).answers("Evaluate the encoder on the tasks MR and TREC.", 5)
    assert drafts[0].text.startswith("python score.py")
    assert all(draft.kind == "bash" for draft in drafts)


def test_a_file_that_the_request_comes_near_to_takes_the_place_of_its_neighbour(
    repository: Callable[..., Any],
) -> None:
    shown = "# Read\n\n```python\nfrom vision import load\n\nmodel = load('tiny')\nprint(model.read('texts/fables.txt'))\n```\n"
    files = {"README.md": shown, "texts/fables.txt": "a", "texts/diary.txt": "b"}
    place = repository({**PACKAGE, **files})
    assert "texts/diary.txt" in place.answer("Python code that reads the diary with the model").text
    assert "texts/fables.txt" in place.answer("Python code that reads a text with the model").text


def test_the_one_number_without_a_place_is_for_the_one_literal_that_counts(repository: Callable[..., Any]) -> None:
    shown = "# Read\n\n```python\nfrom vision import load\n\nprint(load('tiny').read(limit=100))\n```\n"
    option = 'import argparse\np = argparse.ArgumentParser()\np.add_argument("--limit", type=int, default=50, help="number of tokens to read")\np.parse_args()\n'
    place = repository({**PACKAGE, "README.md": shown, "read.py": option})
    assert "limit=25" in place.answer("Python code that reads 25 words").text


def test_an_example_of_thousands_of_literals_is_adapted_soon(repository: Callable[..., Any]) -> None:
    calls = "\n".join(f'print(load(name="net{j}", epochs={j}))' for j in range(1000))
    place = repository({**PACKAGE, "README.md": f"# Nets\n\n```python\nfrom vision import load\n\n{calls}\n```\n"})
    began = time.process_time()
    place.answers("Python code that loads a net with 7, 8, 9, 11 and 13 and 'a name'")
    assert time.process_time() - began < 30


def test_messages_and_what_is_compared_take_no_value() -> None:
    found = literals("if mode == 'fast':\n    print('ready now')\nrun('fast')\n")
    assert [one.text for one in found if one.kind == "text"] == ["fast"]


def test_a_file_and_a_sentence_keep_their_places(repository: Callable[..., Any]) -> None:
    files = {
        **PACKAGE,
        "vision/match.py": "def align(sound, words):\n    pass\n",
        "README.md": "# Match\n\nAlign words:\n\n```python\nfrom vision.match import align\n\nalign('hello.mp3', 'Hello, World!')\n```\n",
    }
    draft = repository(files).answer('In Python, align "Good night, all" with night.mp3.')
    assert 'align("night.mp3", "Good night, all")' in draft.text
    draft = repository(files).answer('In Python, align "Hello, World!" with night.mp3.')
    assert "align(\"night.mp3\", 'Hello, World!')" in draft.text
