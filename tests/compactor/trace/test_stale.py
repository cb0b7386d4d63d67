"""Values that a later result replaced: gone from view, had back by a ref."""

from __future__ import annotations

from compactor import Policy, Session
from compactor.cost import serialise
from compactor.facts.named import named_lines
from compactor.facts.names import Names
from compactor.messages import Json
from compactor.stateless import uncompact
from compactor.trace import TraceRule

POLICY = Policy.preset("epoch", budget_chars=12_000)
OLD, NEW = "/srv/oriel/be693d80b88.toml", "/srv/meridian/3552dd55eff.toml"


def _turn(session: Session, number: int, text: str) -> list[Json]:
    id = f"t{number}"
    call = {"type": "tool_use", "id": id, "name": "probe", "input": {"n": number}}
    result = {"type": "tool_result", "tool_use_id": id, "content": text}
    made = [{"role": "assistant", "content": [call]}, {"role": "user", "content": [result]}]
    for message in made:
        session.append(message)
    return made


def _played(*, stale: bool) -> tuple[Session, list[Json]]:
    session = Session(POLICY.with_trace(TraceRule(replace_stale=stale)))
    history: list[Json] = [{"role": "user", "content": "keep it running"}]
    session.append(history[0])
    filler = "\n".join(f"{n * 7919:x} steady as before" for n in range(20))
    for number in range(60):
        text = filler
        if number in (20, 33):
            text = f"kestrel_3 = {OLD if number == 20 else NEW}\n{filler}"
        history += _turn(session, number, text)
    return session, history


def test_a_value_that_was_replaced_is_out_of_view_and_one_look_up_away() -> None:
    session, history = _played(stale=True)
    context = session.context()
    shown = serialise(context.messages)
    assert OLD not in shown
    behind = [session.expand_text(ref) for ref in session.refs(shown)]
    assert any(OLD in text for text in behind)
    certificate = session.certificate(context)
    assert uncompact(context.messages, certificate, session.archive) == history


def _session(*, stale: bool = True) -> Session:
    session = Session(POLICY.with_trace(TraceRule(replace_stale=stale)))
    session.append({"role": "user", "content": "keep it running"})
    return session


def _epochs(values: dict[int, str]) -> list[tuple[int, bool]]:
    """After which turns of a steady session an epoch ended, and whether the first value was in view then."""
    session, ends = _session(), list[tuple[int, bool]]()
    filler = "\n".join(f"{n * 7919:x} steady" for n in range(9))
    for number in range(65):
        before = session.context().stats.epoch
        value = values.get(number)
        _turn(session, number, f"valve_state = {value}\n{filler}" if value else filler)
        context = session.context()
        if context.stats.epoch > before:
            ends.append((number, "hold back" in serialise(context.messages)))
    return ends


def test_a_value_that_is_replaced_between_two_batches_ends_the_epoch_where_that_costs_nothing() -> (
    None
):
    """A batch leaves 3,600 characters or less, and each turn adds 320: n turns more cost 16 n (n + 1) more
    than the first, which passes 1.15 times 3,600 at n = 16.
    """
    assert [turn for turn, _ in _epochs({36: "hold back"})] == [33, 60]
    first, (turn, shown) = _epochs({36: "hold back", 40: "let through"})
    assert first == (33, False)
    assert 47 <= turn <= 51
    assert not shown


def test_what_is_not_in_view_ends_nothing() -> None:
    assert [turn for turn, _ in _epochs({2: "hold back", 40: "let through"})] == [33, 59]


def test_only_one_name_with_one_value_counts() -> None:
    found = named_lines(
        "retry_limit = 30 tries\nname: short one\nport_a = 4000\nport_a = 5000\n"
        "  self.max_len = compute(3)\n12\tlog_level = debug mode\nlog_file: /var/log/a.log"
    )
    assert [(line.key, line.value) for line in found] == [
        ("retry_limit", "30 tries"),
        ("log_file", "/var/log/a.log"),
    ]


def test_a_value_that_is_true_again_or_of_another_name_was_not_replaced() -> None:
    def told(names: Names, text: str) -> Names:
        return names.after(named_lines(text), 100)

    names = told(told(Names(), "main_route = alder lane"), "main_route = birch lane")
    assert names.replaced == {"alder lane": "birch lane"}
    names = told(names, "main_route = alder lane")
    assert names.newest == {"main route": "alder lane"}
    assert names.replaced == {"birch lane": "alder lane"}
    first = told(told(Names(), "port_file = /run/a/p-1.sock (new)"), "port_file = never again")
    assert first.replaced == {
        "/run/a/p-1.sock (new)": "never again",
        "/run/a/p-1.sock": "never again",
    }
    both = told(Names(), "main_route = alder lane\nside_route = alder lane")
    assert told(both, "main_route = birch lane").replaced == {}


def test_a_result_in_parts_is_mended_too() -> None:
    session = _session()
    filler = "\n".join(f"{n * 7919:x} steady as before" for n in range(20))
    for number in range(40):
        text = filler
        if number in (20, 24):
            text = f"kestrel_3 = {OLD if number == 20 else NEW}\n{filler}"
        call = {"type": "tool_use", "id": f"t{number}", "name": "probe", "input": {"n": number}}
        part = {"type": "text", "text": text}
        result = {"type": "tool_result", "tool_use_id": f"t{number}", "content": [part]}
        session.append({"role": "assistant", "content": [call]})
        session.append({"role": "user", "content": [result]})
    assert OLD not in serialise(session.context().messages)
