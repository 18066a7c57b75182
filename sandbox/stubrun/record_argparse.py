"""Watches the real argparse: which parsers are made and asked, with which options, and what they answer."""

# Foreign code may raise anything, and pathlib would call the functions that are replaced here.
# ruff: noqa: BLE001

import argparse
import os
import sys

from stubrun import stubs
from stubrun.record import Stop, known, plain, typed

PROBES = ("1", "0.5", "true", "abc", "a,b")


class Watch:
    """The methods that take the place of argparse's own."""

    def __init__(self, log):
        self.log = log
        self.real_init = argparse.ArgumentParser.__init__
        self.real_known = argparse.ArgumentParser.parse_known_args
        self.busy = False

    def parse(self, parser, args, namespace, strict):
        """parse_args (strict) or parse_known_args; those that argparse calls itself pass through."""
        if not self.busy:
            return self.ask(parser, args, namespace, strict)
        found, rest = self.real_known(parser, args, namespace)
        if strict and rest:
            parser.error("unrecognized arguments: " + " ".join(rest))
        return found, rest

    def ask(self, parser, args, namespace, strict):
        """The program parses its command line."""
        log = self.log
        self.busy = True
        try:
            if log.mode == "functions" and importing():
                return self.defaults_of(parser, namespace), []
            if log.mode in ("describe", "functions"):
                log.parsers.append(describe(parser, strict))
                if strict and log.mode == "describe":
                    raise Stop("described")
                return self.defaults_of(parser, namespace), []
            found, rest = self.real_known(parser, args, namespace)
            if strict and rest and not handed_to(parser):  # a library that is a stub here may know the rest
                parser.error("unrecognized arguments: " + " ".join(map(str, rest)))
        finally:
            self.busy = False
        log.namespace = {**(log.namespace or {}), **{k: plain(v) for k, v in vars(found).items()}}
        log.unknown = [str(word) for word in rest]
        log.parsed = True
        if strict and log.mode == "parse":
            raise Stop("parsed")
        return found, rest

    def defaults_of(self, parser, namespace):
        """What parsing nothing gives, with nothing required."""
        relaxed = [part for part in (*parser._actions, *parser._mutually_exclusive_groups) if part.required]
        for part in relaxed:
            part.required = False
        try:
            return self.real_known(parser, [], namespace)[0]
        except (Stop, Exception):  # a stubbed default may break its own converter; the plain defaults will do
            return argparse.Namespace(**{a.dest: a.default for a in parser._actions if a.dest != argparse.SUPPRESS})
        finally:
            for part in relaxed:
                part.required = True


def importing():
    """Whether a module is being imported: what it makes then and nobody asks is its own, not of the script or function."""
    frame = sys._getframe(1)
    while frame is not None and frame.f_code.co_name != "_find_and_load":
        frame = frame.f_back
    return frame is not None


def install(log):
    """Put the watching methods into argparse."""
    watch = Watch(log)
    stubs.watch(argparse.ArgumentParser, argparse._ArgumentGroup)

    def init(self, *args, **kwargs):
        watch.real_init(self, *args, **kwargs)
        if not importing():
            log.made.append(self)

    def error(self, message):
        raise Stop("rejected", message)

    def leave(self, status=0, message=None):
        raise Stop("rejected" if status else "help", message or "")

    parser = argparse.ArgumentParser
    parser.__init__, parser.error, parser.exit = init, error, leave
    parser.parse_args = lambda self, args=None, namespace=None: watch.parse(self, args, namespace, True)[0]
    parser.parse_known_args = lambda self, args=None, namespace=None: watch.parse(self, args, namespace, False)


def describe(parser, strict, subcommand=()):
    """All options of a parser and of its subcommands."""
    report = {
        "framework": "argparse", "strict": strict, "subcommand": list(subcommand), "handed": handed_to(parser),
        "allow_abbrev": bool(getattr(parser, "allow_abbrev", True)), "options": [], "subparsers": [],
        "description": str(parser.description or ""),
    }  # fmt: skip
    for action in list(parser._actions):
        if isinstance(action, argparse._SubParsersAction):
            seen = set()
            for name, sub in action.choices.items():
                if id(sub) not in seen:
                    seen.add(id(sub))
                    report["subparsers"].append(describe(sub, strict, (*subcommand, name)))
        elif not isinstance(action, argparse._HelpAction):
            report["options"].append(option(action))
    return report


def handed_to(parser):
    """The names of the stubs that were given this parser or a group of it."""
    return sorted(
        {name for name, value in stubs.HANDED if value is parser or getattr(value, "_container", None) is parser}
    )


def option(action):
    """One action in the terms of a signature's option."""
    flags = list(action.option_strings)
    negative = []
    if type(action).__name__ == "BooleanOptionalAction":
        negative = [f for f in flags if f.startswith("--no-")]
        flags = [f for f in flags if not f.startswith("--no-")]
    switch = action.nargs == 0
    nargs = "0" if switch else None if action.nargs is None else str(action.nargs)
    default = None if action.default is argparse.SUPPRESS else action.default
    return {
        "dest": action.dest, "flags": flags, "negative_flags": negative, "nargs": nargs, "type": type_of(action),
        "choices": None if action.choices is None else choices(action.choices),
        "default": typed(default), "default_known": known(default), "required": bool(action.required),
        "switch_value": typed(action.const) if switch else None, "action": type(action).__name__,
        "help": str(action.help or ""), "converter": getattr(action.type, "__name__", "") if action.type else "",
    }  # fmt: skip


def choices(values):
    """The choices as typed; None inside stands for a stub."""
    try:
        return [typed(v) for v in values]
    except Exception:  # a foreign container may do anything when iterated
        return None


def type_of(action):
    """What the converter makes of a few words, as the name of an option type."""
    convert = action.type
    if action.nargs == 0:
        return "int" if isinstance(action, argparse._CountAction) else "bool"
    if convert is None:
        return "str"
    if not known(convert):
        return "unknown"
    if convert in (int, float, str, bool):
        return convert.__name__
    if isinstance(convert, argparse.FileType):
        return "path"
    results = [r for r in (probe(convert, word) for word in PROBES) if r is not None]
    if not results or not all(known(r) for r in results):
        return "unknown"
    for name, classes in (("bool", bool), ("int", int), ("float", (int, float)), ("str", str), ("path", os.PathLike)):
        if all(isinstance(r, classes) for r in results):
            return name
    return "json"


def probe(convert, word):
    """What `convert` makes of a word; None where it refuses."""
    try:
        return convert(word)
    except (Stop, Exception):  # a refusal may come as any exception
        return None
