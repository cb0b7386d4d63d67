"""How much of memory histories take, and who loses one when it is too much."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import pytest
from structlog.testing import capture_logs

from api.proxy.conversation import Conversation
from api.proxy.conversations import Conversations
from api.proxy.holding import Limits, WeighedArchive
from compactor import Policy, Session
from tests.proxy.conftest import Running
from tests.proxy.test_recognition import ask

Json = Any


class Memory:
    """Histories of tenants, and why some were let go."""

    def __init__(self, limits: Limits, **more: Any) -> None:
        self.reasons: list[str] = []
        self.known = Conversations(limits, note=self.reasons.append, **more)
        self.kept: dict[str, Conversation] = {}

    def keep(self, name: str, chars: int, tenant: str = "") -> Conversation:
        made = self.kept.setdefault(name, Conversation(Session(), b"", tenant))
        made.held_chars = chars
        self.known.keep(made, [b"seed", name.encode()])
        return made

    @property
    def names(self) -> str:
        """Of those that are known still."""
        return "".join(n for n in self.kept if self.known.find([b"seed", n.encode()]) is not None)


def test_characters_are_bounded_in_all() -> None:
    memory = Memory(Limits(100, 10, 1_000))
    for name in "abcd":
        memory.keep(name, 300)
    assert (memory.names, memory.known.held_chars) == ("bcd", 900)
    memory.keep("b", 400)  # used again, and larger: the others are older
    assert (memory.names, memory.known.held_chars) == ("bcd", 1_000)
    memory.keep("b", 401)
    assert (memory.names, memory.known.held_chars) == ("bd", 701)
    assert memory.reasons == ["chars", "chars"]


def test_what_is_too_large_alone_is_not_held() -> None:
    memory = Memory(Limits(100, 10, 1_000))
    memory.keep("a", 1_001)
    assert (memory.names, memory.known.held_chars) == ("", 0)


def test_growth_within_a_turn_counts() -> None:
    memory = Memory(Limits(100, 10, 1_000))
    memory.keep("a", 300)
    b = memory.keep("b", 300)
    b.held_chars = 800
    memory.known.grown(b)
    assert (memory.names, memory.known.held_chars) == ("b", 800)
    memory.known.grown(memory.kept["a"])  # is forgotten: nothing to count
    assert memory.known.held_chars == 800


def test_a_tenant_over_its_share_loses_its_own() -> None:
    memory = Memory(Limits(4, 10, 1_000, tenant_share=0.5))
    memory.keep("a", 100, "acme")
    memory.keep("x", 200, "zenith")
    memory.keep("y", 200, "zenith")
    memory.keep("z", 200, "zenith")
    assert memory.names == "ayz"
    memory.keep("w", 450, "zenith")
    assert memory.names == "aw"
    assert set(memory.reasons) == {"tenant"}


@pytest.mark.parametrize("limits", [Limits(6, 10, 10_000), Limits(100, 10, 600)])
def test_whoever_has_the_most_makes_room(limits: Limits) -> None:
    memory = Memory(limits)
    memory.keep("a", 100, "acme")
    for name in "uvwxy":
        memory.keep(name, 100, "zenith")
    memory.keep("b", 100, "acme")
    # The oldest of all is acme's, but zenith has the most.
    assert memory.names == "avwxyb"


def test_one_history_begun_twice_counts_once() -> None:
    memory = Memory(Limits(100, 10, 1_000))
    memory.keep("a", 300)
    memory.known.keep(Conversation(Session(), b"", "", 400), [b"seed", b"a"])
    assert (len(memory.known), memory.known.held_chars) == (1, 400)
    memory.known.grown(memory.kept["a"])
    assert memory.known.held_chars == 400


def test_idle_ones_go_without_a_request() -> None:
    now, planned = [0.0], list[tuple[float, Callable[[], None]]]()
    memory = Memory(
        Limits(100, 10, 1_000),
        clock=lambda: now[0],
        later=lambda seconds, run: planned.append((seconds, run)),
    )
    memory.keep("a", 100)
    now[0] = 4
    memory.keep("b", 100)
    assert [seconds for seconds, _ in planned] == [10]
    now[0] = 10
    planned.pop()[1]()
    assert (len(memory.known), memory.reasons) == (1, ["idle"])
    assert [seconds for seconds, _ in planned] == [4]
    now[0] = 14
    planned.pop()[1]()
    assert (len(memory.known), planned) == (0, [])
    memory.keep("a", 100)
    assert len(planned) == 1


def test_originals_count_and_the_same_one_once() -> None:
    policy = Policy.preset("epoch", budget_chars=6_000)
    session = Session(policy, archive=WeighedArchive(), system="s" * 500)
    made = Conversation(session, b"")
    for number in range(20):
        entry = {"role": "user" if number % 2 == 0 else "assistant", "content": f"{number} " * 700}
        made.append([entry], "anthropic")
    # All of it is held: what was taken out as much as what stands in the context.
    assert made.held_chars > sum(len(f"{number} ") * 700 for number in range(20))
    archive = WeighedArchive()
    archive.put("a" * 1_000)
    archive.put("a" * 1_000)
    assert 1_000 <= archive.chars < 1_010


def test_limits_are_settings_and_what_goes_is_reported(serve: Callable[..., Running]) -> None:
    running = serve(proxy_held_chars=60_000, proxy_session_ttl_s=3, proxy_budget_chars=400_000)
    with capture_logs() as logs:
        for number in range(3):
            ask(running, {"role": "user", "content": f"{number} " * 12_000})
        end = time.monotonic() + 30
        while _counted(running, "idle") < 2 and time.monotonic() < end:
            time.sleep(0.05)
    assert (_counted(running, "chars"), _counted(running, "idle")) == (1, 2)
    gone = [line for line in logs if line["event"] == "proxy_forgotten"]
    assert [line["reason"] for line in gone] == ["chars", "idle", "idle"]
    assert all(24_000 < line["chars"] < 27_000 for line in gone)


def _counted(running: Running, reason: str) -> int:
    registry = running.app.state.metrics.registry
    found = registry.get_sample_value("pagefold_proxy_forgotten_total", {"reason": reason})
    return int(found or 0)
