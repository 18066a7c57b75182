"""ML-Bench in both forms, other agents as subjects, metrics and reports."""
