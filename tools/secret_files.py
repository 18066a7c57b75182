"""Which names of files say that they hold a secret: these are no part of what is read, shown, sent or put into a sandbox.

By the words of a name (`hf_token`, `client_secret.json`, `wandb_key.txt`), by its ending (`server.key`), and by names that
programs give (`.netrc`, `kaggle.json`). Vocabularies and sources speak of tokens and keys, too: `tokens.txt`,
`special_tokens_map.json`, `keys.py` and `primary_key.csv` are none.
"""

import fnmatch
import re

_NAMES = (
    ".env", ".env.*", ".env-*", ".env_*", ".envrc", "*.env", ".netrc", "_netrc", ".pypirc", ".npmrc", ".htpasswd", "*.htpasswd", ".pgpass", "pgpass.conf",
    ".my.cnf", ".mylogin.cnf", ".boto", ".s3cfg", ".dockercfg", ".databrickscfg", ".renviron", ".terraformrc", "kaggle.json",
    "kubeconfig", "*.kubeconfig", "cookies.txt", "cookies.sqlite", "service-account*.json", "service_account*.json",
    "gha-creds-*.json", "secrets.sh", "credentials.sh", "*.tfstate", "*.tfstate.backup", "id_rsa*", "id_dsa*", "id_ecdsa*", "id_ed25519*",
    "*.pem", "*.p12", "*.pfx", "*.p8", "*.key", "*.keystore", "*.jks", "*.kdbx", "*.ppk", "*.keytab",
    "auth.json", "local.settings.json", "pip.conf", "pip.ini", "rclone.conf", "ngrok.yml", "*.ovpn", ".comet.config", ".modal.toml",
    "clearml.conf", ".*_history",
)  # fmt: skip
_PLACES = (
    ".kube/config",
    ".docker/config.json",
    ".ssh/*",
    ".gnupg/*",
    ".aws/*",
    ".azure/*",
    ".password-store/*",
    "gh/hosts.yml",
)
"""By the folder, too."""
_NO_SECRETS = (".py", ".pyi", ".md", ".rst", ".ipynb", ".html", ".pub", ".h", ".c", ".cc", ".cpp", ".cu")
"""Sources and texts, whatever they are named."""
_EXAMPLE = frozenset({"example", "examples", "sample", "template", "dist", "dummy"})
_HOLDS = frozenset(
    ["", "txt", "json", "yaml", "yml", "toml", "ini", "cfg", "conf", "xml", "properties", "enc", "b64", "bak", "old", "gpg", "asc"]
)  # fmt: skip
"""Endings of files that hold a secret under a name that says so."""
_SAY_SO = frozenset(
    ["secret", "secrets", "password", "passwords", "passwd", "passphrase", "credential", "credentials", "apikey", "apikeys", "htpasswd"]
)  # fmt: skip
_AT_THE_END = frozenset(
    [
        "token",
        "key",
        "authtoken",
        "apitoken",
        "accesstoken",
        "hftoken",
        "accesskey",
        "privatekey",
        "secretkey",
        "sshkey",
    ]
)
_HIDDEN = re.compile(
    r"/\.(?:ssh|aws|gnupg|azure|kube|docker|password-store|config/gcloud)(?:/|$)|^/proc/[^/]+/environ|^/etc/g?shadow"
)
_LONGEST = 200
"""Characters of a path."""
_MOST_WORDS = 5
"""Of a name that says so; a longer one is a sentence."""
_NO_TOKEN = frozenset(
    ["special", "added", "bos", "eos", "pad", "unk", "cls", "sep", "mask", "start", "end", "stop", "word", "sub", "per", "multi", "text",
     "image", "audio", "speech", "answer", "primary", "foreign", "public", "sort", "hot", "map", "group", "label", "index", "cache"]
)  # fmt: skip
"""What stands before `token` or `key` where that is one of a vocabulary or of a table."""
_CAPITAL = re.compile("(?<=[a-z0-9])(?=[A-Z])")
_NAMED, _PLACED = (re.compile("|".join(map(fnmatch.translate, patterns))) for patterns in (_NAMES, _PLACES))


def is_secret(path: str) -> bool:
    """Whether the name of a file (or its path, with `/`) says that it holds a secret."""
    folders, _, own = path.rstrip("~").rpartition("/")  # what an editor keeps beside a file holds what that held
    name = own.lower()
    if name.endswith(_NO_SECRETS) or not _EXAMPLE.isdisjoint(re.split(r"[^a-z0-9]+", name)):
        return False
    return (
        _NAMED.fullmatch(name) is not None
        or _PLACED.fullmatch(f"{folders.rpartition('/')[2].lower()}/{name}") is not None
        or _says_so(_CAPITAL.sub("_", own).lower())
    )


def is_secret_place(place: str) -> bool:
    """Whether a path outside the repository (from the root, the home or a folder above) leads to files that hold secrets."""
    if len(place) > _LONGEST or "\n" in place or not place.startswith(("/", "~", "..")):
        return False
    return _HIDDEN.search(place) is not None or is_secret(place.rpartition("/")[2])


def _says_so(name: str) -> bool:
    stem, _, ending = name.rpartition(".") if "." in name.lstrip(".") else (name, "", "")
    words = [word.rstrip("0123456789") for word in re.split(r"[^a-z0-9]+", stem) if word]
    if ending not in _HOLDS or not 0 < len(words) <= _MOST_WORDS:
        return False
    return bool(_SAY_SO & set(words)) or (words[-1] in _AT_THE_END and not _NO_TOKEN & set(words))
