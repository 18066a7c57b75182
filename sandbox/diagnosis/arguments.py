"""Failures of the command: its options, its script, its folder."""

from ml_agent.sandbox.diagnosis.model import Fix, Rule, rule

RULES: tuple[Rule, ...] = (
    rule(
        "unknown-option",
        r"error: unrecognized arguments: (?P<subject>[^\n]+)|[Nn]o such option:? '?(?P<other>--?[\w-]+)|FATAL Flags parsing error: ?\n?\s*Unknown command line flag '(?P<third>[\w-]+)'"
        r"|Unknown command line flag '(?P<fourth>[\w-]+)'|unrecognized option '?(?P<fifth>--?[\w-]+)|ValueError: Some specified arguments are not used by the HfArgumentParser: (?P<sixth>[^\n]+)"
        r"|(?:invalid|illegal) option -- '?(?P<seventh>\w)|Could not override '(?P<eighth>[\w.]+)'|ERROR: Could not consume arg: (?P<ninth>\S+)",
        "the script has no such option: {subject}",
        scope="any",
    ),
    rule(
        "ambiguous-option",
        r"error: ambiguous option: (?P<subject>[^\n]+)",
        "the option is ambiguous: {subject}",
        scope="any",
    ),
    rule(
        "bad-choice",
        r"error: argument (?P<option>[^:\n]+): invalid choice: (?P<subject>[^\n]+)|Invalid value for (?P<where>[^:\n]+): (?P<other>[^\n]*is not one of[^\n]*)"
        r"|(?P<third>flag --\w+=[^\n]*: value should be one of[^\n]*)|Invalid value for [^\n]*?: invalid choice: (?P<fourth>[^\n]+)",
        "the option does not accept this value: {option} {subject}",
        scope="any",
    ),
    rule(
        "missing-value",
        r"error: argument (?P<subject>[^:\n]+): expected (?:one|at least one|\d+) arguments?|Option '(?P<other>[^']+)' requires an argument|Missing value for flag (?P<third>\S+)",
        "the option {subject} needs a value",
        scope="any",
    ),
    rule(
        "bad-value",
        r"error: argument (?P<option>[^:\n]+): invalid \w+ value: (?P<subject>[^\n]+)|Invalid value for (?P<where>[^:\n]+): (?P<other>[^\n]+)"
        r"|flag --(?P<third>\w+=[^\n]*): invalid literal|error: argument (?P<fourth>[^:\n]+: [^\n]+)|(?P<fifth>Non-boolean argument to boolean flag[^\n]*)",
        "the value of an option has the wrong form: {option} {subject}",
        scope="any",
    ),
    rule(
        "missing-option",
        r"error: the following arguments are required: (?P<subject>[^\n]+)|[Mm]issing (?:option|argument|parameter) '?(?P<other>[^'\n]+)'?"
        r"|Flag --(?P<third>\w+) must have a value|flags? --(?P<fourth>\w+)=?[^\n]*: [^\n]*must (?:be specified|have a value)|error: one of the arguments (?P<fifth>[^\n]+) is required"
        r"|error: too few arguments(?P<sixth>)|ERROR: The function received no value for the required argument: (?P<seventh>\w+)|Missing mandatory value: (?P<eighth>\S+)",
        "required and not given: {subject}",
        scope="any",
    ),
    rule(
        "too-many-arguments",
        r"error: (?:unrecognized|extra) arguments?: (?P<subject>[^\n]+)|Got unexpected extra arguments? \((?P<other>[^)\n]+)\)|Too many command-line arguments(?P<third>)",
        "more arguments than the script takes: {subject}",
        scope="any",
    ),
    rule(
        "too-few-arguments",
        r"sys\.argv\[(?P<subject>\d)\][^\n]*\n(?:[ ~^]*\n)?IndexError: list index out of range|not enough values to unpack[^\n]*argv(?P<other>)",
        "the script reads argument number {subject} from sys.argv, which was not given",
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
        r"can't open file '(?P<subject>[^']+)': \[Errno 2\]|(?:bash|sh): (?P<other>\S+\.sh): No such file or directory|No module named (?P<third>[\w.]+)\.?__main__"
        r"|Error while finding module specification for '(?P<fourth>[^']+)'|(?:bash|sh): (?:line \d+: )?(?P<fifth>\.?/\S+): No such file or directory|cd: (?P<sixth>\S+): No such file or directory",
        "there is no such script or folder: {subject}",
        scope="any",
    ),
    rule(
        "no-main",
        r"can't find '__main__' module in '(?P<subject>[^']+)'|is a package and cannot be directly executed|No module named (?P<third>[\w.]+)\.__main__; '",
        "{subject} is a folder or package, not a script",
        scope="any",
    ),
    rule(
        "relative-import",
        r"attempted relative import (?P<subject>with no known parent package|beyond top-level package)",
        "a module of a package was run as a script (relative import {subject}): run it as `python -m package.module` from the package's parent folder",
        fix=lambda subject: Fix(kind="module"),
    ),
    rule(
        "permission",
        r"(?:bash|sh): (?:line \d+: )?(?P<subject>\S+): Permission denied|PermissionError: \[Errno 1?3\] [^:\n]*: '?(?P<other>[^'\n]+)|(?P<third>\S+): Permission denied|cannot create [^\n]*: (?P<fourth>Permission denied)|Read-only file system: '?(?P<fifth>[^'\n]+)",
        "no permission for {subject}",
        scope="any",
    ),
    rule(
        "shell-syntax",
        r"(?:bash|sh): (?:-c: )?line \d+: (?:syntax error|unexpected EOF)[^\n]*(?P<subject>[`'][^\n]*)?",
        "the shell cannot read the command: {line}",
        scope="any",
    ),
)

GENERAL: tuple[Rule, ...] = (
    rule(
        "usage",
        r"^(?:usage|Usage): (?P<subject>[^\n]+)",
        "the script printed its usage: {subject}",
        scope="any",
    ),
)
