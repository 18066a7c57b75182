"""Failures of data: files, folders, data sets, weights that are not there or not what they should be."""

from ml_agent.sandbox.diagnosis.model import Fix, Rule, rule

_WEIGHTS = r"pth|pt|ckpt|bin|safetensors|onnx|weights|caffemodel|h5|hdf5|pb|tflite|model|params|npz|ckpt\.index|pdparams|gguf|tar"
_NO_FILE = (
    r"(?:(?:FileNotFoundError|NotADirectoryError): (?:\[Errno \d+\] )?[^'\n]*|No such file or directory: |name = )'"
)


def _folder(path: str) -> Fix | None:
    return Fix(kind="folder", arguments=(path,)) if path else None


def _nltk(name: str) -> Fix:
    return Fix(kind="first", arguments=(f"python -m nltk.downloader {name}",))


POINTERS: tuple[Rule, ...] = (
    rule(
        "lfs-pointer",
        r"(?P<subject>invalid load key, 'v'|version https://git-lfs\.github\.com|git-lfs\.github\.com/spec)",
        "a file is only a pointer of Git LFS, its content was not fetched ({subject}): {file}",
        scope="any",
    ),
)

RULES: tuple[Rule, ...] = (
    rule(
        "missing-data",
        r"Resource (?:\x1b\[\d+m)*'?(?P<subject>[\w/.-]+?)'?(?:\x1b\[\d+m)* not found\.\s+(?:Please use|\S+ use) the NLTK Downloader",
        "the nltk data {subject} is not installed",
        fix=_nltk,
        scope="any",
    ),
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
        "missing-weights",
        _NO_FILE
        + r"(?P<subject>[^'\n]+\.(?:"
        + _WEIGHTS
        + r"))'|FileNotFoundError: [^\n]*?(?P<other>[\w./-]+\.(?:"
        + _WEIGHTS
        + r"))\b"
        r"|(?:Can't load|Could not (?:load|find)|Unable to load|Error no file named)[^\n]*(?:weights|model|checkpoint|config|tokenizer)[^\n]*?['`\"](?P<third>[^'`\"\n]+)['`\"]"
        r"|(?:no|No) (?:checkpoint|weights|model)s? (?:found|exist)[^\n]*?(?:at|in|:) *'?(?P<fourth>[^\s'\n]+)|=> no checkpoint found at '?(?P<fifth>[^'\n]+)'?|Unsuccessful TensorSliceReader constructor: Failed to find any matching files for (?P<sixth>\S+)",
        "the weights {subject} are missing",
    ),
    rule(
        "missing-data",
        r"(?:Dataset not found(?: or corrupted)?|dataset (?:not found|does not exist|is not available)|Can't find (?:the )?dataset|Couldn't find (?:a dataset script|any data file|file) at|Data(?: folder| directory)? not found"
        r"|Please download[^\n]*)[^\n]*?(?:at|in|:|from)?\s*(?P<subject>[\w./~:-]*)",
        "a data set is missing: {line}",
        scope="any",
    ),
    rule(
        "missing-data",
        r"(?:num_samples=0|num_samples should be a positive integer value, but got num_samples=(?P<subject>0)|Found 0 (?:files|images|logs)[^\n]*?(?P<other>[\w./-]+)?$|With n_samples=0"
        r"|\w*(?:Error|Exception): (?:Found no valid file|Couldn't find any class folder|No (?:images|files|data)[^\n]*?) (?:in|for|found)[^\n]*?(?P<fourth>[\w./-]+/[\w./-]*))",
        "a data set is empty or missing: {subject}",
    ),
    rule(
        "missing-data",
        _NO_FILE
        + r"(?P<subject>[^'\n]+\.(?:csv|tsv|jsonl|parquet|npy|mat|lmdb|zip|gz|tgz|arff|feather|tfrecord|hdf|nc|pkl|pickle|wav|mp3|mp4|avi|jpg|jpeg|png|tif|tiff|nii|fasta|fa|pdb|smi|sdf|root|arrow))'|"
        + _NO_FILE
        + r"(?P<other>[^'\n]*(?:data|dataset|corpus|images)s?/[^'\n]*)'",
        "the data file {subject} is missing",
    ),
    rule(
        "missing-file",
        _NO_FILE
        + r"(?P<subject>[^'\n]+)'|(?:cat|cp|mv|ls|head|tail|unzip|tar|python3?|bash|source|rm|sed|awk)(?::| \S+:) (?:cannot (?:stat|access|open) )?'?(?P<other>[^':\n]+)'?: (?:Cannot open: )?No such file or directory"
        r"|(?:can't|cannot|could not|unable to|Can't|Cannot|Could not|Unable to|failed to|Failed to) (?:find|open|read|load)(?: or open)? (?:the )?(?:input )?(?:file|folder|directory|image|path)? ?['\"]?(?P<third>[\w./~-]+[./][\w./-]+)"
        r"|(?P<fourth>[\w./-]+/[\w./-]+)(?: does not exist|: No such file or directory| not found| not exists?)|(?:OSError|FileNotFoundError|ValueError): (?P<fifth>[\w./-]+\.\w+) not found|NotFoundError:[^\n]*?(?P<sixth>[\w./-]+\.\w+); No such file"
        r"|(?i:unable to|cannot|can't|could not|failed to) (?:find|locate) [^\n]{1,80}?\b(?:binary|executable)\b[^\n]*: (?P<seventh>/[\w./-]+)$",
        "the file {subject} is missing",
    ),
    rule(
        "encoding",
        r"(?P<subject>'[\w-]+' codec can't (?:de|en)code (?:byte|character)[^\n]*)",
        "a text is in another encoding: {subject}",
    ),
    rule(
        "corrupt-file",
        r"(?P<subject>(?:zipfile\.)?BadZipFile[^\n]*|not a gzip file[^\n]*|EOFError: (?:Compressed file ended|Ran out of input)[^\n]*|UnpicklingError[^\n]*|cannot identify image file[^\n]*|PytorchStreamReader failed[^\n]*|unexpected EOF, expected[^\n]*"
        r"|Unable to (?:synchronously )?open file \((?:file signature not found|truncated file)[^\n]*|JSONDecodeError: [^\n]*|ParserError: [^\n]*|file is corrupted[^\n]*|invalid header or archive is corrupted|HeaderTooLarge|tarfile\.ReadError[^\n]*|End-of-central-directory signature not found[^\n]*)",
        "a file is damaged or of another kind: {subject}",
    ),
)

COLUMNS: tuple[Rule, ...] = (
    rule(
        "missing-column",
        r"site-packages/pandas/[\s\S]*^KeyError: ['\"](?P<subject>[^'\"\n]+)['\"]|KeyError: \"(?P<other>[^\n]*not (?:in index|found in axis)[^\n]*)|Usecols do not match columns[^\n]*(?P<third>\[[^\n]*\])",
        "the data has no column or key {subject}",
        scope="any",
    ),
)
