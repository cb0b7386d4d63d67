"""Rows of one compactor at one budget put together."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from testbed.replay.facts import KINDS
from testbed.replay.measure import Found, Wanted
from testbed.replay.run import Row

_Key = TypeVar("_Key", bound=Hashable)
#: An identifier is far that was last seen more than this share of the budget ago.
FAR_SHARE = 0.5


@dataclass(frozen=True, slots=True)
class Share:
    """So many of so many."""

    hits: int
    of: int

    @property
    def value(self) -> float | None:
        return self.hits / self.of if self.of else None


@dataclass(frozen=True, slots=True)
class Summary:
    """``errors`` are histories that ended early; nothing else counts them.

    ``demand`` and ``far`` are identifiers that the agent used next, in view, and with one look-up.
    ``worst`` is the largest request against its budget, ``reuse`` the share of characters that a request
    shares with the start of the one before, ``breaks`` and ``look_ups`` are for 100 requests, ``cost`` is
    against sending the whole history each time. ``flat`` is the time of the last quarter of messages
    against that of the first.
    """

    compactor: str
    budget: str
    histories: int
    errors: int
    requests: int
    demand: Share
    demand_reach: Share
    far: Share
    far_reach: Share
    worst: float
    invalid: int
    reuse: float
    breaks: float
    cost: float
    look_ups: float
    facts: Share
    facts_reach: Share
    stale: Share
    cpu_ms: float
    flat: float
    kinds: dict[str, tuple[Share, Share]] = field(default_factory=dict)


def by(rows: Sequence[Row], key: Callable[[Row], _Key]) -> dict[_Key, list[Row]]:
    """Rows in groups, in the order in which they first come."""
    groups: dict[_Key, list[Row]] = {}
    for row in rows:
        groups.setdefault(key(row), []).append(row)
    return groups


def lines(rows: Sequence[Row]) -> dict[tuple[str, str], list[Row]]:
    """Rows of one group, by budget and compactor, in their order."""
    found = by(rows, lambda row: (row.budget, row.compactor))
    budgets = list(dict.fromkeys(row.budget for row in rows))
    return {key: found[key] for key in sorted(found, key=lambda key: budgets.index(key[0]))}


def summarise(rows: Sequence[Row]) -> Summary:
    """One line of the table. Rows must be of one compactor at one budget."""
    good = [row for row in rows if not row.error]
    sent = [each for row in good for each in row.replayed.sent]
    later = [each for row in good for each in row.replayed.sent[1:]]
    wanted = [
        (w, w.demand.distance > FAR_SHARE * r.budget_chars) for r in good for w in r.replayed.wanted
    ]
    far = [w for w, is_far in wanted if is_far]
    found = [each for row in good for each in row.found]
    whole = sum(each.cost for row in good for each in row.whole)
    per_100 = 100 / max(1, len(sent))
    return Summary(
        compactor=rows[0].compactor,
        budget=rows[0].budget,
        histories=len(rows),
        errors=len(rows) - len(good),
        requests=len(sent),
        demand=_in_view(w for w, _ in wanted),
        demand_reach=_in_reach(w for w, _ in wanted),
        far=_in_view(far),
        far_reach=_in_reach(far),
        worst=max(
            (max(r.replayed.cost_chars) / r.budget_chars for r in good if r.replayed.sent),
            default=0.0,
        ),
        invalid=sum(row.replayed.invalid for row in good),
        reuse=sum(each.reused for each in later) / max(1, sum(each.chars for each in later)),
        breaks=sum(each.broken for each in sent) * per_100,
        cost=sum(each.cost for each in sent) / whole if whole else 0.0,
        look_ups=sum(row.replayed.look_ups for row in good) * per_100,
        facts=_in_view(found),
        facts_reach=_in_reach(found),
        stale=Share(sum(f.stale_shown for f in found), sum(bool(f.fact.stale) for f in found)),
        cpu_ms=_mean([ms for row in good for ms in row.replayed.cpu_ms]),
        flat=_flat(good),
        kinds=_by_kind(found),
    )


def _by_kind(found: Sequence[Found]) -> dict[str, tuple[Share, Share]]:
    groups = {kind: [f for f in found if f.fact.kind == kind] for kind in KINDS}
    return {kind: (_in_view(group), _in_reach(group)) for kind, group in groups.items() if group}


def _in_view(these: Iterable[Wanted | Found]) -> Share:
    hits = [each.in_view for each in these]
    return Share(sum(hits), len(hits))


def _in_reach(these: Iterable[Wanted | Found]) -> Share:
    hits = [each.one_look_up for each in these]
    return Share(sum(hits), len(hits))


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values) if values else 0.0


def _flat(rows: Sequence[Row]) -> float:
    quarters = [(len(row.replayed.cpu_ms) // 4, row.replayed.cpu_ms) for row in rows]
    first = _mean([ms for quarter, times in quarters for ms in times[:quarter]])
    last = _mean([ms for quarter, times in quarters for ms in times[len(times) - quarter :]])
    return last / first if first else 0.0
