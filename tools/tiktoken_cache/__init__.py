"""The rank files of two encodings, packed, under the names by which tiktoken looks for them.

Published by OpenAI with tiktoken (MIT licence): fb374d41... is o200k_base, 9b5ad71b... is cl100k_base.
"""
