"""``python -m testbed.oracle``: how well hidden text is told from visible text.

The oracle's answers are read from ``pixels.json``; ``--look`` looks at all pages again (a few minutes)
and fails when an answer differs, ``--write`` keeps the new answers.
"""

from __future__ import annotations

import argparse
import asyncio
import json
from collections.abc import Sequence
from pathlib import Path

from testbed.oracle.labels import FOLDER, Target, load_targets
from testbed.oracle.pixels import Seen
from testbed.oracle.product import Said, ask
from testbed.oracle.record import look_at_all, mislabelled, record, recorded
from testbed.oracle.score import load_pending, score
from testbed.oracle.site import browser, served


async def _look(targets: Sequence[Target], pictures: Path | None) -> dict[str, Seen]:
    with served() as host:
        async with browser() as chromium:
            return await look_at_all(chromium, f"http://{host}", targets, pictures=pictures)


async def _ask(targets: Sequence[Target]) -> dict[str, Said]:
    with served() as host:
        return await ask(f"http://{host}", host, targets)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m testbed.oracle", description=__doc__)
    parser.add_argument("--look", action="store_true", help="look at the pixels again")
    parser.add_argument("--write", action="store_true", help="with --look: keep the answers")
    parser.add_argument("--only", default="", help="pages whose file name holds this")
    parser.add_argument("--pictures", type=Path, help="with --look: keep the pictures here")
    parser.add_argument("--oracle-only", action="store_true", help="do not run the product")
    return parser


def _answers(
    targets: Sequence[Target], given: argparse.Namespace
) -> tuple[dict[str, Seen], list[str]]:
    """The oracle's answers, and what is wrong with them."""
    if not given.look:
        return (seen := recorded(targets)), mislabelled(targets, seen)
    if given.pictures:
        given.pictures.mkdir(parents=True, exist_ok=True)
    seen = asyncio.run(_look(targets, given.pictures))
    if given.write:
        record(targets, seen)
        return seen, mislabelled(targets, seen)
    kept = recorded(targets)
    changed = [
        f"{words!r}: contrast was {kept[words].ratio}, is {now.ratio}"
        for words, now in seen.items()
        if now.visible != kept[words].visible
    ]
    return seen, changed + mislabelled(targets, seen)


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the report; 1 when oracle, labels or the list of known misses do not hold."""
    parser = _parser()
    given = parser.parse_args(arguments)
    if given.write and (given.only or not given.look):
        parser.error(
            "--write goes with --look, and keeps the answers for all pages: not with --only"
        )
    targets = [target for target in load_targets(FOLDER) if given.only in target.file]
    seen, faults = _answers(targets, given)
    for fault in faults:
        print(f"oracle: {fault}")
    if given.oracle_only:
        return bool(faults)
    report = score(targets, seen, asyncio.run(_ask(targets)))
    print(report.text())
    pending = {
        words: entry.miss
        for words, entry in load_pending().items()
        if words in {target.words for target in targets}
    }
    unknown = {words: miss for words, miss in report.misses().items() if pending.get(words) != miss}
    mended = sorted(set(pending) - set(report.misses()))
    print(
        f"misses: {len(report.misses())}; not in pending.json: {json.dumps(unknown)}; mended: {mended}"
    )
    return bool(faults or unknown or mended)


if __name__ == "__main__":
    raise SystemExit(main())
