"""A small model taught to answer at once: requests and answers, training, and the adapter that comes of it."""
