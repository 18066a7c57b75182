"""Failures of the environment: modules, versions, Python, system libraries, GPUs, network."""

from ml_agent.sandbox.diagnosis.model import Fix, Rule, rule
from ml_agent.sandbox.diagnosis.removed import removed_rules, version_rules
from ml_agent.sandbox.setup.system import library_packages, program_packages


def _system(packages: tuple[str, ...]) -> Fix | None:
    return Fix(kind="system", arguments=packages) if packages else None


RULES: tuple[Rule, ...] = (
    rule(
        "no-cuda",
        r"(?P<subject>Torch not compiled with CUDA enabled|Found no NVIDIA driver[^.\n]*|No CUDA GPUs are available"
        r"|no CUDA-capable device is detected|CUDA driver initialization failed|Attempting to deserialize object on a CUDA device"
        r"|Cannot (?:find|access) (?:a )?(?:CUDA|GPU)[^\n]*|CUDA is not available|NVIDIA-SMI has failed"
        r"|CUDA_HOME environment variable is not set|Could not find a suitable TLS|[Nn]o GPU (?:found|available)[^\n]*"
        r"|libcuda\.so\.1: cannot open|ProcessGroupNCCL is only supported with GPUs[^\n]*|FP16 Mixed precision training[^\n]*CUDA[^\n]*)",
        "a GPU is required, but there is none: {subject}",
        fix=lambda subject: Fix(kind="cpu"),
    ),
    *removed_rules(),
    *version_rules(),
    rule(
        "missing-system-library",
        r"(?P<subject>lib[\w+.-]+\.so[\d.]*): cannot open shared object file|cannot load library '(?P<other>[^']+)'"
        r"|could not find (?:the )?(?:\w+ )?(?:shared )?library (?P<third>lib\S+)"
        r"|(?P<fourth>sndfile|libsndfile|espeak|enchant|cairo|portaudio|Tesseract|tesseract|graphviz|magic|GDAL|geos|libgomp)"
        r"(?: library)?(?: C library)? (?:not found|is not installed|could not be found)|failed to find (?P<fifth>lib\w+)"
        r"|No module named '(?P<sixth>_?tkinter)'",
        "the system library {subject} is missing",
        fix=lambda subject: _system(library_packages(subject)),
        scope="any",
    ),
    rule(
        "missing-program",
        r"unable to execute '?(?P<subject>[\w+-]*(?:gcc|g\+\+|cc|nvcc|cmake))'?|error: command '?(?P<other>[\w+-]*(?:gcc|g\+\+|cc|nvcc))'? failed: No such file"
        r"|(?P<third>cmake|ninja|gcc|g\+\+|ffmpeg|ffprobe|java|git|swig|nvcc|Rust|cargo|wget|curl|unzip)[^\n]{0,40}(?:is required|not found|not installed|must be installed)"
        r"|(?:failed to execute |ExecutableNotFound: )(?:Posix)?(?:Path\()?'?(?P<fourth>dot|neato)"
        r"|(?:sh|bash)(?::\s(?:line )?\d+)?:\s(?:line \d+:\s)?(?P<fifth>[\w.+-]+): (?:command )?not found"
        r"|FileNotFoundError: \[Errno 2\] No such file or directory: '(?P<eighth>ffmpeg|ffprobe|git|java|nvidia-smi|convert|wget|curl|unzip|make|gcc|dot|sox|Rscript|perl)'"
        r"|env: ['‘](?P<sixth>[\w.-]+)['’]: No such file|^make(?:\[\d+\])?: (?P<seventh>[\w.+-]+): (?:No such file or directory|Command not found)"
        r"|/subprocess\.py\"[\s\S]*^(?:FileNotFoundError|PermissionError): \[Errno \d+\] [^\n']*: '(?P<any>[\w+-]+)'$",
        "the program {subject} is not installed",
        fix=lambda subject: _system(program_packages(subject)),
        scope="any",
    ),
    rule(
        "missing-module",
        r"(?:ImportError|ModuleNotFoundError): (?:Missing optional dependency '(?P<subject>[\w.-]+)'"
        r"|(?:[^\n]*?)(?:requires the|needs the|depends on the|using the|Please install(?: the)?|pip install) [`'\"]?(?P<other>\w[\w-]*)[`'\"]?"
        r"|[^\n]*?\b(?:requires|needs) [`'\"]?(?P<third>\w[\w-]*)[`'\"]? to be installed"
        r"|(?:[^\n]*?[\s`'\"])?(?P<fourth>(?!(?:it|they|this|that|which|packages?|library|libraries|modules?|dependenc\w+)\b)\w[\w-]*)[`'\"]?"
        r" (?:(?:is not|isn't|must be|needs to be|has to be|should be) installed|not found, please install it))",
        "the package {subject} is not installed",
    ),
    rule(
        "missing-module",
        r"No module named '?(?P<subject>[\w.]+)'?(?:; '(?P<package>[\w.]+)' is not a package)?",
        "the module {subject} is not installed",
    ),
    rule(
        "missing-environment-variable",
        r"(?:os\.environ|<frozen os>|/os\.py\")[\s\S]{0,600}KeyError: '(?P<subject>\w+)'|[Ee]nvironment variable[s]? [`'\"]?(?P<other>[A-Z][A-Z0-9_]+)[`'\"]? (?:expected|is not set|must be set|not set|is required|was not found)"
        r"|(?P<third>[A-Z][A-Z0-9_]+) (?:environment variable|is not set|must be set)|(?:set|export|define)(?: the)?(?: environment variable)? (?P<fourth>(?!PYTHONVERBOSE)[A-Z][A-Z0-9_]{3,})\b",
        "the environment variable {subject} is not set",
        scope="any",
    ),
    rule(
        "missing-credentials",
        r"(?P<subject>could not read Username for[^\n]*|Authentication failed for[^\n]*|Permission denied \(publickey\)|API key (?:not|must)[^\n]*|[Aa]pi_key[^\n]*must be set[^\n]*|AuthenticationError[^\n]*"
        r"|wandb: ERROR[^\n]*(?:api_key|login)[^\n]*|UsageError: [^\n]*(?:api_key|wandb login)[^\n]*|(?:401|403) Client Error[^\n]*|gated repo[^\n]*|Invalid (?:API|token)[^\n]*|kaggle\.json[^\n]*|NoCredentialsError[^\n]*|Unable to locate credentials|Incorrect API key[^\n]*)",
        "a key or password is needed: {subject}",
        scope="any",
    ),
    rule(
        "network-blocked",
        r"(?P<subject>Temporary failure in name resolution|Name or service not known|Network is unreachable|nodename nor servname|getaddrinfo failed"
        r"|Could not resolve host|unable to resolve host|Failed to resolve|No route to host|couldn't connect to '?https|We couldn't connect to"
        r"|LocalEntryNotFoundError|OfflineModeIsEnabled|outgoing traffic has been disabled)",
        "the program needs {host}, but there is no network while it runs ({subject}): put the file there, or allow it with --network full",
        scope="any",
    ),
)
