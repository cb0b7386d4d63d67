"""Sentences of summaries stand as long as the evidence that they quote."""

from __future__ import annotations

from compactor import ObjectArchive, Policy, Session, SqlStore
from compactor.messages import Json
from compactor.trace import NewEvidence, TraceRule

POLICY = Policy.preset("epoch", budget_chars=18_000).with_trace(TraceRule(extract=True))
FAILURE = "ERROR: vote of node-2 was lost in term 412"


def _turns(session: Session, count: int) -> None:
    session.append({"role": "user", "content": "Why does the leader change?"})
    for number in range(count):
        call = {"type": "tool_use", "id": f"t{number}", "name": "probe", "input": {"n": number}}
        text = "\n".join(f"{number * 77 + n:x} heartbeat came as before" for n in range(30))
        if number == 2:
            text += f"\n{FAILURE}\n"
        result = {"type": "tool_result", "tool_use_id": f"t{number}", "content": text}
        turn: list[Json] = [
            {"role": "assistant", "content": [call]},
            {"role": "user", "content": [result]},
        ]
        session.append_many(turn)


def test_a_summary_that_quotes_what_is_contradicted_says_so() -> None:
    store, archive = SqlStore("sqlite://"), ObjectArchive()
    store.create("s", {})
    session = Session(POLICY, archive=archive, store=store, session_id="s")
    _turns(session, 10)
    [evidence] = [item for item in session.trace.items("evidence") if FAILURE in item.text]
    assert not session.trace.items("sentence")
    made = session.shorten("combined")
    assert made.status == "done"
    [sentence] = session.trace.items("sentence")
    assert FAILURE in sentence.text
    assert not sentence.marked
    session.note_evidence(NewEvidence("The log was of another day.", contradicts=(evidence.id,)))
    assert session.trace.item(sentence.id).marked
    assert f"{sentence.id} [sentence: claimed, needs revalidation]" in str(
        session.context().messages
    )

    again = Session(POLICY, archive=archive, store=store, session_id="s")
    again.replay(store.entries("s"))
    assert again.trace.snapshot() == session.trace.snapshot()
    assert again.context().messages == session.context().messages
    store.close()
