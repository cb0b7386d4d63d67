"""An example of every answer of the session routes, for the OpenAPI document. A test holds their fields
against live answers."""

from __future__ import annotations

from typing import Any

_ID = "9f86d081884c7d659a2feaa0c55ad015"
_SESSION = {
    "id": _ID,
    "version": 7,
    "policy": "epoch",
    "budget_chars": 120_000,
    "cost_chars": 41_250,
    "messages": 7,
    "evicted": 0,
    "open_calls": [],
}
_CHANGE = {
    "step": "truncate",
    "seq": 6,
    "ref": "a:1f3c9b2e",
    "before": 33_000,
    "after": 9_957,
    "why": "limit",
}
_COVERED = {
    "seq": 6,
    "kept": False,
    "at": -1,
    "original": "a:77a0c2d1",
    "refs": ["a:1f3c9b2e"],
}
_KEPT = {"seq": 0, "kept": True, "at": 0, "original": "", "refs": []}
_REPORT = {
    "version": 7,
    "appended": [5, 6],
    "changes": [_CHANGE],
    "cost_chars": 41_250,
    "budget_chars": 120_000,
    "certificate": [_COVERED],
    "warning": "",
    "notes": [],
}
_STATS = {
    "cost_chars": 41_250,
    "budget_chars": 120_000,
    "messages": 7,
    "appended": 7,
    "evicted": 0,
    "refs": 2,
    "epoch": 0,
    "reused_chars": 39_800,
    "written_chars": 1_520,
    "modelled_cost": 5_880.0,
    "miss": "",
}
_MESSAGE = {"role": "user", "content": "Why did the import stop?"}

ANSWERS: dict[str, dict[str, Any]] = {
    "turns": {
        "turns": [
            {
                "first": 1,
                "last": 2,
                "added": 33_120,
                "truncated": 23_060,
                "compressed": 0,
                "evicted": 0,
                "reused": 61,
                "cost_chars": 10_121,
                "budget_chars": 120_000,
                "kinds": ["assistant", "user"],
            }
        ]
    },
    "archive": {
        "refs": [{"ref": "a:1f3c9b2e", "seq": 6}],
        "lines": [{"ref": "a:1f3c9b2e", "seq": 6, "line": 777, "text": "line 00777 of the log"}],
        "more": False,
    },
    "create": {**_SESSION, "version": 0, "cost_chars": 1, "messages": 0},
    "show": _SESSION,
    "sessions": {
        "sessions": [{"id": _ID, "version": 7, "written_at": "2026-11-30T12:00:00Z"}],
        "next": None,
    },
    "append": _REPORT,
    "page": {
        "page": {"url": "https://example.org/", "title": "Example Domain"},
        "report": _REPORT,
    },
    "context": {
        "version": 7,
        "system": "Find causes; change nothing.",
        "tools": None,
        "messages": [_MESSAGE],
        "allowed_tools": None,
        "breakpoints": [
            {"part": "system", "message": -1, "block": -1},
            {"part": "messages", "message": 0, "block": -1},
        ],
        "prompt_cache_key": "pf-0d6a7c11b4f2c3e5a9788d10",
        "prefix_hash": "5b1f0c3b6d0e1a2f4c5d6e7f80912a3b",
        "not_carried": [],
        "tools_sentence": "",
        "stats": _STATS,
        "lost": [],
    },
    "expand": {
        "ref": "a:1f3c9b2e",
        "start": 0,
        "count": 26,
        "total": 33_000,
        "text": "line 00001 of the log\nline ",
    },
    "key_info": {"version": 7, "key_info": "the log is cut at station 201"},
    "certificate": {"version": 7, "certificate": [_KEPT, _COVERED]},
    "plan": {
        "id": "b90e63257dfbcfea",
        "version": 7,
        "target_chars": 18_000,
        "lines": [
            {"seq": 0, "fate": "stay", "before": 58, "after": 58, "refs": []},
            {"seq": 2, "fate": "refer", "before": 9_991, "after": 836, "refs": ["a:5d70c9aa"]},
            {"seq": 3, "fate": "go", "before": 5_120, "after": 0, "refs": ["a:0abc0bb3"]},
        ],
        "before_chars": 41_250,
        "after_chars": 17_420,
        "before_tokens": 13_300,
        "after_tokens": 5_600,
        "prefix_chars": 59,
        "keep_cost": 82_500.0,
        "compact_cost": 54_800.0,
        "horizon_requests": 20,
    },
    "apply": {
        "version": 8,
        "cost_chars": 17_420,
        "budget_chars": 120_000,
        "status": "done",
        "changes": [{**_CHANGE, "step": "evict", "seq": 3, "after": 0, "why": "budget"}],
        "before_tokens": 13_300,
        "after_tokens": 5_600,
        "certificate": [{**_COVERED, "seq": 3}],
        "notes": [],
    },
    "shorten": {
        "version": 8,
        "cost_chars": 17_420,
        "budget_chars": 120_000,
        "status": "done",
        "changes": [{**_CHANGE, "step": "fold", "seq": 3, "why": "fold:table"}],
        "before_tokens": 13_300,
        "after_tokens": 5_600,
        "certificate": [{**_COVERED, "seq": 3}],
        "notes": [],
    },
    "notes": {"notes": ["draft"]},
    "note": {"name": "draft", "text": "The bar closes at low water."},
    "put_note": {"version": 8, "name": "draft"},
    "pin": {"version": 8, "message": 2, "pinned": True},
    "diagnose": {
        "version": 7,
        "symptoms": [
            {
                "ailment": "distraction",
                "detail": 'read({"path":"import.log"})',
                "measure": 4,
                "limit": 3,
                "messages": [3, 5, 7, 9],
            }
        ],
        "hit_rate": 0.94,
    },
    "loadout": {
        "version": 7,
        "allowed_tools": ["read", "grep"],
        "scores": {"read": 4.2, "grep": 2.1, "deploy": 0.0},
        "reason": "2 of 3 tools: 2 by words of the goal, 0 by use and order",
        "tools_sentence": "In this turn call only these tools: read, grep.",
    },
    "survival": {
        "version": 7,
        "before_chars": 118_200,
        "after_chars": 71_300,
        "classes": {"path": {"said": 61, "in_view": 44, "by_ref": 15, "lost": 2}},
        "lost": ["path: src/import/old.py"],
    },
    "visible": {"version": 7, "call_id": "toolu_01", "visible": "partly"},
    "allocate": {
        "complexity": "complex",
        "tokens": 120_000,
        "reason": "complex: steps: 1, sources: 0, look-ups: 0 ('all reports')",
        "by": "rules",
    },
    "compact": {
        "messages": [_MESSAGE],
        "report": {**_REPORT, "changes": [], "certificate": [], "appended": [0], "version": 1},
        "certificate": [_KEPT],
        "archive": {},
    },
    "validate": {
        "valid": False,
        "findings": [
            {
                "index": 0,
                "rule": "first_role",
                "mend": "Put a user message first.",
                "severity": "error",
            }
        ],
    },
}
