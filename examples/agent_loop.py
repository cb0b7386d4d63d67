"""An agent loop over a Pagefold session, in Python. The model is replaced by recorded turns.

    python examples/agent_loop.py

PAGEFOLD_URL and PAGEFOLD_DEMO_URL say where the service and its demo pages are. Exit code 0: all
is as it should be; 1: something is not, and the last line says what.
"""

from __future__ import annotations

import json
import os
import re
import sys
from pathlib import Path
from typing import Any

import httpx2

SERVICE = os.environ.get("PAGEFOLD_URL", "http://127.0.0.1:8000")
KEY = os.environ.get("PAGEFOLD_KEY")
AUTH = {"Authorization": f"Bearer {KEY}"} if KEY else {}
DEMO = os.environ.get("PAGEFOLD_DEMO_URL", "http://127.0.0.1:8001")
RECORDED = json.loads(Path(__file__).with_name("turns.json").read_text("utf-8"))
BUDGET_CHARS = 30_000


def main() -> None:
    with httpx2.Client(base_url=SERVICE, headers=AUTH, timeout=60) as http:
        # 1. Open a session. Everything about it is fixed here, so its prefix can be cached.
        opened = call(
            http,
            "POST",
            "/v1/sessions",
            json={
                "budget_chars": BUDGET_CHARS,
                "system": RECORDED["system"],
                "tools": RECORDED["tools"],
            },
        ).json()
        session = f"/v1/sessions/{opened['id']}"
        print(f"session opened, budget {opened['budget_chars']:,} characters")

        # 2. The task, then turn after turn: read the context, "ask the model", append its answer.
        version = append(http, session, 0, [{"role": "user", "content": RECORDED["task"]}])
        for number, turn in enumerate(RECORDED["turns"], 1):
            read_context(http, session)  # this is what a real loop sends to its model
            version = take_turn(http, session, version, number, turn)

        check_safety_nets(http, session, version)
        context = check_context(http, session)
        expand_what_was_cut(http, session, context)
    print("all is well")


def take_turn(
    http: httpx2.Client, session: str, version: int, number: int, turn: dict[str, Any]
) -> int:
    """Append one recorded turn; the session's new version."""
    if "page" in turn:
        # The service fetches the page, filters it, and appends call and result in one go.
        answer = call(
            http,
            "POST",
            f"{session}/pages",
            json={"page": {"url": DEMO + turn["page"], "format": ["markdown"], "budget": 4_000}},
            headers=headers(f"turn-{number}", version),
        ).json()
        print(f"turn {number}: web_scan read {answer['page']['title']!r}")
        return int(answer["report"]["version"])

    result = log_text() if turn.get("result_from") == "log" else turn["result"]
    call_id = f"call_{number}"
    use = {"type": "tool_use", "id": call_id, "name": turn["tool"], "input": turn["input"]}
    came = {"type": "tool_result", "tool_use_id": call_id, "content": result}
    print(f"turn {number}: {turn['tool']} gave {len(result):,} characters")
    return append(
        http,
        session,
        version,
        [
            {"role": "assistant", "content": [{"type": "text", "text": turn["says"]}, use]},
            {"role": "user", "content": [came]},
        ],
        key=f"turn-{number}",
    )


def append(
    http: httpx2.Client,
    session: str,
    version: int,
    messages: list[dict[str, Any]],
    key: str = "task",
) -> int:
    """Append messages at exactly ``version``; the new version. What was shortened is printed."""
    body = {"format": "anthropic", "messages": messages}
    answer = call(http, "POST", f"{session}/messages", json=body, headers=headers(key, version))
    report = answer.json()
    for change in report["changes"]:
        print(f"  {change['step']}: {change['before']:,} characters became {change['after']:,}")
    return int(report["version"])


def headers(key: str, version: int) -> dict[str, str]:
    """The key makes a repeated request harmless; the version makes a stale one fail."""
    return {"Idempotency-Key": key, "If-Match": f'"v{version}"'}


