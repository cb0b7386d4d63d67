"""Strategies over the life of a session: same bytes everywhere, append-only between runs, no loops, flat cost."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from compactor import Policy, Session, SqlStore, SummaryRequest
from compactor.cost import serialise
from compactor.formats import FORMATS
from compactor.strategies import NAMES, StrategyRule
from tests.compactor.test_flat_cost import steps

Json = Any
ROOT = Path(__file__).parents[2]
WORKING = tuple(name for name in NAMES if name != "none")


def turn(n: int, words: int = 60) -> list[Json]:
    """A call with a result that has facts of its own, among them a value that changes."""
    tool = ("web_search", "run_tests", "query", "mystery")[n % 4]
    call = {"type": "tool_use", "id": f"c{n}", "name": tool, "input": {"q": f"cell_{n}a"}}
    text = (
        f"The queue of cell_{n}a holds {n * 37} items. The staging port is {40_000 + n}. " * words
    )
    result = {"type": "tool_result", "tool_use_id": f"c{n}", "content": text}
    said = {"type": "text", "text": f"I decided to look at item_{n}x next."}
    return [{"role": "assistant", "content": [said, call]}, {"role": "user", "content": [result]}]


def digest(name: str, folder: str = "") -> str:
    """Of every context that one session gives, told anew from a store where there is a folder."""
    policy = Policy(budget_chars=20_000, strategy=StrategyRule.of(name, keep_turns=4))
    made = hashlib.sha256()
    store = SqlStore(f"sqlite:///{Path(folder) / name}.db") if folder else None
    if store is not None:
        store.create("s", {})
    session = Session(policy, store=store, session_id="s")
    for n in range(8):
        for message in turn(n):
            session.append(message)
            shown = [session.context(format).messages for format in FORMATS]
            made.update(serialise(shown).encode())
        if store is not None:
            # As after a restart: nothing but the log is left.
            session = Session(policy, store=store, session_id="s", archive=session.archive)
            session.replay(store.entries("s"))
    if store is not None:
        store.close()
    return made.hexdigest()


def test_processes_with_other_hash_seeds_and_restarts_give_the_same_bytes(tmp_path: Path) -> None:
    code = (
        "from tests.compactor.test_strategy_runs import *\n"
        "print(json.dumps({name: digest(name) for name in NAMES}))"
    )
    outputs = []
    for seed in ("1", "4711"):
        done = subprocess.run(
            [sys.executable, "-c", code],
            cwd=ROOT,
            env={**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": str(ROOT)},
            capture_output=True,
            text=True,
            check=True,
        )
        outputs.append(json.loads(done.stdout))
    assert outputs[0] == outputs[1]
    restarted = {name: digest(name, str(tmp_path)) for name in NAMES}
    assert restarted == outputs[0]
    assert len(set(restarted.values())) > len(NAMES) // 2


@pytest.mark.parametrize("name", WORKING)
def test_between_two_runs_a_context_is_the_start_of_the_next(name: str) -> None:
    session = Session(
        Policy(budget_chars=20_000, anchor=False, strategy=StrategyRule.of(name, keep_turns=4))
    )
    before, runs = "[", 0
    for n in range(40):
        for message in turn(n, words=20):
            report = session.append(message)
            sent = serialise(session.context().messages)
            changed = {change.step for change in report.changes} - {"truncate", "mend"}
            assert changed or sent.startswith(before[:-1])
            runs += bool(changed)
            before = sent
    assert 1 < runs < 20


def test_a_model_that_helps_nothing_is_not_asked_at_every_append() -> None:
    asked: list[SummaryRequest] = []

    def useless(request: SummaryRequest) -> str:
        asked.append(request)
        return ""

    rule = StrategyRule.of("conditional", keep_messages=6, fold=False)
    session = Session(Policy(budget_chars=60_000, strategy=rule), summariser=useless)
    appends = 0
    for n in range(80):
        for message in turn(n, words=1):
            session.append(message)
            appends += 1
    assert len(asked) <= appends // 10


@pytest.mark.parametrize("name", ["choose", "rolling"])
def test_a_long_session_with_a_strategy_costs_the_same_at_its_end(name: str) -> None:
    policy = Policy(budget_chars=8_000, strategy=StrategyRule.of(name, keep_turns=3, renew_turns=3))
    session = Session(policy)

    def sample(start: int) -> int:
        return steps(
            lambda: [session.append(m) for n in range(start, start + 6) for m in turn(n, 4)]
        )

    for n in range(12):
        for message in turn(n, 4):
            session.append(message)
    first = sample(12)
    for n in range(18, 150):
        for message in turn(n, 4):
            session.append(message)
    assert sample(150) < 2 * first
