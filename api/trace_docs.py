"""What the OpenAPI document says about the routes under which a session writes down what it knows."""

from __future__ import annotations

from typing import Any

from api.errors import problem_responses

_WRITE = ("invalid_request", "not_found", "version_mismatch", "body_too_large")
WRITING = problem_responses(*_WRITE, "conflict", "internal")
REPLAYING = problem_responses("invalid_request", "not_found", "log_corrupt", "internal")
RECALLING = problem_responses(
    "invalid_request", "not_found", "mandatory_does_not_fit", "body_too_large", "internal"
)
_ITEM = {
    "id": "h1",
    "kind": "hypothesis",
    "text": "The network between the nodes drops packets.",
    "status": "reopened",
    "version": 3,
    "turn": 10,
    "seq": 24,
    "marked": "h1.a1 fell: no gap of 50 ms or more (e9)",
    "trace_ref": "t:h1@3",
    "assumptions": [],
    "invalidation": [],
}
_VERSION = {
    "version": 1,
    "turn": 10,
    "seq": 24,
    "what": "active",
    "why": "written",
    "by": [],
    "status": "active",
    "marked": "",
}
_LINK = {"source": "d1", "edge": "depends_on", "target": "h1"}

#: By route: an answer as an example.
ANSWERS: dict[str, dict[str, Any]] = {
    "trace_item": {**_ITEM, "session_version": 88},
    "trace_child": {
        "id": "k1",
        "kind": "child",
        "text": "Read the logs of node 2.",
        "status": "open",
        "version": 1,
        "turn": 10,
        "seq": 87,
        "marked": "",
        "trace_ref": "t:k1@1",
        "session_id": "0123456789abcdef0123456789abcdef",
        "constraints": ["Never restart a node."],
        "exclusions": [],
        "result_format": "",
        "budget_chars": 18_000,
        "tools": None,
        "result_tokens": 500,
        "result": None,
        "session_version": 88,
    },
    "session_log": {
        "version": 88,
        "before": "9f2b…",
        "header": "",
        "rows": [
            {"seq": 87, "kind": "trace", "body": '{"events":[]}', "link": "41c0…"},
        ],
        "next": None,
    },
    "trace_items": {"version": 88, "items": [_ITEM]},
    "trace_events": {
        "version": 88,
        "total": 31,
        "events": [
            {
                "number": 30,
                "seq": 87,
                "op": "change",
                "id": "d1",
                "turn": 80,
                "what": "needs_revalidation",
                "why": "h1 changed",
                "by": ["h1", "e9"],
                "marked": "h1 changed (e9)",
            }
        ],
    },
    "trace_of": {
        **_ITEM,
        "versions": [_VERSION],
        "links": [_LINK],
        "originals": [],
    },
    "trace_graph": {
        "version": 88,
        "nodes": [{**_ITEM, "versions": [_VERSION]}],
        "edges": [_LINK],
        "left_out": {"evidence": 12},
    },
    "original": {
        "artifact": {
            "id": "o4",
            "kind": "artifact",
            "text": "probe t80",
            "status": "kept",
            "version": 1,
            "turn": 80,
            "seq": 171,
            "marked": "",
            "trace_ref": "t:o4@1",
            "ref": "a:d06bcd5a",
            "media_type": "text/plain",
            "source": "probe t80",
            "source_version": "",
            "sha256": "0c47a9d92ed9f28cc8597214ef00eefe914235b4b9ccfcbea1a0b16707f9413b",
            "chars": 108,
        },
        "bytes": False,
        "start": 42,
        "count": 19,
        "total": 108,
        "text": "network gap: 200 ms",
    },
    "recall": {
        "version": 88,
        "query": "why was the network rejected",
        "budget_chars": 4_000,
        "chars": 62,
        "left_out": 0,
        "text": "h1 [hypothesis: reopened, needs revalidation] The network between…",
        "items": [
            {
                "id": "h1",
                "text": "h1 [hypothesis: reopened, needs revalidation] The network between…",
                "reason": "a hypothesis that is looked into",
                "mandatory": True,
                "damaged": [],
            }
        ],
    },
}


def answered(route: str, status: int = 200) -> dict[int | str, dict[str, Any]]:
    """The success of a route, with an example."""
    content = {"application/json": {"example": ANSWERS[route]}}
    return {status: {"description": "Done.", "content": content}}
