"""The words of a command line as absl, click, hydra and plain scripts read them."""

from collections.abc import Mapping

from tools.signatures.call_reader import Reader
from tools.signatures.model import Option
from tools.signatures.nearest import nearest
from tools.signatures.words import match_places

ABSL_OWN = frozenset(
    [
        "help",
        "helpfull",
        "helpshort",
        "helpxml",
        "flagfile",
        "undefok",
        "v",
        "verbosity",
        "logtostderr",
        "alsologtostderr",
        "log_dir",
        "stderrthreshold",
        "showprefixforinfo",
        "logger_levels",
        "only_check_args",
        "pdb_post_mortem",
        "pdb",
        "run_with_pdb",
        "run_with_profiling",
        "profile_file",
        "use_cprofile_for_profiling",
        "test_srcdir",
        "test_tmpdir",
        "test_random_seed",
        "test_randomize_ordering_seed",
        "xml_output_file",
    ]
)
HYDRA_CONFIGURATION = frozenset({"--config-path", "-cp", "--config-name", "-cn", "--config-dir", "-cd"})
HYDRA_WITH_VALUE = HYDRA_CONFIGURATION | {"--package", "-p", "--info", "--experimental-rerun"}


def read_absl(reader: Reader, words: list[str]) -> None:
    """--name value, --name=value, -name, --noname; what is left over is passed on to main."""
    while words:
        word = words.pop(0)
        if word == "--":
            break
        if not word.startswith("-") or word == "-":
            _absl_leftover(reader, [word, *words])
            break
        name, equals, value = word.lstrip("-").partition("=")
        option = reader.by_flag.get(f"--{name}") or reader.by_flag.get(f"-{name}")
        if option is None:
            if name not in ABSL_OWN:
                reader.note_unknown(word)
                if reader.signature.accepts_unknown and not equals and words and not words[0].startswith("-"):
                    words.pop(0)
            continue
        negative = f"--{name}" in option.negative_flags
        if option.nargs == "?bool" and not equals:
            reader.store(option, [], f"--{name}")
            _absl_loose_bool(reader, option, name, words)
        elif negative:
            reader.note("bad-type", f"--{name} takes no value", option, word)
        elif not equals and not words:
            reader.note("missing-value", f"--{name} needs a value", option, word)
            reader.tried.add(option.dest)
        else:
            reader.store(option, [value if equals else words.pop(0)])


def _absl_leftover(reader: Reader, words: list[str]) -> None:
    """absl stops at the first word that belongs to no flag: what follows is not read at all."""
    reader.unknown += words
    ignored = [w for w in words if w.startswith("--") and len(w) > 2]
    message = f"{words[0]} belongs to no flag of {reader.signature.path}"
    if ignored:
        message += f", and absl reads nothing behind it: {' '.join(ignored[:3])} is ignored"
    reader.note("too-many-arguments", message, None, words[0], sure=bool(ignored))


def _absl_loose_bool(reader: Reader, option: Option, name: str, words: list[str]) -> None:
    """--flag False sets the flag to true and leaves the word over: hardly what is meant."""
    if words and words[0].lower() in ("false", "0", "f"):
        word = words[0]
        message = f"--{name} {word} sets it to true and leaves {word} over; write --{name}={word}"
        reader.note("bad-type", message, option, word, f"--{name}={word}")


def read_click(reader: Reader, words: list[str]) -> None:
    """click: options take exactly their number of words; everything else is an argument or the subcommand."""
    places: list[str] = []
    only_places = False
    while words:
        word = words.pop(0)
        if only_places or not word.startswith("-") or word == "-":
            places.append(word)
        elif word == "--":
            only_places = True
        else:
            _click_option(reader, word, words)
    rest = list(reader.signature.subcommand)
    for word in list(places):
        if rest and word == rest[0]:
            places.remove(rest.pop(0))
    _fill_places(reader, places)


def _click_option(reader: Reader, word: str, words: list[str]) -> None:
    flag, equals, value = word.partition("=")
    option = reader.by_flag.get(flag)
    if option is None and not word.startswith("--") and len(word) > 2 and word[:2] in reader.by_flag:
        flag, value = word[:2], word[2:]
        option = reader.by_flag[flag]
        if option.switch:
            words.insert(0, "-" + value)
            value = ""
        equals = "=" if value else ""
    if option is None:
        if word != "--help":
            reader.note_unknown(word)
        return
    if option.switch:
        if equals:
            reader.note("bad-type", f"{flag} takes no value", option, word, flag)
        reader.store(option, [], flag)
        return
    count = int(option.nargs) if option.nargs is not None and option.nargs.isdigit() else 1
    given = [value] if equals else []
    while len(given) < count and words:
        given.append(words.pop(0))
    if len(given) < count:
        reader.note("missing-value", f"{flag} needs {count} value{'s' if count > 1 else ''}", option, flag)
        reader.tried.add(option.dest)
        return
    reader.store(option, given, flag)


def _fill_places(reader: Reader, places: list[str]) -> None:
    """Positional arguments in order; the last of variable number takes the rest."""
    options = [o for o in reader.signature.options if o.positional]
    counts = match_places([o.nargs for o in options], "A" * len(places))
    at = 0
    for option, count in zip(options, counts, strict=False):
        if count:
            reader.store(option, places[at : at + count])
        at += count
    if places[at:]:
        reader.unknown += places[at:]
        sure = not reader.signature.accepts_unknown
        shown = " ".join(places[at : at + 5])
        reader.note(
            "too-many-arguments",
            f"{reader.signature.path} takes no further argument: {shown}",
            None,
            places[at],
            sure=sure,
        )


def read_overrides(reader: Reader, words: list[str]) -> None:
    """key=value; + and ~ before the key add and remove."""
    known: Mapping[str, Option] = {o.dest: o for o in reader.signature.options}
    other_configuration = False
    rest = iter(words)
    for word in rest:
        key, equals, value = word.partition("=")
        if key.startswith("-"):
            reader.unknown.append(word)
            other_configuration = other_configuration or key in HYDRA_CONFIGURATION
            if key in HYDRA_WITH_VALUE and not equals:
                next(rest, None)
        elif key.lstrip("+~") in known and equals:
            reader.store(known[key.lstrip("+~")], [value])
        else:
            reader.unknown.append(word)
            if not key.lstrip("+~").startswith("hydra"):
                sure = not (other_configuration or reader.signature.accepts_unknown or key[:1] in "+~")
                _unknown_setting(reader, word, list(known), sure=sure)


def _unknown_setting(reader: Reader, word: str, known: list[str], *, sure: bool) -> None:
    key, equals, _ = word.partition("=")
    if not equals:
        reader.note("unknown-option", f"{word} is not of the form key=value", None, word, sure=False)
        return
    below = any(k.startswith(key + ".") for k in known)
    suggestion = "" if below else nearest(key, known)
    hint = f"; did you mean {suggestion}?" if suggestion else ""
    message = f"{reader.signature.path} has no setting {key}{hint}"
    reader.note("unknown-option", message, None, key, suggestion, sure=sure and not below)


def read_plain(reader: Reader, words: list[str]) -> None:
    """By place; a shell script's getopts options first."""
    while words and words[0] in reader.by_flag:
        option = reader.by_flag[words[0]]
        taken = 1 if option.switch else 2
        reader.store(option, words[1:taken], words[0])
        words = words[taken:]
    _fill_places(reader, words)
