"""The check of words that mean None, each as its library writes it."""

import pytest

from tests.tools.conftest import Make

FUNCTION = """
    from typing import Literal, Optional
    def main(top_k: Optional[int] = 50, compiler: Literal["a", "b"] | None = "a", seed: int = None, lr: float = 0.1): ...
"""
TYRO = FUNCTION + "    import tyro\n    tyro.cli(main)\n"
JSONARGPARSE = FUNCTION + "    from jsonargparse import CLI\n    CLI(main)\n"
PYDANTIC = """
    from typing import Optional
    from pydantic_settings import BaseSettings, SettingsConfigDict
    class Settings(BaseSettings):
        model_config = SettingsConfigDict(cli_parse_args=True)
        top_k: Optional[int] = 50
        lr: float = 0.1
    Settings()
    """


@pytest.mark.parametrize(
    ("text", "words", "found"),
    [
        (TYRO, "--top-k None", []),
        (TYRO, "--compiler None", []),
        (TYRO, "--seed None", []),
        (TYRO, "--lr None", ["error bad-type"]),
        (TYRO, "--top-k null", ["error bad-type"]),
        (TYRO, "--compiler null", ["error bad-choice"]),
        (JSONARGPARSE, "--top_k null", []),
        (JSONARGPARSE, "--top_k=~", []),
        (JSONARGPARSE, "--compiler null", []),
        (JSONARGPARSE, "--seed null", []),
        (JSONARGPARSE, "--lr null", ["error bad-type"]),
        (JSONARGPARSE, "--top_k None", ["error bad-type"]),
        (PYDANTIC, "--top_k null", []),
        (PYDANTIC, "--lr null", ["error bad-type"]),
        (PYDANTIC, "--top_k None", ["error bad-type"]),
    ],
)
def test_none_is_taken_where_the_annotation_says_so(checked: Make, text: str, words: str, found: list[str]) -> None:
    assert checked({"main.py": text})(f"python main.py {words}") == found
