"""Counts and shows what came out.

    python -m benchmarks.check_truth DIR... [--most 12] [--jobs 2] [--show OUTCOME] [--json]

DIR is a repository or a folder of repositories.
"""

import argparse
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import msgspec

from ml_agent.benchmarks.check_truth.run import CheckedCase, Outcome, run
from ml_agent.benchmarks.repositories import repositories_in

RIGHT: tuple[Outcome, ...] = ("right", "false error", "false warning", "cannot tell")
BROKEN: tuple[Outcome, ...] = ("caught", "warned", "missed", "untold")
WORTH_READING = ("false error", "false warning", "warned", "missed")


def main(arguments: Sequence[str] | None = None) -> None:
    """Print shares for each repository and in all; with --show the texts that came out so."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="+", type=Path, metavar="DIR")
    parser.add_argument(
        "--most", type=int, default=12, help="commands of a repository (12), and half as many Python blocks"
    )
    parser.add_argument("--jobs", type=int, default=2, help="programs run side by side (2)")
    parser.add_argument(
        "--show",
        action="append",
        default=[],
        metavar="OUTCOME",
        help="print these texts; `wrong`: all that count against the check",
    )
    parser.add_argument("--json", action="store_true", help="print every case")
    parser.add_argument("--cache", type=Path, help="folder of the indexes")
    options = parser.parse_args(arguments)
    shown = {*options.show, *(WORTH_READING if "wrong" in options.show else ())}
    found: dict[str, list[CheckedCase]] = {}
    for root in repositories_in(options.folders):
        found[root.name] = run(root, options.most, options.jobs, options.cache)
        for one in found[root.name]:
            if one.outcome in shown:
                _show(root.name, one)
        print(f"{root.name}: {len(found[root.name])} texts", file=sys.stderr, flush=True)
    if options.json:
        print(msgspec.json.encode({n: [_picture(c) for c in cases] for n, cases in found.items()}).decode())
        return
    print("\n".join(lines(found)))


def _picture(one: CheckedCase) -> dict[str, object]:
    return {**msgspec.to_builtins(one, enc_hook=str), "outcome": one.outcome}


def _show(name: str, one: CheckedCase) -> None:
    case = one.case
    print(f"\n== {one.outcome}: {name} {case.place} {case.mutation} (in {case.folder})\n{case.text}")
    for finding in one.findings:
        print(f"   check: {finding.severity} {finding.code}: {finding.message}")
    print(f"   judge: {one.ruling.opinion} {one.ruling.why[:300]}", flush=True)


def lines(found: dict[str, list[CheckedCase]]) -> list[str]:
    """One line a repository, one for all, and one a kind of fault."""
    cases = [case for several in found.values() for case in several]
    rows = {**found, "ALL": cases}
    for mutation in sorted({case.case.mutation for case in cases} - {""}):
        rows[mutation] = [case for case in cases if case.case.mutation == mutation]
    heads = ("documented", *RIGHT[1:], "refused", "broken", *BROKEN, "undecided")
    return [
        "".join(f"{cell:>15}" for cell in ("", *heads)),
        *(f"{name[:24]:24}" + "".join(f"{cell:>15}" for cell in _cells(several))[9:] for name, several in rows.items()),
    ]


def _cells(cases: Sequence[CheckedCase]) -> list[str]:
    counts = Counter(case.outcome for case in cases)
    right, broken = (sum(counts[name] for name in names) for names in (RIGHT, BROKEN))
    return [
        str(right), *(_share(counts[name], right) for name in RIGHT[1:]), str(counts["refused"]),
        str(broken), *(_share(counts[name], broken) for name in BROKEN), str(counts["undecided"]),
    ]  # fmt: skip


def _share(count: int, whole: int) -> str:
    return f"{count} {100 * count / whole:.1f}%" if whole else "-"


if __name__ == "__main__":
    main()
