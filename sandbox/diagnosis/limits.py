"""Failures at a limit: memory, time, disk, processes."""

from ml_agent.sandbox.diagnosis.model import Rule, rule

RULES: tuple[Rule, ...] = (
    rule(
        "disk-full",
        r"(?P<subject>disk limit of \d+ bytes reached|No space left on device[^\n]*|Disk quota exceeded[^\n]*|File too large[^\n]*|Errno 28[^\n]*|Errno 27[^\n]*|file write failed[^\n]*|database or disk is full)",
        "the disk limit is reached: {subject}",
        scope="any",
    ),
    rule(
        "shared-memory",
        r"(?P<subject>DataLoader worker[^\n]*killed by signal: Bus error[^\n]*|insufficient shared memory[^\n]*|unable to (?:mmap|open) [^\n]*shared memory[^\n]*)",
        "shared memory is too small: {subject}",
        scope="any",
    ),
    rule(
        "gpu-out-of-memory",
        r"(?P<subject>CUDA out of memory[^\n]*|CUDA error: out of memory|OutOfMemoryError[^\n]*|OOM when allocating[^\n]*|CUBLAS_STATUS_ALLOC_FAILED[^\n]*|Resource exhausted[^\n]*)",
        "the GPU's memory is too small: {subject}",
        scope="any",
    ),
    rule(
        "out-of-memory",
        r"(?P<subject>^MemoryError[^\n]*|Unable to allocate [^\n]*|Cannot allocate memory[^\n]*|DefaultCPUAllocator: can't allocate memory[^\n]*|std::bad_alloc[^\n]*|killed by signal: Killed[^\n]*|ArrayMemoryError[^\n]*)",
        "the memory limit is reached: {subject}",
        scope="any",
    ),
    rule(
        "too-many-processes",
        r"(?P<subject>limit of \d+ processes reached|fork: (?:retry: )?Resource temporarily unavailable|can't start new thread|BlockingIOError: \[Errno 11\][^\n]*|Cannot fork|pthread_create failed[^\n]*)",
        "the limit of processes is reached: {subject}",
        scope="any",
    ),
    rule(
        "too-many-files",
        r"(?P<subject>Too many open files[^\n]*|received 0 items of ancdata[^\n]*)",
        "the limit of open files is reached: {subject}",
        scope="any",
    ),
)
