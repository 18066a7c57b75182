"""Names of variables that hold secrets, and names that only look like it."""

import pytest

from ml_agent.tools.secret_names import names_a_secret, without_secrets

SECRET = [
    "OPENAI_API_KEY",
    "HF_TOKEN",
    "GITHUB_PAT",
    "CLIENT_SECRETS",
    "AWS_SECRET_ACCESS_KEY",
    "PGPASSWORD",
    "MYSQL_PWD",
    "HFTOKEN",
    "OPENAIKEY",
    "DB_PASS",
    "SSHPASS",
    "GITHUB_TOKEN2",
    "KEY1",
    "API_KEY_2",
    "RABBITMQ_DEFAULT_PASS",
    "WANDBAPIKEY",
    "hfToken",
    "MYPASSPHRASE",
    "PASSWORD",
    "TOKEN",
    "KEY",
    "MYSQLPASSWD",
    "SMTP_PWD2",
]
HARMLESS = [
    "PWD",
    "OLDPWD",
    "PASS",
    "PATH",
    "HOME",
    "NUM_TOKENS",
    "MAXTOKENS",
    "TOKENIZER",
    "MONKEY",
    "DONKEY_KONG",
    "BYPASS",
    "COMPASS",
    "NUM_PASSES",
    "PASSES",
    "LOWPASS",
    "KEYBOARD",
    "KEYPOINTS",
    "KEYS_DIR",
    "TURKEY",
    "HOTKEY",
    "COMPASS2",
    "SECRETARY",
    "PATIENCE",
    "DATA",
    "LR",
]


@pytest.mark.parametrize("name", SECRET)
def test_names_that_say_so(name: str) -> None:
    assert names_a_secret(name)
    assert without_secrets({name: "x", "LR": "1"}) == {"LR": "1"}


@pytest.mark.parametrize("name", HARMLESS)
def test_names_that_do_not(name: str) -> None:
    assert not names_a_secret(name)
