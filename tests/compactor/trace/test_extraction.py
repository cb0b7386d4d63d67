"""Evidence that results offer by themselves, and the predicates that it is held against."""

from __future__ import annotations

import pytest

from compactor import Policy, Session
from compactor.errors import InvalidRequest
from compactor.trace import Measurement, NewEvidence, NewHypothesis, Predicate, TraceRule
from compactor.trace.extraction import offered
from compactor.trace.lexical import TextIndex, terms_of
from compactor.trace.measures import verdict

TEXT = """collected 14 items
FAILED tests/test_raft.py::test_vote - AssertionError: term 412
1 failed, 13 passed in 0.31s
node-2 cpu load: 93 %
plain: 12
  disk.write latency = 1.5 ms
openssl 3.0.13 is in use
wrote build/out.log
the network gap: 200 ms was seen
"""


def test_what_a_result_offers_is_verbatim_and_named() -> None:
    found, more = offered(TEXT, 20)
    assert not more
    assert all(each.text == TEXT[each.start : each.end].strip() for each in found)
    said = {(each.about, each.text) for each in found}
    assert {
        ("test", "1 failed, 13 passed in 0.31s"),
        ("measurement", "node-2 cpu load: 93 %"),
        ("measurement", "disk.write latency = 1.5 ms"),
        ("version", "openssl 3.0.13"),
        ("path", "wrote build/out.log"),
    } <= said
    assert any("test_vote" in text for about, text in said if about in ("error", "test"))
    measured = [each.measurement for each in found if each.measurement]
    assert measured == [
        Measurement("node-2 cpu", "load", 93.0, "%"),
        Measurement("disk write", "latency", 1.5, "ms"),
    ]


def test_no_more_than_asked_for_is_offered_and_the_rest_is_counted() -> None:
    text = "\n".join(f"disk s{n} gap: {n} ms" for n in range(40))
    text += f"\nnode x: {'9' * 400} ms"  # no number that can be compared
    found, more = offered(text, 12)
    assert (len(found), more) == (12, 28)


@pytest.mark.parametrize(
    ("predicate", "measured", "expected"),
    [
        (("network", "gap", "<", 50, "ms"), ("network", "gap", 0.2, "s"), False),
        (("network", "gap", "<", 50, "ms"), ("node-2 Network", "Gap", 49, "ms"), True),
        (("network", "gap", "==", 200, "ms"), ("network", "gap", 0.2, "s"), True),
        (("network", "gap", "<", 50, "ms"), ("disk", "gap", 200, "ms"), None),
        (("network", "gap", "<", 50, "ms"), ("network", "loss", 200, "ms"), None),
        (("network", "gap", "<", 50, "ms"), ("network", "gap", 200, "MB"), None),
        (("network", "gap", "<", 50, "ms"), ("network", "gap", 200, ""), None),
        (("cache", "size", ">=", 1, "MiB"), ("cache", "size", 1_048_576, "bytes"), True),
        (("cpu", "load", "!=", 1, ""), ("cpu", "load", 1, ""), False),
    ],
)
def test_a_predicate_speaks_only_of_its_own_measure(
    predicate: tuple[str, str, str, float, str],
    measured: tuple[str, str, float, str],
    expected: bool | None,
) -> None:
    assert verdict(Predicate(*predicate), Measurement(*measured)) is expected  # type: ignore[arg-type]


def test_what_is_only_proposed_confirms_nothing() -> None:
    session = Session(Policy.preset(budget_chars=18_000).with_trace(TraceRule(extract=True)))
    claim = session.propose(NewHypothesis("The disk is slow.", status="active"))
    call = {"type": "tool_use", "id": "t1", "name": "probe", "input": {}}
    session.append({"role": "user", "content": "look"})
    session.append({"role": "assistant", "content": [call]})
    result = {"type": "tool_result", "tool_use_id": "t1", "content": "disk gap: 3 ms"}
    session.append({"role": "user", "content": [result]})
    [proposed] = session.trace.items("evidence")
    assert proposed.status == "proposed"
    for status in ("confirmed", "rejected"):
        with pytest.raises(InvalidRequest, match="noted"):
            session.set_status(claim.id, status, reason="seen", evidence=(proposed.id,))  # type: ignore[arg-type]
    noted = session.note_evidence(NewEvidence("I saw it, too.", supports=(claim.id,)))
    done = session.set_status(claim.id, "confirmed", reason="seen", evidence=(noted.id,))
    assert done.status == "confirmed"


def test_another_version_of_a_file_marks_what_was_read_from_the_one_before() -> None:
    session = Session(Policy.preset(budget_chars=18_000).with_trace(TraceRule(extract=True)))
    session.append({"role": "user", "content": "look"})

    def read(number: int, path: str, text: str) -> None:
        call = {"type": "tool_use", "id": f"t{number}", "name": "Read", "input": {"path": path}}
        session.append({"role": "assistant", "content": [call]})
        result = {"type": "tool_result", "tool_use_id": f"t{number}", "content": text}
        session.append({"role": "user", "content": [result]})

    read(1, "a.conf", "vote timeout: 30 s")
    [evidence] = session.trace.items("evidence")
    sentence = session.claim("Votes time out after 30 s.", depends_on=(evidence.id,))
    read(2, "b.conf", "vote timeout: 90 s")
    read(3, "a.conf", "vote timeout: 30 s")
    assert not session.trace.item(sentence.id).marked
    read(4, "a.conf", "vote timeout: 60 s")
    assert session.trace.item(evidence.id).marked
    assert session.trace.item(sentence.id).marked
    shown = str(session.context().messages)
    assert f"{sentence.id} [sentence: claimed, needs revalidation]" in shown


def test_words_of_scripts_without_spaces_are_found() -> None:
    assert terms_of("Leader选举失败 v2") == ["leader", "选举", "举失", "失败", "v2"]
    index = TextIndex()
    for name, text in (("e1", "领导者选举失败"), ("e2", "磁盘很慢"), ("e3", "leader election")):
        index.add(name, text)
    assert [name for name, _ in index.search("选举", most=5, postings=100)] == ["e1"]
    assert [name for name, _ in index.search("Election!", most=5, postings=100)] == ["e3"]
