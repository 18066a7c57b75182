"""Keys that come back in what others say."""

import json
from urllib.parse import quote

import httpx
import pytest

from ml_agent.key_mask import MASK, keys_in, masked

KEY = "sk-canary/0123456789+abc=def&x"


@pytest.mark.parametrize(
    "said",
    [KEY, f"key={KEY};", quote(KEY, safe=""), quote(KEY), quote(KEY, safe="").lower(), json.dumps({"a": KEY}), KEY.replace("/", r"\/"), KEY[:20], f"{KEY[:15]}..."],
)  # fmt: skip
def test_every_way_of_writing_a_key_is_masked(said: str) -> None:
    shown = masked(f"refused: {said} (twice: {said})", [KEY])
    assert "canary" not in shown and shown.startswith(f"refused: {'' if said[0] == 's' else shown[9]}")
    assert shown.count(MASK) == 2 and shown.endswith(")")


def test_what_holds_no_key_stays() -> None:
    assert masked("python train.py --lr 0.1", [KEY]) == "python train.py --lr 0.1"
    assert masked(f"{KEY}{KEY} sk-other", [KEY]) == f"{MASK}{MASK} sk-other"


def test_the_keys_of_a_request() -> None:
    headers = {"Authorization": f"Bearer {KEY}", "api-key": "0123456789"}
    assert set(keys_in(httpx.Headers(headers))) == {KEY, f"Bearer {KEY}", "0123456789"}
    assert keys_in(httpx.Headers({"Authorization": "Bearer none"})) == ()
