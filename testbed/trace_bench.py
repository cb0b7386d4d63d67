"""What writing down and recalling cost in a session that knows much already.

``python -m testbed.trace_bench`` fills a session with 100,000 events, notes evidence and recalls, opens the
session anew from its log, and prints CPU milliseconds (median, 95th percentile). ``--url`` names another
database than SQLite in a new folder.
"""

from __future__ import annotations

import argparse
import random
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator

from compactor import ObjectArchive, Policy, Session, SqlStore
from compactor.log import Entry
from compactor.messages import JsonObject
from compactor.trace import Assumption, NewEvidence, NewHypothesis, Predicate
from compactor.trace.draft import Draft
from compactor.trace.rule import TraceRule
from compactor.trace.writing import write_evidence, write_hypothesis

_WORDS = (
    "network gap leader node raft term disk cpu queue retry lost vote heartbeat slow probe".split()
)
_BATCH = 5_000
_MEASURED = 400
#: What is measured once, and not each call's.
RESTART = "restart"


def events(session: Session, count: int) -> Iterator[list[JsonObject]]:
    """Entries of a long investigation, the same in every run; the session takes each as it comes."""
    choose = random.Random(7)
    for number in range(count):
        draft = Draft(session.trace, TraceRule(), turn=number // 10, seq=number)
        if number % 500 == 0:
            holds = Predicate(choose.choice(_WORDS), f"m{number}", "<", 5.0, "ms")
            claim = " ".join(choose.choices(_WORDS, k=8))
            write_hypothesis(draft, NewHypothesis(claim, assumptions=(Assumption("so", holds),)))
        else:
            said = f"{' '.join(choose.choices(_WORDS, k=10))} {number:x}"
            near = max(1, session.trace.count("h") - choose.randint(0, 3))
            write_evidence(draft, NewEvidence(said, supports=(f"h{near}",)))
        yield draft.events


def fill(session: Session, store: SqlStore, count: int) -> None:
    """Bring a session to so many entries, in few transactions."""
    held: list[Entry] = []
    for seq, made in enumerate(events(session, count)):
        entry = Entry(seq, "trace", {"events": made})
        session.replay([entry])
        held.append(entry)
        if len(held) == _BATCH or seq == count - 1:
            store.commit(session.session_id, held[0].seq, held, None, {})
            held = []


def measured(session: Session) -> dict[str, list[float]]:
    """CPU milliseconds of each write and each recall."""
    choose = random.Random(11)

    def note() -> object:
        said = " ".join(choose.choices(_WORDS, k=10))
        return session.note_evidence(NewEvidence(said, supports=(f"h{session.trace.count('h')}",)))

    def ask() -> object:
        return session.recall(
            f"{' '.join(choose.choices(_WORDS, k=4))} e{choose.randint(1, 999)}", 4_000
        )

    return {"note_evidence": _timed(note), "recall": _timed(ask)}


def reopened(session: Session, store: SqlStore) -> list[float]:
    """CPU milliseconds until a session that was put aside is where it was, once."""

    def again() -> object:
        anew = Session(session.policy, archive=session.archive, session_id=session.session_id)
        anew.replay(store.entries(session.session_id))
        return anew

    return _timed(again, 1)


def _timed(call: Callable[[], object], times_made: int = _MEASURED) -> list[float]:
    times = []
    for _ in range(times_made):
        started = time.process_time()
        call()
        times.append((time.process_time() - started) * 1000)
    return times


def filled_and_measured(url: str, count: int) -> dict[str, list[float]]:
    """CPU milliseconds of each call in a session with so many events; it is removed afterwards."""
    store, name = SqlStore(url), f"trace-bench-{time.time_ns():x}"
    try:
        store.create(name, {})
        session = Session(Policy(), archive=ObjectArchive(), store=store, session_id=name)
        fill(session, store, count)
        spent = measured(session) | {RESTART: reopened(session, store)}
        store.delete(name)
    finally:
        store.close()
    return spent


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(prog="python -m testbed.trace_bench")
    parser.add_argument("--events", type=int, default=100_000)
    parser.add_argument("--url", default="")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        spent = filled_and_measured(asked.url or f"sqlite:///{folder}/s.db", asked.events)
    print(f"{asked.events} events, CPU ms of {_MEASURED} calls; of a restart once")
    for what, times in spent.items():
        p95 = statistics.quantiles(times, n=20)[-1] if len(times) > 1 else times[0]
        print(f"{what:14} median {statistics.median(times):6.2f}  95 % {p95:6.2f}")


if __name__ == "__main__":
    main()
