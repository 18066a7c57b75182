"""Code blocks of documents: prompts taken off, the language told or guessed."""

import ast
import re
import textwrap

from ml_agent.tools.documents.model import CodeBlock
from ml_agent.tools.launchers import PYTHON, starters
from ml_agent.tools.python_source import parse_python

_BASH_LABELS = frozenset(
    [
        "bash",
        "sh",
        "shell",
        "zsh",
        "fish",
        "console",
        "terminal",
        "cmd",
        "bat",
        "batch",
        "powershell",
        "ps",
        "ps1",
        "commandline",
        "command-line",
        "shellscript",
        "shell-session",
        "shellsession",
        "sh-session",
    ]
)
_PYTHON_LABELS = frozenset(["python", "py", "python3", "python2", "py3", "pycon", "python-repl", "ipython", "ipython3"])
_UNTOLD_LABELS = frozenset(["", "text", "txt", "plain", "plaintext", "none", "default", "code", "raw", "output"])

_COMMANDS = frozenset(
    [
        "pip",
        "pip3",
        "cd",
        "export",
        "git",
        "wget",
        "curl",
        "gdown",
        "tar",
        "unzip",
        "mkdir",
        "make",
        "cmake",
        "apt",
        "apt-get",
        "brew",
        "docker",
        "ls",
        "cp",
        "mv",
        "rm",
        "ln",
        "cat",
        "echo",
        "chmod",
        "jupyter",
        "tensorboard",
        "huggingface-cli",
        "hf",
        "kaggle",
        "sbatch",
        "virtualenv",
    ]
)
"""What documents call besides what starts a script."""
_ASSIGNMENT = re.compile(r"[A-Za-z_]\w*=(?:\"[^\"]*\"|'[^']*'|\S*)$")
_SHELL_PROMPT = re.compile(
    r"^\s*(?:\([\w.-]+\)\s*)?(?:[\w.-]+@[\w.-]+[:\s][^\s$#]*\s*|~|[\w./-]+)?\s?(?:\$|❯|➜)\s+(?=\S)"
)
_BIBTEX = re.compile(r"\s*@[A-Za-z]+\s*\{")
_PYTHON_PROMPT = re.compile(r"^\s*(?:>>> ?|In \[\d*\]: ?)")
_PYTHON_CONTINUATION = re.compile(r"^\s*(?:\.\.\. ?|\.{3,}: ?)")
_PYTHON_LINE = re.compile(
    r"^(?:import \w[\w.]*(?: as \w+)?(?:, *\w.*)?$|from \.*\w[\w.]* import \S|def \w+\(|class \w+.*:$|with .+:$|for .+ in .+:$)",
    re.MULTILINE,
)
_STRONG_STATEMENTS = (
    ast.Import, ast.ImportFrom, ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Assign, ast.AugAssign, ast.With,
    ast.For, ast.If, ast.Try, ast.While,
)  # fmt: skip


def clean_block(text: str, label: str, line: int) -> list[CodeBlock]:
    """The code block in that text; none where nothing is in it.

    Args:
        text: The block as it stands in the document, prompts and all.
        label: What the document says it is (the info string of a fence); "" where it says nothing.
        line: 1-based line of the first line of `text`.
    """
    lines = textwrap.dedent(text.expandtabs(4) if text.startswith("\t") else text).rstrip().split("\n")
    while lines and not lines[0].strip():
        lines.pop(0)
        line += 1
    if not lines:
        return []
    language = normal_label(label)
    if any(_PYTHON_PROMPT.match(row) for row in lines) and language in ("", "python", "bash"):
        cleaned, language = _without_python_prompts(lines), "python"
    elif language in ("", "bash") and any(map(_SHELL_PROMPT.match, lines)):
        cleaned, language = _without_shell_prompts(lines), "bash"
    else:
        cleaned = "\n".join(lines)
    if not cleaned.strip():
        return []
    language = _language(cleaned, language)
    return [CodeBlock(text=cleaned, language=language, line=line)]


def normal_label(label: str) -> str:
    """bash, python, "" for no information, else the label in lower case."""
    words = [word for word in re.split(r"[\s{},:;=]+", label.strip().lower()) if word]
    if words and words[0] in ("code-block", "code-cell", "code", "sourcecode"):
        words = words[1:]
    word = words[0].lstrip(".") if words else ""
    if word in _BASH_LABELS:
        return "bash"
    if word in _PYTHON_LABELS:
        return "python"
    return "" if word in _UNTOLD_LABELS else word


def looks_like_command(line: str) -> bool:
    """Whether a line begins as a shell command does."""
    words = line.strip().split()
    while words and _ASSIGNMENT.match(words[0]):
        words.pop(0)
    if not words:
        return False
    return (
        words[0] in _COMMANDS
        or words[0] in starters()
        or PYTHON.match(words[0]) is not None
        or (words[0].startswith("./") and not words[0].endswith("/"))
        or words[0].endswith((".sh", "/python", "/python3"))
    )


def _language(text: str, declared: str) -> str:
    """Corrects a label that the content contradicts: many documents put commands into Python fences and back."""
    if declared not in ("", "bash", "python"):
        return declared
    if _BIBTEX.match(text):
        return "bibtex"
    if declared == "bash":
        tree = parse_python(text) if "import" in text else None
        imports = tree is not None and any(isinstance(node, ast.Import | ast.ImportFrom) for node in tree.body)
        return "python" if imports else "bash"
    guessed = _guess_from_lines(text)
    if declared and guessed != "bash":
        return declared
    tree = parse_python(text)
    if declared:
        return declared if tree is not None else "bash"
    return "python" if tree is not None and _is_strong(tree) else guessed


def _is_strong(tree: ast.Module) -> bool:
    """Whether somebody meant Python: most single words and many English lines parse as an expression, too."""
    return any(
        isinstance(node, _STRONG_STATEMENTS) or (isinstance(node, ast.Expr) and isinstance(node.value, ast.Call))
        for node in tree.body
    )


def _guess_from_lines(text: str) -> str:
    if _PYTHON_LINE.search(text):
        return "python"
    rows = [row for row in text.split("\n") if row.strip() and not row.lstrip().startswith("#")]
    return "bash" if any(looks_like_command(row) for row in rows) else ""


def _without_python_prompts(lines: list[str]) -> str:
    """The code of an interactive session; what the interpreter answered is dropped."""
    kept: list[str] = []
    inside = False
    for row in lines:
        prompt = _PYTHON_PROMPT.match(row) or (_PYTHON_CONTINUATION.match(row) if inside else None)
        if prompt:
            kept.append(row[prompt.end() :])
        inside = prompt is not None
    return "\n".join(kept).strip("\n")


def _without_shell_prompts(lines: list[str]) -> str:
    """The commands of a terminal session; what the programs printed is dropped."""
    kept: list[str] = []
    continued = False
    for row in lines:
        prompt = _SHELL_PROMPT.match(row)
        if prompt:
            kept.append(row[prompt.end() :])
        elif continued:
            kept.append(re.sub(r"^\s*> ?", "", row))
        elif row.lstrip().startswith("#"):
            kept.append(row.strip())
        continued = (prompt is not None or continued) and row.rstrip().endswith("\\")
    return "\n".join(kept)
