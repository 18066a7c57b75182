"""Says what kind of failure a run ended with."""

from sandbox.diagnosis.classify import codes, diagnose
from sandbox.diagnosis.model import Diagnosis, Fix
from sandbox.diagnosis.refine import RunLocation

__all__ = ["Diagnosis", "Fix", "RunLocation", "codes", "diagnose"]
