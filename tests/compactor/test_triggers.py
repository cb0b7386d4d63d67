"""What ends an epoch before the budget is passed, by numbers worked out by hand."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from compactor import Policy, Session
from compactor.epoch import Epoch
from compactor.errors import InvalidRequest
from compactor.prices import Prices
from compactor.trigger import Triggers, carrying_cost, reason, reserve_chars, rewriting_cost

PRICES = Prices(lookup_rate=0.0)


def _asked(epoch: Epoch, sizes: list[int]) -> Epoch:
    for size in sizes:
        epoch = epoch.asked(size, size - epoch.newest, keep=8)
    return epoch


def test_the_next_turn_is_predicted_from_the_newest_ones() -> None:
    epoch = _asked(Epoch(), [1_000, 2_000, 2_100, 5_100])
    assert epoch.growths == (1_000, 100, 3_000)
    assert epoch.expected_growth(0.5) == 1_000
    assert epoch.expected_growth(1.0) == 3_000
    rules = Triggers(output_chars=500, growth_quantile=1.0, reserve_most_share=1.0)
    assert reserve_chars(epoch, rules, 100_000) == 3_500
    assert reserve_chars(epoch, replace(rules, reserve_most_share=0.02), 100_000) == 2_000


def test_what_a_compaction_costs() -> None:
    assert rewriting_cost(60_000, 90_000, PRICES, requests=20) == pytest.approx(1.15 * 60_000)
    # On average 15,000 characters are out of view; at 0.1 look-ups for each 10,000 of them 20 requests
    # make 3 more, each of 60,000.
    dear = replace(PRICES, lookup_rate=0.1, lookup_chars=2_000)
    expected = 1.15 * 60_000 + 3 * (0.1 * 60_000 + 1.25 * 2_000)
    assert rewriting_cost(60_000, 90_000, dear, requests=20) == pytest.approx(expected)


def test_carrying_on_is_weighed_against_a_compaction() -> None:
    """From 60,000 by 1,000 each: n requests carry 0.1 · n · (n + 1) / 2 thousand more than at first."""
    rules = (Triggers(from_share=0.0, break_even_factor=1.0), PRICES)
    ends = []
    for count in range(1, 80):
        epoch = _asked(Epoch(), [60_000 + 1_000 * i for i in range(count)])
        size = 60_000 + 1_000 * count
        more = sum(100 * (count - i) for i in range(count))
        assert carrying_cost(epoch, size, PRICES) == pytest.approx(more)
        if reason(epoch, size, room=1_000_000, repeated=0, target=60_000, rules=rules):
            ends.append(count)
    # 50 · n · (n + 1) > 69,000 from n = 37 on: the square root of 2 · 1.15 · 60,000 / (0.1 · 1,000) is 37.1.
    assert ends[0] == 37


@pytest.mark.parametrize(
    ("size", "repeated", "why"),
    [
        (70_000, 0, ""),
        (97_500, 0, ""),
        (98_500, 0, "reserve"),
        (51_000, 15_400, "repeated"),
        (49_000, 40_000, ""),
    ],
)
def test_reasons(size: int, repeated: int, why: str) -> None:
    epoch = _asked(Epoch(), [40_000, 45_000])
    found = reason(
        epoch, size, room=100_000, repeated=repeated, target=60_000, rules=(Triggers(), PRICES)
    )
    assert found == why
    off = (Triggers(enabled=False), PRICES)
    assert not reason(epoch, size, room=100_000, repeated=repeated, target=60_000, rules=off)


def test_shares_must_be_shares() -> None:
    with pytest.raises(InvalidRequest, match="from_share"):
        Triggers(from_share=1.5)


def _turn(number: int, content: str) -> list[dict[str, Any]]:
    call = {"type": "tool_use", "id": f"c{number}", "name": "read", "input": {"n": number}}
    result = {"type": "tool_result", "tool_use_id": f"c{number}", "content": content}
    return [{"role": "assistant", "content": [call]}, {"role": "user", "content": [result]}]


def test_repeated_results_fold_before_anything_is_lost() -> None:
    session = Session(Policy.preset("epoch", budget_chars=40_000))
    session.append({"role": "user", "content": "watch the status"})
    status = "all stations report low water\n" * 100
    changes = []
    for number in range(12):
        changes += session.append_many(_turn(number, status)).changes
    assert {(change.step, change.why) for change in changes} == {("compress", "repeated")}
    shown = str(session.context().messages)
    assert shown.count("all stations report low water\\n" * 100) >= 1
    assert "the same as a later result" in shown
    assert all(session.expand(change.ref) == status for change in changes)


def test_pinned_results_stay_and_the_circuit_opens_after_one_try() -> None:
    session = Session(Policy.preset("epoch", budget_chars=40_000))
    status = "all stations report low water\n" * 100
    session.append({"role": "user", "content": "watch the status"}, pinned=True)
    for number in range(10):
        report = session.append_many(_turn(number, status), pinned=True)
        assert report.changes == ()
    assert session.context().stats.epoch == 0


def test_an_early_end_leaves_room_and_is_the_same_in_every_replay() -> None:
    def made(split: bool) -> tuple[int, str]:
        session = Session(Policy.preset("epoch", budget_chars=20_000))
        session.append({"role": "user", "content": "go"})
        for number in range(60):
            turn = _turn(number, f"{number:04}" * 150)
            if split:
                for message in turn:
                    session.append(message)
            else:
                session.append_many(turn)
        return session.context().stats.epoch, session.context().etag

    assert made(True) == made(False)
    assert made(True)[0] >= 3


def test_noise_folds_before_anything_is_cut() -> None:
    policy = replace(Policy.preset("epoch", budget_chars=12_000), triggers=Triggers(enabled=False))
    session = Session(policy)
    session.append({"role": "user", "content": "build it"})
    bars = "\n".join(f"downloading {share:3}% of the parts" for share in range(101))
    noisy = f"resolved 14 packages\n{bars}\nERROR: gauge_7 has no wheel\ndone in 4.2 s"
    changes = list(session.append_many(_turn(0, noisy)).changes)
    for number in range(1, 8):
        changes += session.append_many(_turn(number, f"{number:04} " * 300)).changes
    (change,) = [change for change in changes if change.why == "noise"]
    assert session.expand(change.ref) == noisy
    (result,) = [
        block["content"]
        for message in session.context().messages
        for block in message["content"]
        if isinstance(block, dict) and block.get("tool_use_id") == "c0"
    ] or [""]
    if result:  # it may have left by now; while it stands, what is no noise stands whole
        assert "ERROR: gauge_7 has no wheel" in result
        assert "100 progress lines" in result
