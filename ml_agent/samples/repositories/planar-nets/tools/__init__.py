"""Shared parts of the training scripts."""
