"""Trains the sentence encoder of `ml_agent/encoder` on requests whose words are marked with the options that they mean."""
