"""Clustering and mixture models in plain Python."""

from .agglomerative import Agglomerative
from .data import make_blobs, make_moons, make_stripes, read_points, standardize
from .mixture import GaussianMixture
from .partition import KMeans, KMedoids
from .scores import adjusted_rand, silhouette

__version__ = "0.3.1"

__all__ = [
    "Agglomerative",
    "GaussianMixture",
    "KMeans",
    "KMedoids",
    "adjusted_rand",
    "make_blobs",
    "make_moons",
    "make_stripes",
    "read_points",
    "silhouette",
    "standardize",
]
