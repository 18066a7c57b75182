"""What a line of output is: the program's own, or noise of installers, imports and downloads; progress; an error."""

import re
from typing import Literal

Kind = Literal["own", "noise", "download", "progress"]

MAX_WIDTH = 400
"""Characters of a line that are looked at."""

_NOISE = re.compile(
    r"""^\s*(?:$
    |(?:Collecting|Processing|Obtaining|Building|Preparing|Installing|Uninstalling|Attempting|Successfully|Using|Looking|Created|Stored
       |Getting|Running|Found\ existing|Defaulting\ to\ user|Requirement\ already)\b.*(?:wheel|metadata|cached|package|installed|uninstall
       |install|indexes|satisfied|links|requirements|build|setup\.py|directory|file:|[=<>~!]=|\(from|^\s*Collecting\s\S+$)
    |Collecting\s\S+
    |(?:WARNING|DEPRECATION|ERROR|\[notice\]|notice):?\s.*(?:\bpip\b|root\ user|resolver)
    |Cloning\ into|remote:\s|Resolving\ deltas|Unpacking\ objects|Submodule\ path
    |(?:Get|Hit|Ign|Fetched|Reading\ package|Reading\ state|Building\ dependency|Selecting\ previously|Unpacking|Setting\ up)\b[: ]
    |\S*(?:site-packages|dist-packages|lib/python3)\S*:\d+:\s
    |\S+\.py:\d+:\s*\w*Warning\b
    |warnings\.warn\(
    |(?:from|import)\s[\w.]+(?:\simport\s.*)?$
    |\w*Warning:\s
    |(?:20)?\d\d[\d-]*[ T:][\d:.,]+:?\s*[IWE]\s+(?:tensorflow|external|tsl|xla|tensorrt)\S*/
    |(?:20)?\d\d[\d-]*[ T][\d:.,]+.*\b(?:cpu_feature_guard|computation_placer|cuda_\w+|dso_loader|port\.cc|xla)\b
    |[IWEF]\d{4}\s\d\d:\d\d:\d\d
    |To\ enable\ the\ following\ instructions|rebuild\ TensorFlow|TF-TRT\ Warning
    |Matplotlib\ (?:is\ building|created)\b|The\ cache\ for\ model\ files|None\ of\ PyTorch,\ TensorFlow
    |OMP:\s|Intel\ MKL\ WARNING|Using\ (?:TensorFlow|Theano|CNTK)\ backend
    |\++\s\S   # the trace of `set -x`
    )""",
    re.VERBOSE,
)
_DOWNLOAD = re.compile(
    r"""\b(?:Downloading|Fetching|Resolving\ \S+\.\S+|Extracting|Receiving\ objects|Counting\ objects|Compressing\ objects|Connecting\ to
      |Saving\ to|Generating\ \w+\ split|Updating\ files)\b
    |\d\s?(?:[kKMGT]i?)?B/s\b
    |\b[\d.]+\s?(?:[kKMGT]i?)?B?\s?/\s?[\d.]+\s?[kKMGT]i?B?\b.*(?:B/s|eta|ETA|\[\d\d:\d\d)
    |^[━╸╺\s]++[\d.]+/[\d.]+\s[kMG]B
    """,
    re.VERBOSE,
)
_PROGRESS = re.compile(
    r"""\b(?:epochs?|iter(?:ation)?s?|steps?|batch(?:es)?|episode|round|fold|trial|generation)\b\W{0,4}\d
    |\b\d+\s*/\s*\d+\b.*(?:\bloss\b|\bacc|it/s|s/it|\[\d|%|===)
    |\b(?:\w*loss\w*|\w*acc(?:uracy)?|perplexity|ppl|auc|f1|bleu|mse|mae|rmse|reward|psnr|fid|lr)\b\s*[:=]?\s*[-+]?\d
    |\d{1,3}%\|
    |\b[\d.]+\s?(?:it/s|s/it|samples/s(?:ec)?|examples/s|tokens/s)\b
    |\b[ED]:?\s?\d+/\d+\b
    """,
    re.VERBOSE | re.IGNORECASE,
)
_SETTINGS = re.compile(r"^\s*(?:\w*Namespace\(|[{(\[]?['\"]\w+['\"]: )")
"""Options printed at the start."""
_ERROR = re.compile(
    r"""^\s*(?:[\w./-]+:\s)?(?:fatal|error|fatal\ error|ERROR|FATAL|E|Error|CRITICAL)\s?:\s
    |^\S*\.py:\s+error:\s
    |^(?:[A-Za-z_][\w.]*(?:Error|Exception|Interrupt|Exit|NotFound|Failure))(?::\s|$)
    |^(?:ba)?sh:\s.*(?::\s(?:command\ not\ found|No\ such\ file\ or\ directory|Permission\ denied|cannot)|fork|syntax\ error)
    |^\S+:\s(?:line\s\d+:\s)?.*(?:command\ not\ found|No\ such\ file\ or\ directory|Permission\ denied|[Ii]s\ a\ directory|unrecognized\ option
        |No\ space\ left|Cannot\ allocate|can't\ open\ file|not\ found|Segmentation\ fault|invalid\ option)
    |^(?:Killed|Segmentation\ fault|Aborted|Bus\ error|Illegal\ instruction|Terminated)\b
    |^usage:\s|^Usage:\s
    |\bERROR:\s|\bCUDA\ error\b|core\ dumped|^make(?:\[\d+\])?:\s\*\*\*|terminate\ called\ after|what\(\):\s
    |^FATAL\s|^No\ (?:module|such)\b|^Could\ not\b|^Unable\ to\b|^Missing\b|^Cannot\b|\berror:\s
    |^FLAGS\s|^\s{2}--\w+:\s|Unknown\ command\ line\ flag
    """,
    re.VERBOSE,
)
_ERROR_WORDS = (
    "rror", "ERROR", "raceback", "xception", "atal", "FATAL", "Interrupt", "Exit", "ot found", "NotFound", "Failure", "sage:",
    "Killed", "fault", "Abort", "Illegal", "Terminated", "No ", "Can", "can't", "invalid", "unrecognized", "denied",
    " directory", "dumped", "***", "terminate", "what()", "Unable", "Missing", "Could", "FLAGS", "Unknown", "fork", "File ",
)  # fmt: skip


def may_hold_error(text: str) -> bool:
    """Whether it is worth while to look at the lines of a text one by one; cheap."""
    return any(word in text for word in _ERROR_WORDS)


def kind_of(line: str) -> Kind:
    """What a line of output says about the program; a progress bar that counts bytes is a download."""
    line = line[:MAX_WIDTH]
    if _DOWNLOAD.search(line):
        return "download"
    if _NOISE.match(line):
        return "noise"
    if _PROGRESS.search(line) and not _SETTINGS.match(line):
        return "progress"
    return "own"


def is_error(line: str) -> bool:
    """Whether a line by itself says that something went wrong."""
    return _ERROR.search(line[:MAX_WIDTH]) is not None
