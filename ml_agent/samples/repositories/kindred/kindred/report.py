"""Reports of fitted models as JSON."""

import json
from pathlib import Path


def write_json(path, content):
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(content, indent=2, sort_keys=True) + "\n", encoding="utf-8")


class Reporting:
    """Gives a model `write_report`; the model says what is in it by `summary`."""

    def write_report(self, path, **extra):
        write_json(path, {**self.summary(), **extra})
