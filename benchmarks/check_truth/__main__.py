"""`python -m benchmarks.check_truth DIR…`."""

from ml_agent.benchmarks.check_truth.report import main

if __name__ == "__main__":
    main()
