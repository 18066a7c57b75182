"""Objects that stand in for libraries that are not installed: anything can be done to them, nothing happens."""

# Foreign code may raise anything, and pathlib would call the functions that are replaced here.
# ruff: noqa: PTH120, BLE001

import dis
import importlib.abc
import importlib.machinery
import os
import sys
import types

HANDED = []
"""(name of the stub, object) for every parser that was passed to a stub."""
STUBBED = {}
"""Module name -> why it is a stub."""
STDLIB = os.path.dirname(os.__file__) + os.sep
_watched = ()


def watch(*classes):
    """Record in HANDED when an instance of these classes is passed to a stub."""
    global _watched
    _watched = classes


class StubBaseMeta(type):
    """Lets a class that derives from a stub have every class attribute."""

    def __getattr__(cls, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return Stub(cls.__name__ + "." + name)


class StubBase(metaclass=StubBaseMeta):
    """What a class really derives from when its base is a stub."""

    def __init__(self, *args, **kwargs):
        pass

    def __init_subclass__(cls, **kwargs):
        pass

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return Stub(type(self).__name__ + "." + name)

    def __call__(self, *args, **kwargs):
        return Stub(type(self).__name__ + "()")


class Version(str):
    """The version of a missing library: whatever a script asks for."""

    __hash__ = str.__hash__

    def __eq__(self, other):
        return True

    def __ne__(self, other):
        return False

    def __ge__(self, other):
        return True

    __gt__ = __ge__

    def __lt__(self, other):
        return False

    def __le__(self, other):
        return True


class Stub:
    """One name of a missing library, or what came out of it."""

    def __init__(self, name="stub"):
        self.__dict__["_stub_name"] = name

    def __getattr__(self, name):
        if name in ("__version__", "version"):
            return Version("99.0.0")
        if name.startswith("__"):
            raise AttributeError(name)
        return Stub(self._stub_name + "." + name)

    def __setattr__(self, name, value):
        self.__dict__[name] = value

    def __delattr__(self, name):
        self.__dict__.pop(name, None)

    def __call__(self, *args, **kwargs):
        for value in (*args, *kwargs.values()):
            if _watched and isinstance(value, _watched):
                HANDED.append((self._stub_name, value))
        if len(args) == 1 and not kwargs and isinstance(args[0], (types.FunctionType, type)):
            return args[0]  # used as a decorator
        return Stub(self._stub_name + "()")

    def __mro_entries__(self, bases):
        return (StubBase,)

    def __instancecheck__(self, instance):
        return False

    def __subclasscheck__(self, _subclass):
        return False

    def __iter__(self):
        return iter([Stub(self._stub_name + "[]") for _ in range(_values_wanted(sys._getframe(1)))])

    def __next__(self):
        raise StopIteration

    def __len__(self):
        return 1

    def __bool__(self):
        return True

    def __contains__(self, item):
        return False

    def __getitem__(self, key):
        return Stub(self._stub_name + "[]")

    def __setitem__(self, key, value):
        pass

    def __delitem__(self, key):
        pass

    def __enter__(self):
        return Stub(self._stub_name)

    def __exit__(self, *exc):
        return False

    def __int__(self):
        return 1

    def __index__(self):
        return 1

    def __float__(self):
        return 1.0

    def __complex__(self):
        return 1j

    def __fspath__(self):
        return "stub"

    def __repr__(self):
        return "<stub " + self._stub_name + ">"

    __str__ = __repr__

    def __format__(self, spec):
        return "stub"

    def __hash__(self):
        return id(self)

    def __eq__(self, other):
        return self is other

    def __ne__(self, other):
        return self is not other

    def __lt__(self, other):
        return False

    __le__ = __lt__

    def __gt__(self, other):
        return True

    __ge__ = __gt__

    def __await__(self):
        return iter(())


def _operator(self, *others):
    return Stub(self._stub_name)


BINARY = ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "matmul", "and", "or", "xor", "lshift", "rshift")
for _name in (
    *BINARY,
    *(f"r{name}" for name in BINARY),
    "iadd",
    "isub",
    "imul",
    "itruediv",
    "neg",
    "pos",
    "abs",
    "invert",
    "round",
    "divmod",
):
    setattr(Stub, "__" + _name + "__", _operator)


def _values_wanted(frame):
    """How many values the instruction that iterates over a stub unpacks; 0 in a loop."""
    code, at = frame.f_code.co_code, frame.f_lasti
    if at < 0 or at + 1 >= len(code):
        return 0
    name = dis.opname[code[at]]
    if name == "UNPACK_SEQUENCE":
        return code[at + 1]
    return code[at + 1] + 1 if name == "UNPACK_EX" else 0


def _importer():
    """The file whose import statement is being carried out."""
    frame = sys._getframe(1)
    while frame is not None:
        name = frame.f_code.co_filename
        if not name.startswith("<frozen importlib") and name != __file__:
            return name
        frame = frame.f_back
    return ""


class StubModule(types.ModuleType):
    """A missing module: every attribute is a stub, every submodule too."""

    def __getattr__(self, name):
        if name == "__version__":
            return Version("99.0.0")
        if name.startswith("__"):
            raise AttributeError(name)
        return Stub(self.__name__ + "." + name)


PLAIN = {"omegaconf": {"MISSING": "???", "II": lambda key: "${" + key + "}", "SI": lambda text: text}}
"""What is so simple in a missing library that it can be as it is: defaults of options are made of it."""


def stub_module(name, why):
    """A stub for module `name`, registered with the reason."""
    STUBBED.setdefault(name, why)
    module = StubModule(name)
    module.__path__ = []
    module.__file__ = "<stub>"
    vars(module).update(PLAIN.get(name, {}))
    return module


class _StubLoader(importlib.abc.Loader):
    def __init__(self, make):
        self.make = make

    def create_module(self, spec):
        return self.make(spec.name)

    def exec_module(self, module):
        pass


class _TolerantLoader(importlib.abc.Loader):
    """Loads a module of the repository; where it raises, a stub takes its place."""

    def __init__(self, inner):
        self.inner = inner

    def create_module(self, spec):
        return self.inner.create_module(spec)

    def exec_module(self, module):
        try:
            self.inner.exec_module(module)
        except Exception as error:  # whatever a foreign module raises, the script that imports it should still be read
            STUBBED[module.__name__] = type(error).__name__ + ": " + str(error)[:200]
            vars(module)["__getattr__"] = StubModule(module.__name__).__getattr__

    def __getattr__(self, name):
        return getattr(self.inner, name)


class StubFinder(importlib.abc.MetaPathFinder):
    """Finds the repository's own modules, leaves the standard library alone, and makes stubs of all others."""

    def __init__(self, root, special=None):
        self.root = os.path.realpath(root) + os.sep
        self.special = special or {}

    def find_spec(self, name, path=None, target=None):
        """Find `name` for the import system."""
        if name.partition(".")[0] in self.special and name in self.special:
            return importlib.machinery.ModuleSpec(name, _StubLoader(self.special[name]), is_package=True)
        if name in sys.builtin_module_names:
            return None
        spec = None if path is not None and not path else importlib.machinery.PathFinder.find_spec(name, path, target)
        if spec is not None and spec.origin and spec.loader is not None:
            if os.path.realpath(spec.origin).startswith(self.root):
                spec.loader = _TolerantLoader(spec.loader)
            return spec
        if spec is not None:  # a folder without __init__.py
            return spec
        if _importer().startswith(STDLIB):  # the standard library tries modules of other systems
            return None
        return importlib.machinery.ModuleSpec(
            name, _StubLoader(lambda n: stub_module(n, "not installed")), is_package=True
        )
