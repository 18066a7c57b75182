"""What an agent is told of a row of form A, word for word as OpenHands' evaluation tells it (ml_bench/run_infer.py at 156d068)."""

from ml_agent.benchmarks.data import Visible


def instruction(seen: Visible, task_path: str) -> str:
    """The first message. The last two sentences are joined without a blank, as in the source.

    Args:
        seen: What may be known of the row.
        task_path: The task's folder in the sandbox.
    """
    name = seen.github.rstrip("/").rpartition("/")[2]
    prefix = f"Here is the prefix code for the task:\n```bash\n{seen.prefix_code}\n```\n\n" if seen.prefix_code else ""
    return (
        f"Please complete the Machine Learning task in the following repository: {name}\n\n"
        f"{seen.instruction}\n\n"
        "You should create a script named `run.sh` under the specified path in the repo to run the task.\n\n"
        f"You can find the task repo at: {task_path}\n\n"
        f"{prefix}"
        "You should terminate the subprocess after running the task (e.g., call subprocess.Popen(args).wait())."
        'When you think you have completed the task, please finish the interaction using the "finish" tool.\n'
    )
