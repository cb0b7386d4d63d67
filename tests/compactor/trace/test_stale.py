"""Values that a later result replaced: gone from view, had back by a ref."""

from __future__ import annotations

from compactor import Policy, Session
from compactor.cost import serialise
from compactor.facts.named import named_lines
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


def test_only_one_name_with_one_value_counts() -> None:
    found = named_lines(
        "retry_limit = 30 tries\nname: short one\nport_a = 4000\nport_a = 5000\n"
        "  self.max_len = compute(3)\n12\tlog_level = debug mode\nlog_file: /var/log/a.log"
    )
    assert [(line.key, line.value) for line in found] == [
        ("retry_limit", "30 tries"),
        ("log_file", "/var/log/a.log"),
    ]
