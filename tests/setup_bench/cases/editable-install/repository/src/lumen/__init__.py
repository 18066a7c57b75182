from .layers import Layer
