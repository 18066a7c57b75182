"""The image that containers are made from: found, or built from the recipe in this folder."""

from ml_agent.sandbox.image.build import ensure_image, image_name, python_of

__all__ = ["ensure_image", "image_name", "python_of"]
