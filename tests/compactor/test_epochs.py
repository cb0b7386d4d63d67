"""Inside an epoch a context only grows; at its end one batch makes room for a long next one."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from compactor import Policy, Report, Session
from compactor.cost import serialise
from compactor.formats import FORMATS
from compactor.trigger import Triggers
from compactor.validate import PROFILES
from tests.compactor.histories import (
    anthropic_histories,
    chat_histories,
    item_histories,
    recorded,
    text_histories,
)

FEW = settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
HISTORIES = st.one_of(
    st.tuples(st.just("anthropic"), anthropic_histories),
    st.tuples(st.just("openai-chat"), chat_histories),
    st.tuples(st.just("openai-responses"), item_histories),
    st.tuples(st.just("text"), text_histories),
)
NOTE = "### [WORKING MEMORY]"
BATCH = {"compress", "evict", "window"}
#: What may stand between the end of one context's last entry and the note, or the end of the list.
FRAME = 40


def _ends_an_epoch(report: Report) -> bool:
    return any(change.step in BATCH for change in report.changes)


def _asks(messages: list[Any]) -> bool:
    """Whether a model could be asked now: nothing waits, and the assistant has not just spoken."""
    last = messages[-1] if messages else {}
    kind = last.get("type", "")
    return bool(messages) and last.get("role") != "assistant" and kind in ("", "message")  # fmt: skip


def _shared(one: str, two: str) -> int:
    """Length of the common start."""
    low, high = 0, min(len(one), len(two))
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if one[:middle] == two[:middle] else (low, middle - 1)
    return low


def _stays(messages: list[Any], after: str) -> bool:
    """Whether all of a context stands at the start of a later one, but for its note and brackets."""
    before = serialise(messages)
    at = before.rfind(NOTE)
    kept = len(before) - 1 if at < 0 else at
    return _shared(before, after) >= kept - FRAME


def _stays_but_for_the_newest(messages: list[Any], after: str) -> bool:
    """For providers that want neighbours of one role joined: the newest entry may go on."""
    kept = serialise(messages[:-1])[:-1]
    return _shared(kept, after) == len(kept)


class _Watch:
    """Contexts of a session in some formats, compared from one request to the next."""

    def __init__(self, session: Session, names: tuple[str, ...], *, joins: bool = False) -> None:
        self.session, self.names = session, names
        self.stays = _stays_but_for_the_newest if joins else _stays
        self.before: dict[str, list[Any]] = {}
        self.epochs = 1

    def append(self, message: Any, format: str) -> None:
        report = self.session.append(message, format)
        if _ends_an_epoch(report):
            self.before.clear()
            self.epochs += 1
        if self.session.as_json()["open_calls"]:
            return
        for name in self.names:
            made = self.session.context(name).messages
            if not _asks(made):
                continue
            written = serialise(made)
            if name in self.before:
                assert self.stays(self.before[name], written), (name, self.before[name], made)
            self.before[name] = made


@FEW
@given(HISTORIES, st.sampled_from([6_000, 60_000]))
def test_a_context_is_the_start_of_the_next(history: tuple[str, list[Any]], budget: int) -> None:
    format, messages = history
    session = Session(Policy.preset("epoch", budget_chars=budget))
    for name in FORMATS:
        session.context(name)
    watch = _Watch(session, FORMATS)
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
    watch = _Watch(session, (name,), joins=name != profile)
    for message in messages:
        watch.append(message, format)


@pytest.mark.parametrize("budget", [18_000, 60_000])
def test_recorded_sessions_keep_their_prefix(budget: int) -> None:
    for _, format, messages in recorded():
        watch = _Watch(Session(Policy.preset("epoch", budget_chars=budget)), (format,))
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
    watch = _Watch(Session(policy), ("anthropic",))
    for number in range(500):
        role, said = ("assistant", "user")[number % 2 == 0], f"{number:04}".ljust(65, ".")
        watch.append({"role": role, "content": said}, "anthropic")
    assert 0.8 * epochs <= watch.epochs <= 1.2 * epochs
