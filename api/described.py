"""What the OpenAPI document says of what many calls share, and examples that it would lose otherwise."""

from __future__ import annotations

from typing import Any

from api.page_schema import page_example
from api.tabs.docs import OUTCOME, SCAN

#: By (place, name); a route that says more itself is left as it is.
_PARAMETERS = {
    ("path", "session_id"): "id of the session",
    ("path", "job_id"): "id of the job",
    ("path", "ref"): "what a marker names, such as `a:1f3c9b2e`",
    ("header", "accept"): "the media type of the answer, where several are possible",
    ("header", "if-match"): 'the version that the session must have, such as `"v3"`; else 412',
    (
        "header",
        "if-none-match",
    ): "the `ETag` of an answer that is known; 304 if it is still the same",
    ("header", "idempotency-key"): "a name of this request; sent again it changes nothing twice",
    ("header", "last-event-id"): "id of the last event that was seen",
    ("query", "start"): "first character",
    ("query", "count"): "most characters",
    ("query", "keyword"): "text that the lines hold, whatever its case",
    ("query", "cursor"): "`next` of the answer before",
    ("query", "limit"): "most entries of the answer",
    ("query", "most_chars"): "most characters of the answer",
    ("query", "after"): "number of the last event that is known",
    ("query", "format"): "whose messages they are",
    ("query", "allowed_tools"): "tools that the model may call, of those that the session has",
    ("query", "model"): "model that the messages are for",
    ("query", "idle_s"): "seconds since the last request to the model",
}
_BODIES: dict[str, Any] = {
    "GoalIn": {"text": "Find out why the import stops."},
    "ConstraintIn": {"text": "Change nothing on the server.", "source": "user"},
    "LiftIn": {"reason": "The user allowed it."},
    "ActionIn": {
        "tool": "code_run",
        "arguments": {"command": "ping -c 10 node-2"},
        "side_effect": "read",
    },
    "OutcomeIn": {"outcome": "done", "why": "4 of 10 packets were lost"},
    "ArtifactIn": {"text": "4 of 10 packets were lost", "source": "ping"},
    "EvidenceIn": {"text": "4 of 10 packets were lost.", "supports": ["h1"]},
    "HypothesisIn": {"claim": "The network between the nodes drops packets."},
    "StatusIn": {
        "status": "rejected",
        "reason": "The other cable loses as many.",
        "evidence": ["e1"],
    },
    "DecisionIn": {"text": "Swap the cable.", "depends_on": ["h1"]},
    "SentenceIn": {"text": "The cable loses packets.", "depends_on": ["e1"]},
    "LinkIn": {"source": "e1", "edge": "supports", "target": "h1"},
    "RevalidationIn": {"reason": "Measured again.", "evidence": ["e2"]},
    "ResultIn": {"text": "The switch is not the cause.", "evidence": ["e2"]},
    "ContractIn": {"goal": "Find out whether the switch is the cause.", "budget_chars": 20_000},
    "RecallIn": {"query": "why was the network rejected"},
    "TabShot": {"full_page": True},
}
#: FastAPI drops nulls, and these have all their fields.
_ANSWERS: dict[tuple[str, str], Any] = {
    ("/read", "get"): page_example(),
    ("/v1/pages", "post"): page_example(),
    ("/v1/snapshots/{snapshot_id}", "get"): page_example(),
    ("/v1/tabs/{tab_id}/scan", "post"): SCAN,
    ("/v1/tabs/{tab_id}/execute", "post"): OUTCOME,
    ("/v1/tabs/{tab_id}/act", "post"): OUTCOME,
    ("/healthz", "get"): {"status": "ok"},
    ("/readyz", "get"): {"status": "ready"},
    ("/version", "get"): {"version": "0.1.0", "api": "v1", "snapshot": 1},
}


def add_words(schema: dict[str, Any]) -> None:
    """Complete the document in place: parameters, examples of bodies, examples of answers."""
    for calls in schema["paths"].values():
        for call in calls.values():
            for parameter in call.get("parameters", ()):
                _describe(parameter)
    for name, example in _BODIES.items():
        schema["components"]["schemas"][name].setdefault("examples", [example])
    for (path, method), example in _ANSWERS.items():
        answer = schema["paths"][path][method]["responses"]["200"]
        answer["content"]["application/json"]["example"] = example


def _describe(parameter: dict[str, Any]) -> None:
    text = _PARAMETERS.get((parameter["in"], parameter["name"]))
    if text and "description" not in parameter | parameter["schema"]:
        parameter["description"] = text
