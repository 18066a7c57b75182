"""The agent: state, graph, navigators, model clients, budget, runs, command line."""
