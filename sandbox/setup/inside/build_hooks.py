"""Asks a build backend; runs inside the sandbox without a network, under Python 3.7 and newer.

    python build_hooks.py metadata|wheel FOLDER OUT BACKEND PATHS HAS COPY [anew]
    python build_hooks.py develop FOLDER OUT WHEEL TREE

Prints one answer `ML-AGENT>{json}` at its end: a list where the build asks for more than HAS, a JSON list of requirements, else what
came of it; without HAS it is not asked. A wheel is copied to COPY, too. `develop` makes of a built wheel one that leads to the sources in TREE: what was generated is
laid beside them, and listed.
"""

import base64
import hashlib
import importlib
import json
import os
import shutil
import subprocess
import sys
import traceback
import types
import zipfile


def main():
    what, folder, out = sys.argv[1:4]
    os.makedirs(out, exist_ok=True)
    # An interpreter that lies elsewhere than where it was built tells compilers of a folder that is not there.
    os.environ.setdefault("LIBRARY_PATH", os.path.join(sys.base_prefix, "lib"))
    if what == "develop":
        answer = develop(folder, out, sys.argv[4], sys.argv[5])
    else:
        copy = os.path.abspath(sys.argv[7])
        os.chdir(folder)
        mend_setup("setup.py")
        backend = backend_of(folder, sys.argv[4], json.loads(sys.argv[5]))
        has = json.loads(sys.argv[6])
        wanted = forked(getattr(backend, "get_requires_for_build_wheel", list)) if has is not None else []
        if sys.argv[8:]:
            importlib.import_module("Cython")  # that it is missing is to be told
            translate(".", True)
        answer = [one for one in wanted if one not in has] or ask(what, out, backend, copy)
    say(answer)


def mend_setup(path):
    """Names that a setup.py leaves for modules: `__builtins__` is a module in a script only, which a backend does not run it as."""
    if not os.path.isfile(path):
        return
    with open(path, "rb") as file:
        text = file.read()
    if b"parse_requirements" in text:
        lend_pip()
    if b"__builtins__." in text:
        with open(path, "wb") as file:
            file.write(text.replace(b"__builtins__.", b"__import__('builtins')."))


def translate(folder, anew=False):
    """Cython's sources into the C that a setup.py names and that lies beside them in releases alone; `anew`: into the C that is there."""
    for place, _, names in os.walk(folder):
        scripts = [os.path.join(one, "setup.py") for one in (folder, place)]
        said = b""
        for script in filter(os.path.isfile, scripts):
            with open(script, "rb") as file:
                said += file.read()
        for name in names:
            for ending, option in ((".c", []), (".cpp", ["--cplus"]), (".cxx", ["--cplus"])):
                made = name[:-4] + ending
                if name.endswith(".pyx") and (made in names if anew else made.encode() in said and made not in names):
                    words = [os.path.join(place, name), "-o", os.path.join(place, made)]
                    subprocess.call([sys.executable, "-m", "cython", *words, *option], env=os.environ)


def lend_pip():
    """What setup.py files of old took from inside pip, which no later pip has there."""
    pip = types.ModuleType("pip")
    vars(pip).update(__version__="9.0.3", __path__=[], parse_requirements=requirements, PipSession=dict, main=None)
    places = "req req.req_file download _internal _internal.req _internal.req.req_file _internal.download _internal.network _internal.network.session"
    for place in places.split():
        module = types.ModuleType("pip." + place)
        vars(module).update(__path__=[], parse_requirements=requirements, PipSession=dict)
        sys.modules["pip." + place] = module
        above, _, name = ("pip." + place).rpartition(".")
        setattr(pip if above == "pip" else sys.modules[above], name, module)
    sys.modules["pip"] = pip


def requirements(path, *_, **__):
    """The lines of a file of requirements, as pip gave them."""
    with open(path, encoding="utf-8") as file:
        lines = [line.partition(" #")[0].strip() for line in file]
    for line in lines:
        if line.startswith("-r "):
            for one in requirements(os.path.join(os.path.dirname(path), line[3:].strip())):
                yield one
        elif line and not line.startswith(("#", "-")) and "://" not in line:
            yield types.SimpleNamespace(req=line, requirement=line, name=line, link=None, url=None, markers=None)


