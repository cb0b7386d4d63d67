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

from api.client import Pagefold, PagefoldError, VersionMismatch

SERVICE = os.environ.get("PAGEFOLD_URL", "http://127.0.0.1:8000")
KEY = os.environ.get("PAGEFOLD_KEY")
DEMO = os.environ.get("PAGEFOLD_DEMO_URL", "http://127.0.0.1:8001")
RECORDED = json.loads(Path(__file__).with_name("turns.json").read_text("utf-8"))
BUDGET_CHARS = 30_000
TASK = {"role": "user", "content": RECORDED["task"]}


def main() -> None:
    with Pagefold(SERVICE, key=KEY) as service:
        # 1. Open a session. Everything about it is fixed here, so its prefix can be cached.
        opened = service.open_session(
            budget_chars=BUDGET_CHARS, system=RECORDED["system"], tools=RECORDED["tools"]
        )
        session = opened["id"]
        print(f"session opened, budget {opened['budget_chars']:,} characters")

        # 2. The task, then turn after turn: read the context, "ask the model", append its answer.
        version = append(service, session, 0, [TASK], key="task")
        for number, turn in enumerate(RECORDED["turns"], 1):
            service.context(session)  # this is what a real loop sends to its model
            version = take_turn(service, session, version, number, turn)

        check_safety_nets(service, session, version)
        expand_what_was_cut(service, session, check_context(service, session))
    print("all is well")


def take_turn(
    service: Pagefold, session: str, version: int, number: int, turn: dict[str, Any]
) -> int:
    """Append one recorded turn; the session's new version."""
    key = f"turn-{number}"
    if "page" in turn:
        # The service fetches the page, filters it, and appends call and result in one go.
        answer = service.append_page(
            session,
            {"url": DEMO + turn["page"], "format": ["markdown"], "budget": 4_000},
            key=key,
            version=version,
        )
        assert answer["page"] is not None  # only a repeated request has none
        print(f"turn {number}: web_scan read {answer['page']['title']!r}")
        return answer["report"]["version"]

    result = log_text() if turn.get("result_from") == "log" else turn["result"]
    call_id = f"call_{number}"
    use = {"type": "tool_use", "id": call_id, "name": turn["tool"], "input": turn["input"]}
    came = {"type": "tool_result", "tool_use_id": call_id, "content": result}
    print(f"turn {number}: {turn['tool']} gave {len(result):,} characters")
    messages = [
        {"role": "assistant", "content": [{"type": "text", "text": turn["says"]}, use]},
        {"role": "user", "content": [came]},
    ]
    return append(service, session, version, messages, key=key)


def append(
    service: Pagefold, session: str, version: int, messages: list[dict[str, Any]], *, key: str
) -> int:
    """Append messages at exactly ``version``; the new version. What was shortened is printed.

    The key makes a repeated request harmless; the version makes a stale one fail.
    """
    report = service.append(session, messages, key=key, version=version)
    for change in report["changes"]:
        print(f"  {change['step']}: {change['before']:,} characters became {change['after']:,}")
    return report["version"]


def check_safety_nets(service: Pagefold, session: str, version: int) -> None:
    """A request that is sent again appends nothing; one that has missed something is refused."""
    try:
        service.append(session, [TASK], key="late", version=version - 1)
    except VersionMismatch:
        pass
    else:
        sys.exit("wrong: a stale version must be refused")
    again = append(service, session, 0, [TASK], key="task")
    expect(again == 1, "a repeated key must give the first answer again")
    now = service.session(session)["version"]
    expect(now == version, f"neither may change the session: {now}, not {version}")
    print("stale version refused, repeated key harmless")


def check_context(service: Pagefold, session: str) -> list[dict[str, Any]]:
    """The context fits, keeps the provider's rules, carries the checkpoint, and has an ETag."""
    context, etag = service.context(session)
    expect(service.context_since(session, etag) is None, "an unchanged context must give 304")
    stats, messages = context["stats"], context["messages"]
    expect(stats["cost_chars"] <= BUDGET_CHARS, "the context is over its budget")
    checked = service.validate(messages, profile="anthropic")
    expect(checked["valid"], f"the context is not valid: {checked['findings']}")
    newest = json.dumps(messages[-1])
    expect("[WORKING MEMORY]" in newest and "station-0201" in newest, "the checkpoint is missing")
    print(f"context: {stats['cost_chars']:,} characters, {stats['messages']} messages, valid")
    print(f"etag {etag}")
    return messages


def expand_what_was_cut(service: Pagefold, session: str, messages: list[dict[str, Any]]) -> None:
    """The marker in the context names a ref; the ref gives back the whole, a part, or lines."""
    marker = re.search(r"\[\.\.\. [\d,]+ characters taken out, ref=(a:[0-9a-f]+)", str(messages))
    if marker is None:
        sys.exit("wrong: there is no marker in the context")
    ref = marker[1]
    whole = service.expand(session, ref)
    expect(whole["text"] == log_text(), "the archive must give the log back exactly")
    peek = service.expand(session, ref, start=10_000, count=49)
    expect(peek["text"] == whole["text"][10_000:10_049], "peek must give the range asked for")
    found = service.grep(session, ref, "error")
    expect(len(found) == 1, f"one line holds the error, not {len(found)}")
    print(f"expanded {whole['total']:,} characters; line {found[0]['line']}: {found[0]['text']}")


def log_text() -> str:
    """A log of exactly 20,000 characters: 400 lines of 50, one of them an error."""
    lines = []
    for number in range(1, 401):
        word = "ERROR quota exceeded" if number == 201 else "ok"
        lines.append(f"02:{number // 60:02}:{number % 60:02} import station-{number:04} {word}")
    return "".join(f"{line:<49}\n" for line in lines)


def expect(holds: bool, otherwise: str) -> None:
    if not holds:
        sys.exit(f"wrong: {otherwise}")


if __name__ == "__main__":
    try:
        main()
    except PagefoldError as error:
        sys.exit(f"wrong: {error}")
