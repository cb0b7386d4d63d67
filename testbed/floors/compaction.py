"""What is held to floors of compaction: recorded agents replayed through the default policy."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from pathlib import Path

from testbed.floors.floor import Measured
from testbed.replay.compactors import choose
from testbed.replay.recordings import Recording, recordings
from testbed.replay.run import Plan, Size, run
from testbed.replay.summary import Summary, lines, summarise

#: Budgets as the page on benchmarks shows them.
SIZES = (Size("30%", share=0.3), Size("15%", share=0.15), Size("18,000", chars=18_000))
#: One budget and one long history for tests: one replay takes a second or two.
FEW_SIZES = (Size("15%", share=0.15),)


def compaction(folder: Path, sizes: Sequence[Size], *, histories: int = 0) -> Measured:
    """Scores of the long histories under a folder, of the first ``histories`` of them where that is not 0."""
    long = [each for each in recordings(folder) if each.group.endswith(", long")]
    chosen = long[:histories] if histories else long
    openers, _ = choose(["epoch"])
    rows = run(chosen, Plan(openers, tuple(sizes)))
    scores: dict[str, float] = {}
    for (budget, _), group in lines(rows).items():
        scores |= {f"{name}, {budget}": value for name, value in _scores(summarise(group))}
    return Measured(_digest(chosen), scores)


def _scores(found: Summary) -> Iterator[tuple[str, float]]:
    """More is better; one request that is invalid, or over the budget, leaves nothing of that score."""
    yield "every request valid", float(found.requests > 0 and not found.invalid)
    yield "within the budget", float(found.worst <= 1 and not found.errors)
    yield "prefix reuse", found.reuse
    yield "cost saved", 1 - found.cost
    shares = {
        "demand": found.demand,
        "far demand": found.far,
        "far demand, one look-up": found.far_reach,
        "facts": found.facts,
        "facts, one look-up": found.facts_reach,
    }
    for name, share in shares.items():
        if share.value is not None:
            yield name, share.value
    if found.stale.value is not None:
        yield "values that are true", 1 - found.stale.value


def _digest(chosen: Sequence[Recording]) -> str:
    found = hashlib.sha256()
    for each in chosen:
        found.update(f"{each.name} {each.messages!r}".encode("utf-8", "surrogatepass"))
    return found.hexdigest()[:16]
