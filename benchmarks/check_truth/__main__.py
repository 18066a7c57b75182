"""`python -m benchmarks.check_truth DIR…`."""

from benchmarks.check_truth.report import main

if __name__ == "__main__":
    main()
