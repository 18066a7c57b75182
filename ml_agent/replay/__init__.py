"""Record what came from outside (model, search, repositories, sandbox), and play it back without a network."""
