"""``python -m testbed.floors [SET …]``: measure, and fail where a score is under its floor.

``--raise`` sets floors that were reached with room to spare higher, and those of sets that have none; it
never lowers one. Without names, every set is measured.
"""

from __future__ import annotations

import argparse
import logging
import os
import sys
from collections.abc import Sequence

import structlog

from testbed.floors.floor import MARGIN, WIDE_MARGIN, Floors, Measured, OtherData, load, save
from testbed.floors.measure import SETS, UNSTEADY, NoData, measured


def _lines(found: Measured, floors: Floors) -> list[str]:
    head = f"{'score':>7} {'floor':>7}"
    rows = [head]
    for name, score in sorted(found.scores.items()):
        floor = floors.floors.get(name)
        under = floor is not None and not score >= floor
        shown = f"{floor:7.3f}" if floor is not None else f"{'-':>7}"
        rows.append(f"{score:7.4f} {shown}  {name}{'   UNDER' if under else ''}")
    gone = sorted(set(floors.floors) - set(found.scores))
    return [
        *rows,
        *(f"{'-':>7} {floors.floors[name]:7.3f}  {name}   NOT MEASURED" for name in gone),
    ]


def main(arguments: Sequence[str] | None = None) -> int:
    """Print scores beside floors; 1 when one is under or the data is another, 2 without data."""
    parser = argparse.ArgumentParser(prog="python -m testbed.floors", description=__doc__)
    parser.add_argument("sets", nargs="*", metavar="SET", help=", ".join(SETS))
    parser.add_argument(
        "--raise", dest="rise", action="store_true", help="raise what can be raised"
    )
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    given = parser.parse_args(arguments)
    if unknown := set(given.sets) - set(SETS):
        parser.error(f"no set {', '.join(sorted(unknown))}; there are {', '.join(SETS)}")
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.ERROR))
    pinned, failed = load(), False
    for name in given.sets or SETS:
        try:
            found = measured(name, given.jobs)
        except NoData as error:
            print(f"{name}: {error}", file=sys.stderr)
            return 2
        floors = pinned.get(name, Floors())
        print(f"{name}, data {found.digest}", *_lines(found, floors), sep="\n", flush=True)
        try:
            failed |= bool(floors.under(found))
            if given.rise:
                margin = WIDE_MARGIN if name in UNSTEADY else MARGIN
                pinned[name] = floors.raised(found, margin)
                save(pinned)
        except OtherData as error:
            print(f"{name}: {error}", file=sys.stderr)
            failed = True
    return int(failed)


if __name__ == "__main__":
    raise SystemExit(main())
