"""READMEs, markdown, rst and notebooks as passages with headings and code."""
