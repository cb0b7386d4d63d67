"""A session of a running service, written to as ``compactor.Session`` is: for stories that are told to either."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import httpx2

from compactor.trace import Assumption, NewDecision, NewEvidence, NewHypothesis, Span


@dataclass(frozen=True, slots=True)
class Written:
    id: str


def write_known(http: httpx2.Client, session: str) -> None:
    """One of each kind, in every state that a claim can have."""
    told = Told(http, session)
    kept = told.store_artifact("It was seen twice today.", source="watch")
    seen = told.note_evidence(NewEvidence("Seen.", rests_on=(Span(kept.id, 7, 17),)))
    claims = [
        told.propose(NewHypothesis(f"It comes {when}.", status="active"))
        for when in ("daily", "at noon", "at night", "never", "twice")
    ]
    for claim, status in zip(
        claims, ("confirmed", "rejected", "provisionally_rejected", "confirmed"), strict=False
    ):
        told.set_status(claim.id, status, reason="seen", evidence=(seen.id,))
    told.propose(NewHypothesis("It is one of two.", supports=(seen.id,)))
    told.decide(NewDecision("Wait for it.", depends_on=(claims[3].id, seen.id)))
    told.note_evidence(
        NewEvidence("There.", rests_on=(Span(kept.id, 7, 17),), contradicts=(claims[3].id,))
    )


class Told:
    """Messages are sent together, as late as the order of things allows."""

    def __init__(self, http: httpx2.Client, id: str = "", *, budget: int = 18_000) -> None:
        self.http = http
        self.id = id
        if not id:
            made = self._sent("POST", "/v1/sessions", budget_chars=budget, trace=True)
            self.id = str(made["id"])
        self._messages: list[dict[str, Any]] = []

    def append(self, message: dict[str, Any]) -> None:
        self._messages.append(message)

    def flush(self) -> None:
        if self._messages:
            self._sent("POST", f"/v1/sessions/{self.id}/messages", messages=self._messages)
            self._messages = []

    def set_goal(self, text: str) -> Written:
        return self._write("PUT", "goal", text=text)

    def add_constraint(self, text: str) -> Written:
        return self._write("POST", "constraints", text=text)

    def store_artifact(self, text: str, *, source: str) -> Written:
        return self._write("POST", "artifacts", text=text, source=source)

    def note_evidence(self, evidence: NewEvidence) -> Written:
        return self._write("POST", "evidence", **asdict(evidence))

    def propose(self, hypothesis: NewHypothesis) -> Written:
        return self._write("POST", "hypotheses", **asdict(hypothesis))

    def decide(self, decision: NewDecision) -> Written:
        return self._write("POST", "decisions", **asdict(decision))

    def set_status(
        self,
        id: str,
        status: str,
        *,
        reason: str,
        evidence: Sequence[str] = (),
        assumptions: Sequence[Assumption] = (),
    ) -> Written:
        assumed = [asdict(each) for each in assumptions]
        body = {"status": status, "reason": reason, "evidence": list(evidence)}
        return self._write("PUT", f"hypotheses/{id}", **body, assumptions=assumed)

    def _write(self, method: str, path: str, **body: Any) -> Written:
        self.flush()
        return Written(self._sent(method, f"/v1/sessions/{self.id}/{path}", **body)["id"])

    def _sent(self, method: str, path: str, **body: Any) -> Any:
        answer = self.http.request(method, path, json=body)
        assert answer.status_code < 300, answer.text
        return answer.json()
