"""What an option is called in a sentence: by the words of its name, or by its help text."""

import posixpath
import re
from collections.abc import Sequence

from ml_agent.benchmarks.make.vary import RequestedOption, is_path
from ml_agent.tools.signatures.model import Option, Signature

LONG = {
    "lr": "learning rate", "wd": "weight decay", "bs": "batch size", "num": "number of", "n": "number of", "ckpt": "checkpoint",
    "dir": "folder", "img": "image", "imgs": "images", "cfg": "configuration", "config": "configuration", "max": "maximum",
    "min": "minimum", "seq": "sequence", "len": "length", "dim": "dimension", "dims": "dimensions", "emb": "embedding",
    "eps": "epsilon", "reg": "regularisation", "val": "validation", "src": "source", "tgt": "target", "lang": "language",
    "iters": "iterations", "iter": "iterations", "init": "initial", "freq": "frequency", "vocab": "vocabulary", "attn": "attention",
    "hid": "hidden", "ema": "EMA", "gpu": "GPU", "gpus": "GPUs", "cpu": "CPU", "kl": "KL", "fp16": "fp16", "outdir": "output folder",
    "avg": "average", "pred": "prediction", "feat": "feature", "feats": "features", "acc": "accuracy", "eval": "evaluation",
    "params": "parameters", "param": "parameter", "std": "standard deviation", "rand": "random", "temp": "temperature",
    "pos": "position", "neg": "negative", "ref": "reference", "db": "database", "url": "URL", "id": "ID", "ids": "IDs",
}  # fmt: skip
"""Words of names that people write in full."""
HEADS = re.compile(
    r"^(?:\W+|(?:the|a|an|optional(?:ly)?|specif(?:y|ies)|sets?|chooses?|selects?|controls?|determines?|defines?|provides?|gives?|given|desired|required|where|what|which|this is|whether or not|int|str|float|bool|list of str)\b[:,]?\s+)+",
    re.IGNORECASE,
)
"""What stands before the thing itself in a help text."""
CUT = re.compile(
    r"\s*(?:[.;:(\[,!?\n]|\s-\s|--|\bdefault\b|\bif\b|\bor not\b|\be\.?g\b|\bi\.e\b|\bfor example\b|\bsuch as\b|\bmust\b|\bshould\b|\bwhen\b|\bwill\b|\bwhich\b|\bthat\b).*",
    re.IGNORECASE | re.DOTALL,
)
"""Where the thing itself ends."""
CLAUSE = re.compile(r"\s*(?:if|when|will|which|that|must|should)\b", re.IGNORECASE)
"""Where a text goes on to say which of several things is meant: what stands before is not enough."""
OR = re.compile(r"\bor\b(?! not\b)", re.IGNORECASE)
"""Between kinds of files that a place may be of: the first of them need not be the one that is given."""
OPEN_ENDS = frozenset([
    "of", "to", "for", "the", "a", "an", "and", "or", "in", "with", "from", "by", "as", "is", "are", "be", "on", "at", "into",
    "where", "whose", "while", "until", "than", "using", "between", "before", "after", "during", "this", "its", "their", "not",
    "only", "how", "per", "via", "every",
])  # fmt: skip
"""Words after which a phrase is not at its end."""
NO_STARTS = frozenset(["is", "are", "to", "can", "not", "do", "whether", "how", "only", "then"])
"""Words with which a phrase that names a thing does not begin."""
NEGATIVE = re.compile(
    r"\b(?:no|not|never|without|disabl\w+|skip\w*|omit\w*|suppress\w*|turn\w* off|remov\w+)\b|n't\b", re.IGNORECASE
)
"""What a help text says of a switch that leaves something out."""
COUNT = re.compile(r"#\s*of\b|\bno\. of\b", re.IGNORECASE)
FOLDED = re.compile(r"\n\s*(?=[a-z])")
SWITCH_HEAD = re.compile(
    r"^(?:if (?:set|true|given|specified|passed|present|enabled|this is set|this flag is set),?\s*(?:then\s+)?|whether (?:or not )?(?:to|we should|the model should)\s+|(?:a )?(?:flag|switch|option) (?:to|for)\s+|set (?:this )?(?:flag )?to\s+|set true to\s+|pass this (?:flag )?to\s+|to\s+|should (?:we|i)\s+|do we\s+)",
    re.IGNORECASE,
)
"""What stands before the deed in the help text of a switch."""
VERBS = frozenset([
    "use", "enable", "disable", "turn", "do", "run", "save", "skip", "load", "print", "show", "train", "evaluate", "compute",
    "apply", "add", "include", "exclude", "keep", "freeze", "normalize", "normalise", "shuffle", "overwrite", "resume", "write",
    "read", "remove", "drop", "ignore", "log", "track", "plot", "visualize", "visualise", "sample", "generate", "share", "tie",
    "start", "stop", "force", "allow", "perform", "make", "create", "output", "export", "predict", "test", "validate", "center",
    "crop", "resize", "pad", "mask", "clip", "return", "report", "download", "convert", "store", "dump", "split", "merge",
    "sort", "filter", "truncate", "compile", "profile", "cache", "limit", "scale",
])  # fmt: skip
THINGS = frozenset([
    "output", "log", "mask", "filter", "limit", "cache", "sample", "test", "train", "crop", "center", "profile", "report",
    "plot", "export", "share", "pad", "clip", "start", "stop", "track", "dump", "sort", "run", "load", "print", "cut",
])  # fmt: skip
"""Verbs that begin a noun phrase as often."""
STARTS = frozenset(["is", "has", "if", "do", "does", "with", "use", "load", "no", "should"])
"""Words with which a name says what is done or asked, so that it cannot stand as a thing."""
DENIES = frozenset(["no", "not", "without", "disable", "skip"])
"""Words at the beginning of a flag that deny what follows."""
SHORT = 2
"""Letters of a name that says nothing."""
FAMILIAR = 9
"""Words of a phrase, at most."""


