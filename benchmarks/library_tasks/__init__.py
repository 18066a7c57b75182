"""Twelve tasks on small libraries without a command line: code must be written, and a script judges the file that it leaves."""
