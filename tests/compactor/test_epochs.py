"""Inside an epoch a context only grows; at its end one batch makes room for a long next one."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from compactor import Policy, Session
from compactor.formats import FORMATS
from compactor.trigger import Triggers
from compactor.validate import PROFILES
from tests.compactor.histories import HISTORIES, recorded
from tests.compactor.watch import Watch

FEW = settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))


@FEW
@given(HISTORIES, st.sampled_from([6_000, 60_000]))
def test_a_context_is_the_start_of_the_next(history: tuple[str, list[Any]], budget: int) -> None:
    format, messages = history
    session = Session(Policy.preset("epoch", budget_chars=budget))
    for name in FORMATS:
        session.context(name)
    watch = Watch(session, FORMATS)
    for message in messages:
        watch.append(message, format)


@FEW
@given(HISTORIES, st.sampled_from(sorted(PROFILES)))
def test_so_it_is_for_every_provider(history: tuple[str, list[Any]], profile: str) -> None:
    format, messages = history
    policy = replace(Policy.preset("epoch", budget_chars=60_000), profile=profile)
    session = Session(policy)
    name = PROFILES[profile][0]
    session.context(name)
    watch = Watch(session, (name,), joins=name != profile)
    for message in messages:
        watch.append(message, format)


@pytest.mark.parametrize("budget", [18_000, 60_000])
def test_recorded_sessions_keep_their_prefix(budget: int) -> None:
    for _, format, messages in recorded():
        watch = Watch(Session(Policy.preset("epoch", budget_chars=budget)), (format,))
        for message in messages[:200]:
            watch.append(message, format)


@pytest.mark.parametrize(("share", "epochs"), [(0.6, 12), (0.3, 7)])
def test_a_batch_makes_room_for_a_long_epoch(share: float, epochs: int) -> None:
    """500 messages of 100 characters are 50,000; each epoch takes in a share of the 10,000."""
    policy = replace(
        Policy.preset("epoch", budget_chars=10_000),
        target_share=share,
        triggers=Triggers(enabled=False),
    )
    watch = Watch(Session(policy), ("anthropic",))
    for number in range(500):
        role, said = ("assistant", "user")[number % 2 == 0], f"{number:04}".ljust(65, ".")
        watch.append({"role": role, "content": said}, "anthropic")
    assert 0.8 * epochs <= watch.epochs <= 1.2 * epochs
