"""The part that runs inside: executes one script with stubs in place and writes a report to a file descriptor."""

# Foreign code may raise anything, and pathlib would call the functions that are replaced here.
# ruff: noqa: PTH100, PTH109, PTH110, PTH112, PTH118, PTH119, PTH120, PTH123, BLE001

import ast
import dataclasses
import inspect
import json
import os
import runpy
import signal
import site
import sys
import traceback
import types


def main():
    request, out = json.loads(sys.argv[1]), int(sys.argv[2])
    here = os.path.dirname(os.path.abspath(__file__))
    sys.path.insert(0, os.path.dirname(here))
    from stubrun import guard, record, record_absl, record_argparse, stubs

    sys.path.pop(0)
    log = record.Log(request["mode"])
    absl = record_absl.Recorder(log)
    guard.limit(request["timeout"])
    record_argparse.install(log)
    permit_objects_as_defaults()
    site.sethelper()
    site.setquit()  # with the helper the names that every interpreter has, which starts without its packages here
    prepare(request, stubs.StubFinder(request["root"], absl.modules()))
    guard.pretend()
    guard.forbid()

    def over(_signum, _frame):
        raise record.Stop("timeout")

    signal.signal(signal.SIGALRM, over)
    signal.setitimer(signal.ITIMER_REAL, request["timeout"])
    status, message, error = execute(request, record.Stop)
    signal.setitimer(signal.ITIMER_REAL, 0)
    report = summary(log, absl, record_argparse.describe)
    if status in ("exited", "timeout") and log.parsed and request["mode"] == "parse":
        status = "parsed"
    if status == "exited" and report["parsers"] and request["mode"] in ("describe", "functions"):
        status = "described"
    report.update(status=status, message=message, exception=error, stubbed=stubs.STUBBED)
    data = json.dumps(report).encode()
    while data:
        data = data[os.write(out, data) :]
    os._exit(0)


def permit_objects_as_defaults():
    """Before Python 3.11 an object of a dataclass could be the default of a field: programs of that time must still load."""
    make = dataclasses._process_class

    def made(*args, **kwargs):
        cls = make(*args, **kwargs)
        if cls.__hash__ is None:
            cls.__hash__ = object.__hash__
        return cls

    dataclasses._process_class = made


def prepare(request, finder):
    """Lay out sys.argv, sys.path and the working folder as the command would."""
    root = os.path.realpath(request["root"])
    script = os.path.join(root, request["script"])
    os.chdir(os.path.join(root, request["workdir"]))
    for name in [n for n in sys.modules if n.partition(".")[0] in ("absl", "tensorflow")]:
        del sys.modules[name]
    sys.argv = [script, *request["words"]]
    first = os.getcwd() if request["module"] else os.path.dirname(script)
    extra = [os.path.join(root, p) for p in request["paths"]]
    sys.path[:0] = [first, *[p for p in extra if os.path.isdir(p)]]
    sys.dont_write_bytecode = True
    sys.meta_path.insert(0, finder)


def execute(request, stop):
    """Run the script; returns (status, message, exception)."""
    try:
        run(request)
    except stop as end:
        return end.status, end.message, None
    except SystemExit as end:
        return "exited", "" if end.code in (None, 0) else str(end.code)[:500], None
    except BaseException as error:  # the script is foreign; whatever it raises is the result
        return "error", str(error)[:500], picture(error, request["root"])
    return "exited", "", None


def run(request):
    """Execute the script as the interpreter would; in mode functions as a module of its package."""
    script = os.path.join(os.path.realpath(request["root"]), request["script"])
    if request["module"]:
        runpy.run_module(request["module"], run_name="__main__", alter_sys=True)
        return
    with open(script, "rb") as file:
        source = file.read()
    as_module = request["mode"] == "functions"
    package, folder = package_of(script) if as_module else ("", "")
    main = types.ModuleType("__main__" if not as_module else (package + "." if package else "") + "stubrun_target")
    main.__file__ = script
    main.__builtins__ = __builtins__
    if package:
        main.__package__ = package
        sys.path.insert(0, folder)
    sys.modules[main.__name__] = main
    if not as_module:
        exec(compile(source, script, "exec", dont_inherit=True), vars(main))
        return
    tree = ast.parse(source)
    for statement in tree.body:  # one by one: a function can be called although something else in the file fails
        try:
            exec(compile(ast.Module([statement], []), script, "exec", dont_inherit=True), vars(main))
        except (Exception, SystemExit):
            continue
    call_makers(main, tree)


def package_of(script):
    """The dotted package that a file belongs to, and the folder that holds the outermost one."""
    names, folder = [], os.path.dirname(script)
    while os.path.exists(os.path.join(folder, "__init__.py")):
        names.insert(0, os.path.basename(folder))
        folder = os.path.dirname(folder)
    return ".".join(names), folder


def call_makers(module, tree):
    """Call every function, and every method of every class, in whose source a parser is built."""
    for node in tree.body:
        if not isinstance(node, (ast.FunctionDef, ast.ClassDef)) or "ArgumentParser" not in ast.dump(node):
            continue
        made = vars(module).get(node.name)
        if isinstance(node, ast.FunctionDef):
            call(made)
            continue
        made_object = call(made)
        for method in node.body:
            if isinstance(method, ast.FunctionDef) and method.name != "__init__" and not method.decorator_list:
                call(getattr(made_object, method.name, None))


def call(function):
    """Call with a stub for every argument that has no default; None where it raises."""
    from stubrun import stubs

    try:
        parameters = inspect.signature(function).parameters.values()
        wanted = [
            p.name
            for p in parameters
            if p.default is p.empty and p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)
        ]
        return function(*[stubs.Stub(name) for name in wanted])
    except (Exception, SystemExit):
        return None


def summary(log, absl, describe):
    """The parsers that were asked, else those that were made."""
    parsers = list(log.parsers)
    asked = bool(parsers) or log.parsed
    if absl.report():
        parsers.append(absl.report())
    if not parsers or log.mode == "functions":
        subs = {id(s) for p in log.made for a in p._actions if hasattr(a, "_parser_class") for s in a.choices.values()}
        parsers += [describe(p, False) for p in log.made if id(p) not in subs]
    return {
        "parsers": parsers,
        "asked": asked,
        "made": len(log.made),
        "namespace": log.namespace,
        "unknown": log.unknown,
    }


def picture(error, root):
    """Type, message and the deepest line of the repository of an exception."""
    place = {"file": "", "line": 0}
    for frame in traceback.extract_tb(error.__traceback__):
        if os.path.realpath(frame.filename).startswith(os.path.realpath(root) + os.sep):
            place = {
                "file": os.path.relpath(os.path.realpath(frame.filename), os.path.realpath(root)),
                "line": frame.lineno,
            }
    if isinstance(error, SyntaxError) and error.filename:
        place = {"file": os.path.relpath(error.filename, root), "line": error.lineno or 0}
    return {"type": type(error).__name__, "message": str(error)[:500], **place}


if __name__ == "__main__":
    main()
