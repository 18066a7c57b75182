"""Every prompt and every function schema's wording, one file a phase, rendered strictly."""