def say(answer):
    """Lines that nobody cuts: each continues the one before where it begins with a plus."""
    text = json.dumps(answer)
    for start in range(0, len(text), 800):
        sys.stdout.write("\nML-AGENT%s%s\n" % ("+" if start else ">", text[start : start + 800]))
    sys.stdout.flush()


def backend_of(folder, name, paths):
    sys.path[:0] = [os.path.join(folder, path) for path in paths]
    module, _, attributes = name.partition(":")
    found = importlib.import_module(module)
    for attribute in filter(None, attributes.split(".")):
        found = getattr(found, attribute)
    return found


def forked(hook):
    """What a hook answers, asked by a child: a setup.py may change what the next hook would find."""
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            with os.fdopen(write, "w") as answer:
                json.dump(list(hook({})), answer)
        except BaseException:  # also SystemExit
            traceback.print_exc()
            sys.stdout.flush()
            os._exit(1)
        os._exit(0)
    os.close(write)
    with os.fdopen(read) as answer:
        said = answer.read()
    if os.waitpid(child, 0)[1] != 0:
        sys.exit(1)
    return json.loads(said)


def ask(what, out, backend, copy):
    if what == "metadata" and hasattr(backend, "prepare_metadata_for_build_wheel"):
        name = backend.prepare_metadata_for_build_wheel(out, {})
        with open(os.path.join(out, name, "METADATA"), encoding="utf-8", errors="replace") as file:
            return {"metadata": file.read().partition("\n\n")[0]}
    translate(".")
    wheel = os.path.join(out, backend.build_wheel(out, {}))
    shutil.copyfile(wheel, copy)
    with zipfile.ZipFile(wheel) as archive:
        name = next(name for name in archive.namelist() if name.endswith(".dist-info/METADATA"))
        return {"wheel": wheel, "metadata": archive.read(name).decode("utf-8", "replace").partition("\n\n")[0]}


def develop(folder, out, wheel, tree):
    """The new wheel and the files that were laid into the tree; the wheel itself where its modules are not found there."""
    target, added, bases, rows = os.path.join(out, "develop", os.path.basename(wheel)), [], [], []
    os.makedirs(os.path.dirname(target), exist_ok=True)
    with zipfile.ZipFile(wheel) as old, zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as new:
        info = next(name.split("/")[0] for name in old.namelist() if ".dist-info/" in name)
        places = {top: base_of(tree, top) for top in tops(old, info)}
        for name in old.namelist():
            base = places.get(name.split("/")[0])
            if name.endswith(("/", ".dist-info/RECORD")):
                continue
            if base is None:
                write(new, name, old.read(name), rows)
                continue
            bases += [] if base in bases else [base]
            here = os.path.join(base, name)
            if not os.path.lexists(here):
                os.makedirs(os.path.dirname(here), exist_ok=True)
                with old.open(name) as source, open(here, "wb") as made:
                    shutil.copyfileobj(source, made)
                added.append(os.path.relpath(here, tree))
        if bases:
            write(new, "ml_agent_%s.pth" % info.split("-")[0], "".join(base + "\n" for base in bases).encode(), rows)
        new.writestr(info + "/RECORD", "".join(rows) + info + "/RECORD,,\n")
    return {"wheel": target, "added": added}


def tops(wheel, info):
    found = {name.split("/")[0] for name in wheel.namelist()}
    return sorted(top for top in found if top != info and not top.endswith((".data", ".pth")))


def base_of(tree, top):
    """The folder of the sources below which a module or package of the wheel lies."""
    wanted = [os.path.join(tree, place) for place in ("", "src", "lib", "python", "source")]
    for base in wanted:
        here = os.path.join(base, top)
        if os.path.isfile(here) if top.endswith(".py") else os.path.isdir(here):
            return os.path.normpath(base)
    return os.path.normpath(tree) if not top.endswith(".py") and "." in top else None  # a compiled module at the top


def write(archive, name, content, rows):
    archive.writestr(name, content)
    sha = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
    rows.append("%s,sha256=%s,%d\n" % (name.replace(",", "_"), sha, len(content)))


if __name__ == "__main__":
    main()
