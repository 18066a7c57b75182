"""Says what kind of failure a run ended with."""

from ml_agent.sandbox.diagnosis.classify import diagnose
from ml_agent.sandbox.diagnosis.model import Diagnosis, Fix
from ml_agent.sandbox.diagnosis.refine import RunLocation

__all__ = ["Diagnosis", "Fix", "RunLocation", "diagnose"]
