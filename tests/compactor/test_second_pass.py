"""Lists that a second pass once made shorter: a summary of a summary, more turns under a new one."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest
from obstore.store import MemoryStore

from compactor import Compaction, ObjectArchive, Policy, compact, uncompact
from compactor.archive import holds
from compactor.formats import read, write
from compactor.strategies import StrategyRule
from tests.compactor.histories import EAGER

Json = Any
_TOOLS = {"w": "web_search", "c": "code_run", "f": "file_read", "q": "query"}
_FOUND = {
    "log": "\n".join(f"10:{n:02d} GET /items/{n % 3} 200" for n in range(60)),
    "rows": json.dumps(
        [{"id": n, "state": "ok" if n % 4 else "bad", "ms": n * 7} for n in range(40)]
    ),
    "queue": "The queue of cell_{n}a holds {n}37 items. Port 40{n} refused: ERROR 77{n}: full. "
    * 12,
    "cjk": "第{n}號伺服器的佇列已滿，請檢查連接埠。" * 40,
    "short": "short and {n}",
}
#: (strategy, preset, format, budget in characters, what each turn's call found)
KNOWN = [
    (
        "conditional",
        "upstream",
        "anthropic",
        3_000,
        "w:queue f:queue w:queue c:rows q:log q:rows q:rows",
    ),
    ("conditional", "epoch", "anthropic", 3_000, "w:queue f:log w:log c:queue c:cjk"),
    (
        "focused",
        "paper",
        "openai-chat",
        3_000,
        "w:queue f:queue w:short c:log c:queue f:rows w:cjk f:rows",
    ),
    (
        "focused",
        "paper",
        "openai-responses",
        3_000,
        "q:queue c:log q:short q:queue c:queue f:queue w:log",
    ),
    ("conditional", "paper", "text", 3_000, "c:log c:log q:rows c:queue f:log"),
]


def _agent(found: str, format: str) -> list[Json]:
    made: list[Json] = [
        {"role": "user", "content": "Find out why cell_9a is slow. Never restart it."}
    ]
    for n, (tool, kind) in enumerate(turn.split(":") for turn in found.split()):
        said = {"type": "text", "text": f"I decided to look at item_{n}x next."}
        call = {
            "type": "tool_use",
            "id": f"c{n}",
            "name": _TOOLS[tool],
            "input": {"q": f"cell_{n % 3}"},
        }
        text = _FOUND[kind].replace("{n}", str(n))
        result = {"type": "tool_result", "tool_use_id": f"c{n}", "content": text}
        made += [
            {"role": "assistant", "content": [said, call]},
            {"role": "user", "content": [result]},
        ]
    return write(read(made, "anthropic"), format)[0]


def _policy(name: str, preset: str, budget: int) -> Policy:
    policy = Policy.preset(preset, budget_chars=budget)
    return replace(policy, strategy=StrategyRule.of(name, **EAGER))


@pytest.mark.parametrize(("name", "preset", "format", "budget", "found"), KNOWN)
def test_it_changes_nothing_and_still_gives_all_back(
    name: str, preset: str, format: str, budget: int, found: str
) -> None:
    messages, policy = _agent(found, format), _policy(name, preset, budget)
    once = compact(messages, format, policy=policy)
    sent = json.loads(json.dumps(once.messages))
    again = compact(sent, format, policy=policy, archive=once.archive)
    assert json.dumps(again.messages) == json.dumps(once.messages)
    assert again.report.changes == ()
    assert again.report.cost_chars <= again.report.budget_chars == budget
    first = uncompact(again.messages, again.certificate, again.archive)
    assert json.dumps(uncompact(first, once.certificate, once.archive)) == json.dumps(messages)


def _once() -> tuple[Compaction, Policy]:
    name, preset, format, budget, found = KNOWN[2]
    policy = _policy(name, preset, budget)
    return compact(_agent(found, format), format, policy=policy), policy


def test_other_settings_have_a_list_of_their_own() -> None:
    once, policy = _once()
    format = KNOWN[2][2]
    less = replace(policy, budget_chars=1_500)
    made = compact(once.messages, format, policy=less, archive=once.archive)
    assert made.report.changes


def test_another_archive_does_not_know_the_list() -> None:
    once, policy = _once()
    format = KNOWN[2][2]
    known = compact(once.messages, format, policy=policy, archive=once.archive)
    other = compact(once.messages, format, policy=policy, archive=ObjectArchive())
    assert (bool(known.report.changes), bool(other.report.changes)) == (False, True)


def test_what_comes_behind_it_is_compacted_with_it() -> None:
    once, policy = _once()
    format = KNOWN[2][2]
    longer = [*once.messages, *_agent("c:rows f:cjk q:log", format)]
    made = compact(longer, format, policy=policy, archive=once.archive)
    assert made.report.changes
    assert made.report.cost_chars <= made.report.budget_chars
    assert json.dumps(uncompact(made.messages, made.certificate, made.archive)) == json.dumps(
        longer
    )


def test_an_archive_is_asked_for_a_value_without_keeping_it() -> None:
    archive = ObjectArchive()
    value = {"tide": ["low", 1]}
    assert not holds(archive, value)
    assert not holds(archive, value)
    archive.put(value)
    assert holds(archive, value)
    # One that Python takes for equal is another value.
    assert not holds(archive, {"tide": ["low", True]})


def test_a_short_ref_that_is_another_originals_is_no_answer() -> None:
    objects = MemoryStore()
    archive = ObjectArchive(objects)
    value, other = {"tide": "low"}, {"tide": "high"}
    theirs = archive.keep(other).digest
    ours = ObjectArchive().keep(value).digest
    objects.put(f"refs/{ours[:8]}", theirs.encode())
    assert not holds(archive, value)
