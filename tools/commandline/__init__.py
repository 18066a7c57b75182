"""Command lines: parse (`parse`), change (`edit`), write (`render`). What is not changed stays as it was written."""
