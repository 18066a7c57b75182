"""How a repository is used, by its own documents and scripts.

`extract` goes through documents and shell scripts and gives `entry.Example`s: a command or a block of Python, the words that
introduce it, the folder in which it runs, and which file of the repository it starts.
"""
