"""Values that a help text lists."""

import pytest

from ml_agent.matching.slots import listed_in


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("task to run, options: [M, S, MS]", ("M", "S", "MS")),
        ("'mean' or 'max'", ("mean", "max")),
        ("Extraction stage. VGG|RCNN|ResNet", ("VGG", "RCNN", "ResNet")),
        ("Image extension. Options: auto | jpg | png, auto keeps it", ("auto", "jpg", "png")),
        ("torchscript, onnx, openvino, engine", ("torchscript", "onnx", "openvino", "engine")),
        ("Model type: dpt_large, dpt_hybrid, swin_tiny, levit_224", ("dpt_large", "dpt_hybrid", "swin_tiny", "levit_224")),
        ("for images, masks, boxes and so on", ()),
        ("the rate, the decay, the momentum", ()),
        ("sizes: 1, 2, 3, 4", ()),
    ],
)  # fmt: skip
def test_values_in_brackets_quotes_bars_and_commas(text: str, expected: tuple[str, ...]) -> None:
    assert listed_in(text) == expected
