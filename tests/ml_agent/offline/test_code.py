"""Python answers adapted from examples."""

import ast
import time
from collections.abc import Callable
from typing import Any

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


def test_the_wording_decides_between_command_and_python(repository: Callable[..., Any]) -> None:
    files = {
        **PACKAGE,
        "README.md": "# Use\n\n```bash\npython run.py --name clip\n```\n\n```python\nfrom vision import load\nload('clip').run()\n```\n",
        "run.py": "import argparse\np = argparse.ArgumentParser()\np.add_argument('--name')\np.parse_args()\n",
    }
    place = repository(files)
    assert place.answer("Give me Python code that loads and runs clip.").kind == "python"
    assert place.answer("Give me the command that runs clip.").kind == "bash"


def test_an_example_of_thousands_of_literals_is_adapted_soon(repository: Callable[..., Any]) -> None:
    calls = "\n".join(f'print(load(name="net{j}", epochs={j}))' for j in range(1000))
    place = repository({**PACKAGE, "README.md": f"# Nets\n\n```python\nfrom vision import load\n\n{calls}\n```\n"})
    began = time.process_time()
    place.answers("Python code that loads a net with 7, 8, 9, 11 and 13 and 'a name'")
    assert time.process_time() - began < 30
