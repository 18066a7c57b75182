"""Failures of code: of the repository's, or of code that was written for the task."""

from ml_agent.sandbox.diagnosis.model import Rule, rule

SYNTAX: tuple[Rule, ...] = (
    rule(
        "syntax",
        r"File \"(?P<subject>[^\"]+)\", line (?P<number>\d+)\n(?:[^\n]*\n){0,4}?(?P<said>(?:SyntaxError|IndentationError|TabError): [^\n]+)",
        "{subject}, line {number}: {said}",
        scope="any",
    ),
    rule(
        "circular-import",
        r"(?P<subject>partially initialized module '[\w.]+'[^\n]*|cannot import name '\w+' from partially initialized[^\n]*)",
        "a module imports itself in a circle, or a file of the repository has a library's name: {subject}",
    ),
)

IMPORTS: tuple[Rule, ...] = (
    rule(
        "cannot-import-name",
        r"ImportError: cannot import name '(?P<subject>\w+)' from '(?P<module>[\w.]+)'",
        "{module} has no {subject}",
    ),
)

RULES: tuple[Rule, ...] = (
    rule(
        "state-mismatch",
        r"Error\(s\) in loading state_dict for (?P<subject>\w+)",
        "the weights do not fit the model {subject}: {line}",
        scope="any",
    ),
    rule(
        "device-mismatch",
        r"(?P<subject>Expected all tensors to be on the same device[^\n]*|Tensor on device \S+ is not on the expected device[^\n]*|Input type \([^)]*\) and weight type \([^)]*\) should be the same[^\n]*|expected device \w+[^\n]* but got device[^\n]*)",
        "tensors are on different devices: {subject}",
    ),
    rule(
        "shape-mismatch",
        r"(?P<subject>mat1 and mat2 shapes cannot be multiplied[^\n]*|size mismatch[^\n]*|shapes? \([^)]*\) (?:and|not aligned)[^\n]*|operands could not be broadcast[^\n]*|The size of tensor a[^\n]*|shape '\[[^\]]*\]' is invalid for input[^\n]*|Given groups=\d+[^\n]*"
        r"|Expected \d+D?[^\n]*(?:input|tensor)[^\n]*got[^\n]*|Sizes of tensors must match[^\n]*|cannot reshape array[^\n]*|[Dd]imension(?:s)? (?:out of range|mismatch|must be equal)[^\n]*|matmul: [^\n]*mismatch[^\n]*|expected sequence of length[^\n]*|stack expects each tensor[^\n]*"
        r"|all (?:the )?input array[^\n]*|could not broadcast[^\n]*|einsum\(\)[^\n]*|Expected input batch_size[^\n]*|must match the size[^\n]*|inconsistent numbers of samples[^\n]*|embed_dim must be divisible[^\n]*|number of dims don't match[^\n]*|inhomogeneous shape[^\n]*|not divisible by[^\n]*)",
        "array shapes do not match: {subject}",
    ),
    rule(
        "dtype-mismatch",
        r"(?P<subject>expected (?:scalar type|m1 and m2 to have the same dtype)[^\n]*|Found dtype \w+ but expected[^\n]*|expected dtype[^\n]*|\"\w+\" not implemented for '\w+'|Expected object of scalar type[^\n]*|ufunc '\w+' (?:not supported|did not contain)[^\n]*|can't convert np\.ndarray of type[^\n]*|result type \w+ can't be cast[^\n]*)",
        "number types do not match: {subject}",
    ),
    rule(
        "multiprocessing",
        r"(?P<subject>DataLoader worker \(pid[^)]*\) exited unexpectedly[^\n]*|An attempt has been made to start a new process before[^\n]*|Can't pickle [^\n]*|AttributeError: Can't (?:get|pickle) (?:local )?(?:attribute|object)[^\n]*|cannot pickle '[^']+' object)",
        "a worker process fails: {subject}",
    ),
    rule("assertion", r"^AssertionError(?:: (?P<subject>[^\n]+))?", "an assertion of the code fails: {subject}"),
    rule(
        "not-implemented",
        r"^NotImplementedError(?:: (?P<subject>[^\n]+))?",
        "not implemented: {subject}",
    ),
    rule(
        "undefined-name",
        r"^NameError: (?P<subject>[^\n]+)|^UnboundLocalError: (?P<other>[^\n]+)",
        "{subject}",
    ),
    rule(
        "bad-call",
        r"^TypeError: (?P<subject>\S+\(\) (?:got an unexpected keyword|missing \d+ required|takes [^\n]*positional|got multiple values)[^\n]*|[^\n]*is not callable[^\n]*)",
        "a function is called with wrong arguments: {subject}",
    ),
    rule("type-error", r"^TypeError: (?P<subject>[^\n]+)", "a value has the wrong type: {subject}"),
    rule("attribute-error", r"^AttributeError: (?P<subject>[^\n]+)", "{subject}"),
    rule("index-error", r"^IndexError: (?P<subject>[^\n]+)", "an index is out of range: {subject}"),
    rule("key-error", r"^KeyError: (?P<subject>[^\n]+)", "there is no such key: {subject}"),
    rule("zero-division", r"^ZeroDivisionError: (?P<subject>[^\n]+)", "a division by zero: {subject}"),
    rule("recursion", r"^RecursionError: (?P<subject>[^\n]+)", "endless recursion: {subject}"),
    rule("value-error", r"^ValueError: (?P<subject>[^\n]+)", "a value is not accepted: {subject}"),
    rule("import-error", r"^ImportError: (?P<subject>[^\n]+)", "an import fails: {subject}"),
    rule("interrupted", r"^KeyboardInterrupt", "the program was interrupted"),
)

GENERAL: tuple[Rule, ...] = (
    rule(
        "exception",
        r"^(?P<subject>[A-Za-z_][\w.]*(?:Error|Exception|Exit|Interrupt|Warning|NotFound\w*|Failure)(?:: [^\n]+)?)$",
        "the program fails: {subject}",
    ),
    rule(
        "error-line",
        r"^(?P<subject>[^\n]*\b(?:ERROR|[Ee]rror|FATAL|fatal|Fatal)\b[^\n]*)$",
        "the program says: {subject}",
    ),
)
