"""Failures of a program: at a limit, by its command, by its data, in its code. What a traceback's last line says is said by that line."""

from ml_agent.sandbox.diagnosis.model import Fix, Rule, rule


def _folder(path: str) -> Fix | None:
    return Fix(kind="folder", arguments=(path,)) if path else None


LIMITS: tuple[Rule, ...] = (
    rule(
        "disk-full",
        r"(?P<subject>disk limit of \d+ bytes reached|No space left on device[^\n]*|Disk quota exceeded[^\n]*|File too large[^\n]*|Errno 2[78][^\n]*|file write failed[^\n]*|database or disk is full)",
        "the disk limit is reached: {subject}",
        scope="any",
    ),
    rule(
        "out-of-memory",
        r"(?P<subject>^MemoryError[^\n]*|Unable to allocate [^\n]*|Cannot allocate memory[^\n]*|DefaultCPUAllocator: can't allocate memory[^\n]*|std::bad_alloc[^\n]*|killed by signal: Killed[^\n]*|ArrayMemoryError[^\n]*"
        r"|CUDA out of memory[^\n]*|CUDA error: out of memory|OutOfMemoryError[^\n]*|OOM when allocating[^\n]*|CUBLAS_STATUS_ALLOC_FAILED[^\n]*)",
        "the memory limit is reached: {subject}",
        scope="any",
    ),
    rule(
        "limit-reached",
        r"(?P<subject>limit of \d+ processes reached|fork: (?:retry: )?Resource temporarily unavailable|can't start new thread|BlockingIOError: \[Errno 11\][^\n]*|Cannot fork|pthread_create failed[^\n]*"
        r"|Too many open files[^\n]*|received 0 items of ancdata[^\n]*|killed by signal: Bus error[^\n]*|insufficient shared memory[^\n]*|unable to (?:mmap|open) [^\n]*shared memory[^\n]*)",
        "a limit of the sandbox is reached: {subject}",
        scope="any",
    ),
)

COMMAND: tuple[Rule, ...] = (
    rule(
        "bad-arguments",
        r"(?P<subject>error: (?:unrecognized arguments?|ambiguous option|argument [^:\n]+|the following arguments are required|one of the arguments [^\n]+ is required|too few arguments|extra arguments?)[^\n]*"
        r"|[Nn]o such option[^\n]*|FATAL Flags parsing error[^\n]*\n?[^\n]*|Unknown command line flag[^\n]*|Invalid value for [^\n]*|[Mm]issing (?:option|argument|parameter) [^\n]*|Option '[^'\n]+' requires an argument"
        r"|Missing value for flag[^\n]*|[Gg]ot unexpected extra argument[^\n]*|Too many command-line arguments[^\n]*|Some specified arguments are not used by the HfArgumentParser[^\n]*|unrecognized option[^\n]*"
        r"|(?:invalid|illegal) option -- [^\n]*|Could not override '[^\n]*|Missing mandatory value: [^\n]*|ERROR: (?:Could not consume arg|The function received no value for the required argument)[^\n]*"
        r"|sys\.argv\[\d\][^\n]*\n(?:[ ~^]*\n)?IndexError: list index out of range)",
        "the program does not take these arguments: {subject}",
        scope="any",
    ),
    rule(
        "line-endings",
        r"\$'\\r': command not found|(?P<subject>\S+): line \d+: [^\n]*\\r|/bin/(?:ba)?sh\^M: bad interpreter|env: '(?:ba)?sh\\r'|env: ‘(?:python3?|bash)\\r’",
        "the script {subject} has Windows line endings (CR LF): {line}",
        scope="any",
    ),
    rule(
        "missing-script",
        r"can't open file '(?P<subject>[^']+)': \[Errno 2\]|(?:bash|sh): (?P<other>\S+\.sh): No such file or directory|No module named (?P<third>[\w.]+)\.?__main__|can't find '__main__' module in '(?P<any>[^']+)'"
        r"|Error while finding module specification for '(?P<fourth>[^']+)'|(?:bash|sh): (?:line \d+: )?(?P<fifth>\.?/\S+): No such file or directory|cd: (?P<sixth>\S+): No such file or directory",
        "there is no such script or folder: {subject}",
        scope="any",
    ),
    rule(
        "relative-import",
        r"attempted relative import (?P<subject>with no known parent package|beyond top-level package)",
        "a module of a package was run as a script (relative import {subject}): run it as `python -m package.module` from the package's parent folder",
    ),
    rule(
        "permission",
        r"(?:bash|sh): (?:line \d+: )?(?P<subject>\S+): Permission denied|PermissionError: \[Errno 1?3\] [^:\n]*: '?(?P<other>[^'\n]+)|(?P<third>\S+): Permission denied|cannot create [^\n]*: (?P<fourth>Permission denied)|Read-only file system: '?(?P<fifth>[^'\n]+)",
        "no permission for {subject}",
        scope="any",
    ),
)

