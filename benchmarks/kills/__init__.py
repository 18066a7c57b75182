"""Kills runs of the program at random moments, goes on, and looks whether anything was lost, doubled or left behind."""