def name_words(option: Option) -> str:
    """The words of an option's name, short ones written in full; one of a section as it is spelled."""
    if "." in option.dest:
        return option.dest
    spelled = re.sub(r"([a-z0-9])([A-Z])", r"\1 \2", option.dest)
    if len(spelled) <= SHORT and (noun := help_noun(option)):
        return noun
    words = [w for w in re.split(r"[_\-\s]+", spelled) if w]
    full = [LONG.get(w.lower(), w.lower() if not w.isupper() or len(w) > 4 else w) for w in words]
    full = ["number" if nth and nth == len(full) - 1 and w == "number of" else w for nth, w in enumerate(full)]
    if full and full[0] in ("maximum", "minimum", "number of") and len(full) == 1:
        return words[0]
    if full and (full[-1] in OPEN_ENDS or _names_nothing(words, full)):
        return option.dest
    return " ".join(full)


def _names_nothing(words: list[str], full: list[str]) -> bool:
    """Whether the words of a name make no noun phrase: a letter, a question or a deed, a number of what is not several."""
    if len(words) < 2:
        return False
    if any(len(w) == 1 for w in full) or words[0].lower() in STARTS:
        return True
    counted = full[0] == "number of" and words[1].lower() not in ("number", "max", "min")
    return counted and not full[-1].endswith("s")


def help_noun(option: Option) -> str:
    """The thing that a help text says an option is; "" where it does not say it in a few plain words.

    The text of an option of a section leaves the section out, which alone tells it from that of another.
    """
    if "." in option.dest or option.help.lstrip().startswith("--"):
        return ""
    whole = HEADS.sub("", COUNT.sub("number of", FOLDED.sub(" ", option.help.strip()).replace("(s)", "s")))
    cut = CUT.search(whole)
    if cut is not None and CLAUSE.match(cut.group()) and "or not" not in cut.group()[:8]:
        return ""
    if is_path(option) and OR.search(whole.partition(". ")[0]):
        return ""
    text = HEADS.sub("", CUT.sub("", whole)).strip(" '\"`*")
    words = text.split()
    if not 2 <= len(words) <= FAMILIAR or re.search(r"[<>{}|%$=#*/\\_@`\"]|\b(?:I|you|we|your|is|are)\b", text):
        return ""
    first = words[0].lower()
    if first in VERBS - THINGS or first in NO_STARTS or (first.endswith("s") and first[:-1] in VERBS - THINGS):
        return ""
    if words[-1].lower() in OPEN_ENDS or {"where", "this", "here"} & set(words) or len(words[-1]) == 1:
        return ""
    return text if words[0].isupper() or any(c.isupper() for c in words[0][1:]) else text[0].lower() + text[1:]


def deed(option: Option) -> str:
    """What a switch does, as an imperative; "" where its help text does not say so."""
    text = CUT.sub("", SWITCH_HEAD.sub("", FOLDED.sub(" ", option.help.strip()))).strip(" '\"`*")
    words = text.split()
    if not 2 <= len(words) <= FAMILIAR or words[0].lower() not in VERBS or words[-1].lower() in OPEN_ENDS:
        return ""
    if re.search(r"[<>{}|%$=#*\\_@]", text):
        return ""
    return text[0].lower() + text[1:]


