"""Which options can be added to a command that works: none that must fit something, or that leads another way."""

import re
from collections.abc import Collection, Mapping

from ml_agent.benchmarks.make.guards import UNSET, Guards
from ml_agent.benchmarks.make.vary import NAME_WORDS, OUTPUT_WORDS, RequestedOption, last_words, words_of
from ml_agent.tools.signatures.model import Option, Signature


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


SHAPES = _words(
    "dim dims ndim len length size sizes head heads nhead layer layers depth channel channels chans hidden width height kernel stride"
    " patch window resolution res img image vocab class classes feature features feat feats unit units embed emb embedding embd latent"
    " nz ngf ndf group groups factor scale upscale bit bits rank version order shard shards nshards crop fold folds level levels block"
    " blocks stage stages speaker speakers sr fps hop win fft mel mels bins sequence seq in out gpu gpus device devices cuda node nodes"
    " port world start begin end init split splits samplerate diffusion respacing timesteps ways way shot frames frame samples keyframes"
    " nc scales spatial imgsz downsample upsample h w d c k enc dec id idx index proc procs process processes processors local master tpu mode kind type format precision dtype experts"
)
"""Words of numbers that must fit data, weights or a machine."""
ALWAYS_FIT = _words("batch batchsize buffer log print save eval workers")
"""Words of numbers whose size fits anything: a batch size is no shape."""
NUMBERS = _words(
    "lr learning rate seed random manual epoch epochs nepochs batch batchsize bs size train training test eval val valid validation per weight"
    " decay wd momentum dropout num n number of max total worker workers nworkers log logging print display report save checkpoint"
    " interval freq frequency every each step steps iter iters iteration iterations niter timesteps patience temperature"
)
"""Words of numbers that any run can have another of; a number of which every word is here can be added."""
TRAINING = _words("train training lr learning epoch epochs nepochs decay wd momentum dropout patience")
"""Words of numbers that mean something in training alone."""
INTERVALS = _words("freq frequency interval every")
"""Words of numbers that say how often something is done in what goes on in steps, as training does."""
NARROW_SEED = re.compile(r"\b(?:select|subset|subsampl|split|shuffl|pick|choos)\w*", re.IGNORECASE)
"""What a help text says of a seed that counts only where a part is drawn, which another option may ask for."""
TESTING = _words(
    "eval evaluate evaluation val validate test testing predict prediction inference infer generate sample sampling export demo pretrained"
)
"""Words of programs, and of what they are given, that may not train."""
SWITCHES = frozenset({"amp", "exist_ok", "overwrite", "deterministic", "shuffle"})
"""Switches that every program means alike, and with which it does the same."""
CHOICES = _words("opt optim optimizer optimiser activation act interpolation log level")
"""Words of choices that lead to no other way through a program."""
NAMES = _words("exp experiment run name tag title log job")
"""Words of names that somebody gives to a run."""
FOLDERS = _words("dir directory folder outdir logdir savedir")
"""Last words of what is a folder for certain."""
NEEDS = re.compile(
    r"\b(?:requires?|needs?|only (?:\w+ ){0,3}?(?:with|if|when|for)|used (?:only |together |in combination )?with|together with|"
    r"in (?:combination|conjunction) with|no effect (?:without|unless)|ignored (?:without|unless)|depends on)\b([^.;)]*)",
    re.IGNORECASE,
)
"""What a help text says where an option counts only beside another; then which."""
BOUND = re.compile(
    r"\b(?:must|between|divisible|multiple|divides?|at (?:least|most)|cannot|only)\b|[<>]=?", re.IGNORECASE
)
"""A help text that limits what may be given."""
LOADS = _words("pretrained load resume ckpt weights restore from init in input data dataset model cache")
"""Words of paths that are read, or that others must agree with."""


def is_shape(option: Option) -> bool:
    """Whether a number must fit data, weights or a machine, by its name."""
    words = words_of(option)
    rate = option.type == "int" and any(w.endswith("rate") for w in words)
    return rate or (bool(words & SHAPES) and not words & ALWAYS_FIT)


def is_harmless(
    wish: RequestedOption, found: Mapping[str, RequestedOption], guards: Guards, signature: Signature
) -> bool:
    """Whether the program still runs with this option, as far as its name, its help and the source tell."""
    option = wish.option
    if is_shape(option) or excluded(option, found, signature) or needs_another(option, found):
        return False
    if guards.leads.get(option.dest, frozenset()) - found.keys() or guards.off.get(option.dest, set()) & found.keys():
        return False
    if any(option.dest.startswith(f"{o.dest}_") and o.dest not in found for o in signature.options if o.switch):
        return False
    if not wish.documented and words_of(option) & (TRAINING | INTERVALS) and not _trains(found, signature):
        return False
    if not wish.documented and wish.is_path and _only_tests(found):
        return False
    if not wish.documented and "seed" in words_of(option) and NARROW_SEED.search(option.help):
        return False
    if wish.documented and (option.switch or isinstance(wish.value, bool)):
        return True
    return not BOUND.search(option.help) and _can_be_added(wish, guards)


def _trains(found: Mapping[str, RequestedOption], signature: Signature) -> bool:
    """Whether a program trains with what it is given, as far as names tell."""
    words = {w for wish in found.values() for w in words_of(wish.option)}
    named = {*re.split(r"[\W_]+", signature.path.lower()), *signature.subcommand}
    return "train" in words or not (words | named) & TESTING


def _only_tests(found: Mapping[str, RequestedOption]) -> bool:
    """Whether a switch leaves the training out of a program that trains: folders are mostly those of training then."""
    words = {w for wish in found.values() for w in words_of(wish.option)}
    switches = (w.option for w in found.values() if w.option.switch)
    return "train" not in words and any(words_of(o) & TESTING for o in switches)


def _can_be_added(wish: RequestedOption, guards: Guards) -> bool:
    """Whether an option is of a kind that programs have alike; a documented number needs no such name."""
    option, words = wish.option, words_of(wish.option)
    if option.switch or isinstance(wish.value, bool):
        return option.dest.replace("-", "_").lower() in SWITCHES
    if option.choices or option.accepted:
        return option.default not in UNSET and words <= CHOICES and str(wish.value) not in guards.words
    if option.type in ("int", "float"):
        yes_or_no = option.type == "int" and wish.value in (0, 1) and not wish.documented
        return option.default not in UNSET and not yes_or_no and (wish.documented or words <= NUMBERS)
    if wish.is_path:
        known = bool(last_words(option) & FOLDERS) or option.default not in UNSET
        return known and bool(words & OUTPUT_WORDS) and not words & LOADS and isinstance(wish.value, str)
    # What reads a section of a configuration may not be chosen, and then a name in it is read by nobody.
    return bool(last_words(option) & NAME_WORDS) and words <= NAMES and "." not in option.dest


def excluded(option: Option, found: Mapping[str, RequestedOption], signature: Signature) -> bool:
    """Whether one of those that are set may not stand beside it."""
    return any(option.dest in group and found.keys() & set(group) for group in signature.exclusive)


def needs_another(option: Option, found: Collection[str]) -> bool:
    """Whether the help of an option says that it counts only beside another, and none of those that are chosen is named there.

    Args:
        option: what may be set.
        found: names of the options that are set.
    """
    clauses = [m.group(1).lower().replace("-", "_") for m in NEEDS.finditer(option.help)]
    names = [name.lower().replace("-", "_") for name in found]
    return any(not any(re.search(rf"(?<![a-z]){re.escape(n)}(?![a-z])", clause) for n in names) for clause in clauses)
