"""Values that a row states are words of their own in an answer, and numbers are numbers."""

import pytest

from ml_agent.benchmarks.strict.stated import missing_values
from ml_agent.benchmarks.strict.text import Kind


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (3, "python a.py --epochs 3"),
        (3, "python a.py --epochs=3.0 --lr 1"),
        (3, "python a.py -e3"),
        (3, "python a.py --sizes 1,3,5"),
        ("0.05", "python a.py --lr 5e-2"),
        ("0.05", "python a.py --lr .05"),
        ("1e-4", "python a.py --lr 0.0001"),
        (100000, "python a.py --steps 1e5"),
        (-1.0, "python a.py --thresh=-1"),
        (512, "python a.py --name city_512_g1"),
        ("CORA", "python a.py --data Cora"),
        ("city", "python a.py --name label2city_512"),
        ("-median", "python a.py -median"),
        ("init_from=resume", "python a.py --init_from=resume"),
        ("0 0.5", "python a.py --drop 0 0.5"),
        ("", "python a.py"),
    ],
)
def test_a_value_that_is_used(value: object, text: str) -> None:
    assert missing_values(text, {"value": value}) == []


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (3, "python a.py --lr 1e-3"),
        (3, "python a.py --epochs 33"),
        (3, "python a.py --tag a3"),
        (3, "python a.py --lr 0.3"),
        (3, "python a.py --version 1.3.0"),
        (3, "python a.py --shift -3"),
        (-3, "python a.py --shift 3"),
        ("0.05", "python a.py --lr 0.055"),
        ("adam", "python a.py --opt adamw"),
        ("blip", "python a.py --arch blip2"),
        ("net", "python a.py --arch resnet"),
    ],
)
def test_a_value_that_is_part_of_another(value: object, text: str) -> None:
    assert missing_values(text, {"value": value}) == [str(value)]


@pytest.mark.parametrize(
    ("value", "text", "kind", "used"),
    [
        ("CrissCross", "net = CrissCrossAttention(512)", "python", True),
        ("langevin", "corrector = LangevinCorrector()", "python", True),
        ("cross", "net = CrissCrossAttention(512)", "python", True),
        ("inpaint", "inpainting(image)", "python", True),
        ("paint", "inpainting(image)", "python", False),
        ("7", "model(17)", "python", False),
        ("inpaint", "python inpainting.py", "bash", False),
    ],
)
def test_in_code_a_value_may_begin_a_name(value: str, text: str, kind: Kind, used: bool) -> None:
    assert missing_values(text, {"value": value}, kind) == ([] if used else [value])