def read_context(http: httpx2.Client, session: str, **extra: str) -> httpx2.Response:
    return call(http, "GET", f"{session}/context?format=anthropic", headers=extra)


def check_safety_nets(http: httpx2.Client, session: str, version: int) -> None:
    """A request that is sent again appends nothing; one that has missed something is refused."""
    note = {"message": {"role": "user", "content": RECORDED["task"]}}
    late = http.post(f"{session}/messages", json=note, headers=headers("late", version - 1))
    expect(late.status_code == 412, f"a stale version must give 412, not {late.status_code}")
    again = append(http, session, 0, [{"role": "user", "content": RECORDED["task"]}])
    expect(again == 1, "a repeated key must give the first answer again")
    now = call(http, "GET", session).json()["version"]
    expect(now == version, f"neither may change the session: {now}, not {version}")
    print("stale version refused, repeated key harmless")


def check_context(http: httpx2.Client, session: str) -> list[dict[str, Any]]:
    """The context fits, keeps the provider's rules, carries the checkpoint, and has an ETag."""
    answer = read_context(http, session)
    context = answer.json()
    same = read_context(http, session, **{"If-None-Match": answer.headers["ETag"]})
    expect(same.status_code == 304, "an unchanged context must give 304")
    stats = context["stats"]
    expect(stats["cost_chars"] <= BUDGET_CHARS, "the context is over its budget")
    messages: list[dict[str, Any]] = context["messages"]
    checked = call(
        http, "POST", "/v1/validate", json={"profile": "anthropic", "messages": messages}
    ).json()
    expect(checked["valid"], f"the context is not valid: {checked['findings']}")
    newest = json.dumps(messages[-1])
    expect("[WORKING MEMORY]" in newest and "station-0201" in newest, "the checkpoint is missing")
    print(f"context: {stats['cost_chars']:,} characters, {stats['messages']} messages, valid")
    print(f"etag {answer.headers['ETag']}")
    return messages


def expand_what_was_cut(http: httpx2.Client, session: str, messages: list[dict[str, Any]]) -> None:
    """The marker in the context names a ref; the ref gives back the whole, a part, or lines."""
    marker = re.search(r"\[\.\.\. [\d,]+ characters taken out, ref=(a:[0-9a-f]+)", str(messages))
    if marker is None:
        sys.exit("wrong: there is no marker in the context")
    archive = f"{session}/archive/{marker[1]}"
    whole = call(http, "GET", archive).json()
    expect(whole["text"] == log_text(), "the archive must give the log back exactly")
    peek = call(http, "GET", f"{archive}?start=10000&count=49").json()
    expect(peek["text"] == whole["text"][10_000:10_049], "peek must give the range asked for")
    found = call(http, "GET", f"{archive}?keyword=error").json()["lines"]
    expect(len(found) == 1, f"one line holds the error, not {len(found)}")
    print(f"expanded {whole['total']:,} characters; line {found[0]['line']}: {found[0]['text']}")


def log_text() -> str:
    """A log of exactly 20,000 characters: 400 lines of 50, one of them an error."""
    lines = []
    for number in range(1, 401):
        word = "ERROR quota exceeded" if number == 201 else "ok"
        lines.append(f"02:{number // 60:02}:{number % 60:02} import station-{number:04} {word}")
    return "".join(f"{line:<49}\n" for line in lines)


def call(http: httpx2.Client, method: str, path: str, **given: Any) -> httpx2.Response:
    """One request. Errors are problem documents: ``code`` for programs, ``detail`` for people."""
    answer = http.request(method, path, **given)
    if answer.status_code >= 400:
        problem = answer.json()
        sys.exit(f"wrong: {method} {path}: {problem['code']}: {problem['detail']}")
    return answer


def expect(holds: bool, otherwise: str) -> None:
    if not holds:
        sys.exit(f"wrong: {otherwise}")


if __name__ == "__main__":
    try:
        main()
    except httpx2.TransportError as error:
        sys.exit(f"wrong: no answer from {SERVICE} ({error}); is `make serve` running?")
