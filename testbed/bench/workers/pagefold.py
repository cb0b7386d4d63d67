"""The library: a whole request with defaults, or in mode ``refold`` a stored snapshot at another budget; in
mode ``refold cold`` one that must be read from disk.

Settings come from the environment, as for the service.
"""

from __future__ import annotations

import asyncio

from extractor import Extractor, PageRequest, filter_snapshot
from testbed.bench.workers.loop import serve

#: Budgets that take turns, so that no answer is the one before.
_BUDGETS = (10_000, 20_000, 4_000)


async def main() -> None:
    """Run until the input ends."""
    stored: dict[str, str] = {}
    turn = 0
    async with Extractor() as extractor:

        async def fetch(url: str, mode: str) -> str:
            nonlocal turn
            if mode.startswith("refold") and url in stored:
                turn += 1
                if mode == "refold cold":
                    extractor.store.recent.clear()
                budget = _BUDGETS[turn % len(_BUDGETS)]
                return await asyncio.to_thread(refold, stored[url], budget)
            page = await extractor.extract(PageRequest(url=url))
            stored[url] = page.snapshot.id
            return page.content["html"]

        def refold(snapshot: str, budget: int) -> str:
            return filter_snapshot(extractor.store.load(snapshot), budget=budget).content["html"]

        await serve(fetch)


if __name__ == "__main__":
    asyncio.run(main())
