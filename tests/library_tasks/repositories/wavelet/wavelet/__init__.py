"""Signals."""

from wavelet.signal import Signal, load
from wavelet.picture import draw

__all__ = ["Signal", "draw", "load"]
