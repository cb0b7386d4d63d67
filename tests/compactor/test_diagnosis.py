"""The known ways in which contexts fail, each found where it is and not where it is not."""

from __future__ import annotations

from typing import Any

import pytest

from compactor import Policy, Session
from compactor.diagnosis import DiagnosisRule
from compactor.errors import InvalidRequest

CLAIM = "The harbour wall was built by the second guild of masons."


def _said(role: str, text: str) -> dict[str, Any]:
    return {"role": role, "content": text}


def _turn(number: int, arguments: Any, text: str, tool: str = "read") -> list[dict[str, Any]]:
    call = {"type": "tool_use", "id": f"c{number}", "name": tool, "input": arguments}
    result = {"type": "tool_result", "tool_use_id": f"c{number}", "content": text}
    return [{"role": "assistant", "content": [call]}, {"role": "user", "content": [result]}]


def _session(*messages: dict[str, Any], tools: Any = None) -> Session:
    session = Session(Policy.preset("epoch", budget_chars=200_000), tools=tools)
    session.append_many(messages)
    return session


def _ailments(session: Session, **more: Any) -> list[str]:
    return [symptom.ailment for symptom in session.diagnose(**more)]


def test_a_healthy_session_has_no_symptoms() -> None:
    session = _session(_said("user", "count the boats"), *_turn(1, {"n": 1}, "three boats"))
    assert session.diagnose() == ()


def test_a_claim_without_evidence_that_is_repeated_is_poison() -> None:
    talk = [_said("user", "who built it?")]
    for _ in range(3):
        talk += [_said("assistant", f"I think so. {CLAIM}"), _said("user", "are you sure?")]
    (symptom,) = _session(*talk).diagnose()
    assert (symptom.ailment, symptom.measure, symptom.messages) == ("poisoning", 3, (1, 3, 5))
    proven = [*_turn(9, {}, f"archive: {CLAIM.upper()}"), *talk]
    assert _ailments(_session(_said("user", "look it up"), *proven)) == []
    assert _ailments(_session(*talk), rule=DiagnosisRule(claim_times=4)) == []


def test_the_same_action_again_and_again_is_a_distraction() -> None:
    calls = [m for n in range(4) for m in _turn(n, {"path": "import.log"}, f"line {n}")]
    (symptom,) = _session(_said("user", "go"), *calls).diagnose()
    assert (symptom.ailment, symptom.measure) == ("distraction", 4)
    assert symptom.detail == 'read({"path":"import.log"})'
    others = [m for n in range(4) for m in _turn(n, {"path": f"{n}.log"}, f"line {n}")]
    assert _ailments(_session(_said("user", "go"), *others)) == []


def test_too_many_tools_confuse_unless_they_are_masked() -> None:
    tools = [{"name": f"tool_{n}"} for n in range(31)]
    session = _session(_said("user", "go"), tools=tools)
    assert _ailments(session) == ["confusion"]
    assert _ailments(session, allowed_tools=["tool_1"]) == []


def test_values_that_contradict_each_other_in_view_clash() -> None:
    one = _said("user", "The staging port is 8443 for all services.")
    two = _said("user", "The staging port is 9443 for all services.")
    (symptom,) = _session(one, _said("assistant", "Noted."), two).diagnose()
    assert symptom.ailment == "clash"
    assert "8443" in symptom.detail
    assert "9443" in symptom.detail
    assert _ailments(_session(one, _said("assistant", "Noted."), one)) == []


def test_what_rises_is_named() -> None:
    session = _session(_said("user", "go"))
    assert _ailments(session, latencies_s=[1.0] * 6 + [2.0] * 3) == ["latency"]
    assert _ailments(session, latencies_s=[1.0] * 9) == []
    assert _ailments(session, latencies_s=[1.0, 1.0, 9.0]) == []
    for number in range(12):
        session.append(_said("assistant", f"answer {number}"))
        session.append(_said("user", f"{number} " * 60 * 2**number))
        session.context()
    assert _ailments(session) == ["cost"]


def test_thresholds_are_checked() -> None:
    with pytest.raises(InvalidRequest, match="claim_times"):
        DiagnosisRule(claim_times=1)
    with pytest.raises(InvalidRequest, match="trend_factor"):
        DiagnosisRule(trend_factor=1.0)