def switch_sentence(wish: RequestedOption, by_help: bool) -> str:
    """The request for a switch, as an imperative without a full stop."""
    verb = deed(wish.option)
    if verb and by_help:
        return verb
    spelled = wish.option.flags[-1].lstrip("-") if wish.option.flags else wish.option.dest
    first, _, rest = re.sub(r"[-_]", " ", spelled).partition(" ")
    if wish.value is False:
        return _turned_off(wish.option, spelled, rest if first in DENIES else "")
    leaves_out = not wish.option.help or NEGATIVE.search(wish.option.help)
    if first in DENIES and rest and leaves_out:
        return f"leave out {rest}" if first == "skip" else f"do without {rest}"
    return f"turn on {spelled}"


def _turned_off(option: Option, spelled: str, denied: str) -> str:
    """The request for a switch that makes its destination false: what is off then is named by the destination, not by a flag that denies it.

    Args:
        option: the switch.
        spelled: its flag without dashes.
        denied: what follows a "no" at the beginning of that flag.
    """
    about = re.sub(r"[-_]", " ", option.dest).lower()
    if about == denied.lower():
        return f"turn off {denied}"
    return f"turn off {spelled}" if about == re.sub(r"[-_]", " ", spelled).lower() else f"turn on {spelled}"


DOINGS = {
    "train": "train the model", "eval": "run the evaluation", "evaluate": "run the evaluation", "test": "run the test",
    "inference": "run inference", "infer": "run inference", "predict": "make predictions", "generate": "generate samples",
    "sample": "draw samples", "export": "export the model", "benchmark": "run the benchmark", "detect": "run detection",
    "preprocess": "preprocess the data", "finetune": "fine-tune the model", "pretrain": "pre-train the model", "demo": "run the demo",
    "validate": "run the validation", "val": "run the validation", "translate": "run the translation", "run": "", "main": "", "cli": "",
}  # fmt: skip
LEADS = frozenset([
    "train", "evaluate", "eval", "test", "predict", "generate", "sample", "export", "convert", "preprocess", "prepare",
    "download", "extract", "visualize", "visualise", "detect", "finetune", "pretrain", "compute", "build", "create", "make",
    "split", "merge", "plot", "render", "process", "tokenize", "encode", "decode", "classify", "segment", "transcribe",
    "separate", "benchmark", "calculate", "score", "average", "interpolate", "project", "combine", "quantize", "prune",
    "launch", "compare", "fit", "infer", "translate", "validate", "analyze", "filter", "dump",
])  # fmt: skip


def purpose(signature: Signature) -> str:
    """What an entry point does, as an imperative: by its own words where they say it, else by its name."""
    summary = _imperative_summary(signature.doc)
    if summary:
        return summary
    words = entry_words(signature)
    if len(words) == 1 and words[0] in DOINGS:
        return DOINGS[words[0]]
    if words and words[0] in LEADS and len(words) > 1:
        return " ".join(words)
    return f"run the {' '.join(words)} program" if words else ""


def entry_words(signature: Signature) -> list[str]:
    """The words of an entry point's name."""
    stem = posixpath.splitext(posixpath.basename(signature.path))[0]
    if stem in ("__main__", "__init__", "main", "run", "cli"):
        stem = posixpath.basename(posixpath.dirname(signature.path)) + " " + stem if "/" in signature.path else stem
    if signature.kind in ("console", "module"):
        parts = signature.name.split(".") if signature.kind == "module" else [signature.name]
        stem = " ".join(parts[-2:] if parts[-1] in ("main", "run", "cli") else parts[-1:])
    joined = " ".join([stem, *signature.subcommand]) if not signature.subcommand else " ".join(signature.subcommand)
    return [w.lower() for w in re.split(r"[_\-\s.]+", joined) if w and w != "__main__" and not w.startswith("__")]


def namesakes(signature: Signature, others: Sequence[Signature]) -> list[Signature]:
    """Other programs that are called by the same words, so that these do not tell which is meant."""
    words = entry_words(signature)
    return [o for o in others if o.path != signature.path and entry_words(o) == words]


def _imperative_summary(doc: str) -> str:
    """The first sentence of a description, where it is a plain imperative."""
    sentence = re.split(r"(?<=[a-z0-9)])[.;:](?:\s|$)|\n", doc.strip())[0].strip().rstrip(".")
    words = sentence.split()
    if not 2 <= len(words) <= 14 or re.search(r"[<>{}|%$=#*\\@`]|https?:|\b[Cc]opyright\b|\.py\b", sentence):
        return ""
    first = words[0].lower()
    if first.endswith("s") and first[:-1] in LEADS | VERBS:
        words[0] = first[:-1]
    elif first not in LEADS | VERBS:
        return ""
    return " ".join([words[0].lower(), *words[1:]])


def entry_name(signature: Signature, workdir: str) -> str:
    """How people point at an entry point."""
    if signature.kind == "console":
        name = signature.name
    elif signature.kind == "module":
        name = f"python -m {signature.name}"
    else:
        name = posixpath.relpath(signature.path, workdir)
    return " ".join([name, *signature.subcommand])