POINTERS: tuple[Rule, ...] = (
    rule(
        "lfs-pointer",
        r"(?P<subject>invalid load key, 'v'|version https://git-lfs\.github\.com|git-lfs\.github\.com/spec)",
        "a file is only a pointer of Git LFS, its content was not fetched ({subject})",
        scope="any",
    ),
)

DATA: tuple[Rule, ...] = (
    rule(
        "missing-folder",
        r"Parent directory (?P<subject>[^\n]+?) does not exist|^OSError: Cannot save file into a non-existent directory: '(?P<other>[^']+)'|Failed to create a NewWriteableFile: (?P<third>[^;\n]+)/[^/;\n]+ : No such file"
        r"|Directory does not exist: (?P<fifth>\S+)",
        "the output folder {subject} does not exist",
        fix=_folder,
        scope="any",
    ),
    rule(
        "missing-folder",
        r"^\s+[^\n]*(?:open\([^\n]*['\"][wax]b?\+?t?['\"]|savefig\(|torch\.save\(|np\.save\w*\(|to_csv\(|\.save\(|imwrite\(|FileHandler\(|imsave\(|save_image\(|to_pickle\(|to_json\(|os\.mkdir\(|write_text\(|write_bytes\(|dump\()"
        r"[\s\S]{0,3000}?FileNotFoundError: \[Errno 2\] No such file or directory: '(?P<subject>[^'\n]*[^'\n/])/+(?P<name>[^'\n/]+)'\s*$",
        "the folder {subject} for {name} does not exist",
        fix=_folder,
        scope="any",
    ),
    rule(
        "missing-file",
        r"(?:(?:FileNotFoundError|NotADirectoryError): (?:\[Errno \d+\] )?[^'\n]*|No such file or directory: |name = )'"
        r"(?P<subject>[^'\n]+)'|(?:cat|cp|mv|ls|head|tail|unzip|tar|python3?|bash|source|rm|sed|awk)(?::| \S+:) (?:cannot (?:stat|access|open) )?'?(?P<other>[^':\n]+)'?: (?:Cannot open: )?No such file or directory"
        r"|(?:can't|cannot|could not|unable to|Can't|Cannot|Could not|Unable to|failed to|Failed to) (?:find|open|read|load)(?: or open)? (?:the )?(?:input )?(?:file|folder|directory|image|path)? ?['\"]?(?P<third>[\w./~-]+[./][\w./-]+)"
        r"|(?P<fourth>[\w./-]+/[\w./-]+)(?: does not exist|: No such file or directory| not found| not exists?)|(?:OSError|FileNotFoundError|ValueError): (?P<fifth>[\w./-]+\.\w+) not found|NotFoundError:[^\n]*?(?P<sixth>[\w./-]+\.\w+); No such file"
        r"|(?i:unable to|cannot|can't|could not|failed to) (?:find|locate) [^\n]{1,80}?\b(?:binary|executable)\b[^\n]*: (?P<seventh>/[\w./-]+)$",
        "the file {subject} is missing",
    ),
)

SYNTAX: tuple[Rule, ...] = (
    rule(
        "syntax",
        r"File \"(?P<subject>[^\"]+)\", line (?P<number>\d+)\n(?:[^\n]*\n){0,4}?(?P<said>(?:SyntaxError|IndentationError|TabError): [^\n]+)",
        "{subject}, line {number}: {said}",
        scope="any",
    ),
)

CODE: tuple[Rule, ...] = (
    rule(
        "cannot-import-name",
        r"ImportError: cannot import name '(?P<subject>\w+)' from (?:partially initialized module )?'(?P<module>[\w.]+)'",
        "{module} has no {subject}",
    ),
    rule("import-error", r"^ImportError: (?P<subject>[^\n]+)", "an import fails: {subject}"),
)

GENERAL: tuple[Rule, ...] = (
    rule(
        "exception",
        r"File \"(?![^\"]*ml_agent_answer\.py)[^\"]+\", line \d+, in [^\n]+\n(?:[ ]{4,}[^\n]*\n){0,3}(?P<subject>(?:Type|Attribute)Error: (?!.*NoneType)[^\n]+)(?![\s\S]*^Traceback)",
        "the program fails: {subject}",
        fix=lambda subject: Fix(kind="by-date"),
        scope="any",
    ),  # old code with new libraries often does
    rule(
        "exception",
        r"^(?P<subject>[A-Za-z_][\w.]*(?:Error|Exception|Exit|Interrupt|Warning|NotFound\w*|Failure)(?:: [^\n]+)?)$|Error\(s\) in loading state_dict for (?P<other>\w+)",
        "the program fails: {subject}",
    ),
)
