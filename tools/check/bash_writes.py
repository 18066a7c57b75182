"""Which files a command writes, and from which folders their paths have to be judged."""

import re
from collections.abc import Sequence

from ml_agent.tools.commandline.lexer import lex
from ml_agent.tools.commandline.shell import change_folder, is_keyword, never_a_command, simple_commands
from ml_agent.tools.secret_files import is_secret_place

_WRITE_ALL = frozenset(
    ["tee", "rm", "rmdir", "touch", "truncate", "chmod", "chown", "chgrp", "shred", "mv", "unlink", "ln", "mkdir"]
)
_WRITE_LAST = frozenset(["cp", "install", "rsync", "scp"])
_TARGET = ("-t", "--target-directory")
_OPTIONS = {
    "cp": _TARGET, "mv": _TARGET, "ln": _TARGET, "install": _TARGET, "sort": ("-o", "--output"),
    "wget": ("-O", "-o", "-a", "-P", "--output-document", "--directory-prefix", "--output-file", "--append-output"),
    "curl": ("-o", "-D", "-c", "--output", "--output-dir", "--dump-header", "--cookie-jar"),
    "tar": ("-C", "--directory", "--one-top-level"), "unzip": ("-d",), "find": ("-fprint", "-fprint0", "-fprintf", "-fls"),
}  # fmt: skip
_MOST = 100
"""Folders that are followed."""
_HOME = re.compile(r"^\$(?:HOME\b|\{HOME\})")
_TEMPORARY = re.compile(r"/tmp/[\w-][\w.-]*")


def written(name: str, words: Sequence[str]) -> list[str]:
    """Paths of files and folders that a command makes, changes or removes.

    Args:
        name: the program's name without folders.
        words: the words behind it.
    """
    plain = [word for word in words if not word.startswith("-")]
    found = option_values(words, _OPTIONS.get(name, ()))
    if name in _WRITE_ALL:
        found += plain[1:] if name in ("chmod", "chown", "chgrp") else plain
    elif name in _WRITE_LAST:
        found += plain[-1:]
    elif name == "dd":
        found += [word[3:] for word in words if word.startswith("of=")]
    elif (name == "sed" and any(re.match(r"-\w*i|--in-place", word) for word in words)) or (
        name == "find" and "-delete" in words
    ):
        found += plain
    elif name == "git" and "clone" in words:
        found += [word for word in plain[1:] if ":" not in word]
    elif name == "tar" and words and re.match(r"-?\w*c\w*f", words[0]):
        found += words[1:2]
    kept = [word for word in found if word != "/dev/null"]
    return [word for word in kept if name != "tee" or _TEMPORARY.fullmatch(word) is None]


def option_values(words: Sequence[str], options: Sequence[str]) -> list[str]:
    """The values of options, written in any way, also with other letters in one word: `-qO file`."""
    found: list[str] = []
    for place, word in enumerate(words):
        following = list(words[place + 1 : place + 2])
        for option in options:
            if word == option:
                found += following
            elif word.startswith(f"{option}="):
                found.append(word[len(option) + 1 :])
            elif len(option) == 2 and re.match(r"-\w", word) and option[1] in word:
                behind = word[word.index(option[1], 1) + 1 :]
                found += [behind.removeprefix("=")] if behind else following
    return found


def folders_of(text: str) -> tuple[str, ...]:
    """Every folder in which a command may run; () where each command surely runs where its `cd`s lead."""
    tokens = [token for token in lex(text, prompts=False) if token.kind != "comment"]
    called = ([token.value for token in command if token.kind == "word"] for command in simple_commands(tokens))
    moves = [words for words in called if words and words[0] in ("cd", "pushd", "popd")]
    marks = [token.raw if token.kind == "operator" else "" for token in tokens]
    last = max((place for place, token in enumerate(tokens) if token.value == "cd"), default=-1)
    behind = next((mark for mark in marks[max(last, 0) :] if mark), "&&")
    joined = (
        behind == "&&"
        and all(mark in ("", "&&") for mark in marks[:last])
        and all(mark in ("", "&&", "|") for mark in marks[last:-2])
    )
    grammar = any(is_keyword(token) or never_a_command(token) for token in tokens)
    if not moves or (joined and not grammar and all(words[0] == "cd" for words in moves)):
        return ()
    found = {"."}
    for words in moves:
        if words[0] != "popd" and words[1:] not in (["-"], []):
            found |= {change_folder(folder, words[1:]) for folder in found}
        elif words == ["cd"] or len(found) > _MOST:
            found.add("")
        if len(found) > _MOST:
            return (".", "")
    return tuple(sorted(found))


def names_secret_file(word: str, folder: str = ".") -> bool:
    """Whether a word, or what stands in it behind a sign, is the path of a file of the user's that holds secrets."""
    for part in (word, *re.split(r"[@=,:;]", word), word[2:] if word.startswith("-") else ""):
        place = _HOME.sub("~", part)
        if is_secret_place(place) or (
            part and folder != "." and not folder.strip("./") and is_secret_place(f"~/{part}")
        ):
            return True
        if folder.startswith("/") and part and is_secret_place(f"{folder}/{part}"):
            return True
    return False
