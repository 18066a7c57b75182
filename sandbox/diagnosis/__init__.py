"""Says what kind of failure a run ended with."""

from sandbox.diagnosis.classify import codes, diagnose
from sandbox.diagnosis.model import Diagnosis, Fix
from sandbox.diagnosis.refine import Place

__all__ = ["Diagnosis", "Fix", "Place", "codes", "diagnose"]
