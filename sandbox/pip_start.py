"""pip in a fresh virtual environment: what `ensurepip` installs, unpacked instead of installed, which takes a tenth of the time.

What is unpacked is the same: the wheels that come with the interpreter. They are compiled where they are imported, not all at
once. Modules of the folder that it runs in, the repository's, take no part, neither here nor where `pip` is called.
"""

import shlex

_UNPACK = """
import ensurepip, sys, sysconfig, zipfile
from pathlib import Path
shared = sysconfig.get_config_var("WHEEL_PKG_DIR") or "/usr/share/python-wheels"
folders = [Path(ensurepip.__file__).with_name("_bundled"), Path(shared)]
for name in ("pip", "setuptools") if sys.version_info < (3, 12) else ("pip",):
    wheels = [wheel for folder in folders for wheel in folder.glob(name + "-*.whl")]
    zipfile.ZipFile(wheels[0]).extractall(sysconfig.get_path("purelib"))
for name in ("pip", "pip3"):
    script = Path(sys.prefix, "bin", name)
    script.write_text(sys.argv[1])
    script.chmod(0o755)
"""

_SCRIPT = """#!/bin/sh
'''exec' "$(dirname "$0")/python" "$0" "$@"
' '''
import sys
from pip._internal.cli.main import main
sys.exit(main())
"""
"""Shell and Python at once, as pip writes it where a path is long: it finds the interpreter beside itself."""

START_PIP = f"python -I -c {shlex.quote(_UNPACK)} {shlex.quote(_SCRIPT)} 2>/dev/null || python -I -m ensurepip --upgrade --default-pip"
"""A bash command for a virtual environment that has no pip; where the wheels lie elsewhere it is `ensurepip` itself."""
