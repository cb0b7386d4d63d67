"""The session view: bars of turns, the archive, validation. What it shows is what the API says."""

from __future__ import annotations

import json
import re
from typing import Any
from urllib.parse import urlsplit

from playwright.sync_api import Page, expect

from tests.faults.serving import Service

TURNS = 60

CHAT_CALL = {"id": "call_1", "type": "function", "function": {"name": "shelf", "arguments": "{}"}}


def history(turns: int = TURNS) -> list[dict[str, Any]]:
    """A task and so many turns; every fifth result is too long to come in whole."""
    found: list[dict[str, Any]] = [{"role": "user", "content": "Why did the import stop?"}]
    for turn in range(turns):
        call = {
            "type": "tool_use",
            "id": f"call_{turn}",
            "name": "code_run",
            "input": {"part": turn},
        }
        found.append({"role": "assistant", "content": [call]})
        lines = 400 if turn % 5 == 4 else 20
        text = "".join(f"line {turn:03}-{line:05} of the import log\n" for line in range(lines))
        result = {"type": "tool_result", "tool_use_id": f"call_{turn}", "content": text}
        found.append({"role": "user", "content": [result]})
    return found


def compacted(page: Page, running: Service) -> str:
    page.goto(f"{running.url}/#session")
    page.fill("#history", json.dumps(history()))
    page.fill("#history-budget", "20000")
    page.click("#history-form .primary")
    expect(page.locator("#chart .bar")).to_have_count(TURNS + 1, timeout=30_000)
    return page.input_value("#session-id")


def test_a_bar_a_turn_says_what_was_done(page: Page, running: Service) -> None:
    session = compacted(page, running)
    turns = running.get(f"/v1/sessions/{session}/turns").json()["turns"]
    assert len(turns) == TURNS + 1
    for kind in ("reused", "truncated", "evicted"):
        assert any(turn[kind] for turn in turns), kind
        drawn = page.locator(f"#chart .bar i.{kind}").count()
        assert drawn == sum(turn[kind] > 0 for turn in turns), kind
    expect(page.locator("#chart .limit")).to_have_text(f"budget {turns[0]['budget_chars']:,}")
    # All bars stay under the budget's line.
    line = page.locator("#chart .limit").bounding_box()
    assert line is not None
    tops = page.evaluate(
        "() => [...document.querySelectorAll('#chart i.added, #chart i.reused')]"
        ".map(i => i.getBoundingClientRect().top)"
    )
    assert min(tops) >= line["y"]
    last = page.locator("#chart .bar").nth(TURNS)
    page.locator("#chart .bar").first.focus()
    page.keyboard.press("End")
    expect(last).to_be_focused()
    # Counted by the agent's messages, as what the session knows is: the task comes before the first.
    expect(page.locator("#turn-detail")).to_contain_text(f"Turn {TURNS} (")
    expect(page.locator("#turn-detail")).to_contain_text(
        f"Context {turns[-1]['cost_chars']:,} of {turns[-1]['budget_chars']:,}"
    )
    page.get_by_text("As a table").click()
    expect(page.locator("#turn-rows [role=table]")).to_have_attribute(
        "aria-rowcount", str(TURNS + 2)
    )


def test_an_existing_session_is_opened_and_its_archive_searched(
    page: Page, running: Service
) -> None:
    opened = running.post("/v1/sessions", {"budget_chars": 20_000}).json()["id"]
    running.post(f"/v1/sessions/{opened}/messages", {"messages": history(12)})
    page.goto(f"{running.url}/#session")
    page.fill("#session-id", opened)
    page.locator("#session-form .primary").click()
    expect(page.locator("#chart .bar")).to_have_count(13)
    page.fill("#keyword", "004-00200 ")
    page.locator("#archive-form button").click()
    rows = page.locator("#archive-lines [role=row]")
    expect(rows.nth(1)).to_contain_text("line 004-00200 of the import log")
    expect(rows.nth(1).locator("mark")).to_have_text("004-00200 ")
    rows.nth(1).get_by_role("button").click()
    expect(page.locator("#original-text")).to_contain_text("line 004-00000 of the import log")
    page.fill("#keyword", "nobody says this")
    page.locator("#archive-form button").click()
    expect(page.locator("#archive-lines")).to_have_text("Nothing found.")


def test_a_session_is_picked_from_the_list_and_named_by_the_address(
    page: Page, running: Service
) -> None:
    for _ in range(21):
        opened = running.post("/v1/sessions", {"budget_chars": 20_000}).json()["id"]
    running.post(f"/v1/sessions/{opened}/messages", {"messages": history(3)})
    page.goto(f"{running.url}/#session")
    entries = page.locator("#session-list button")
    expect(entries).to_have_count(20)
    page.locator("#sessions-more").click()
    expect(entries.nth(20)).to_be_attached()
    page.locator(f"#session-list [data-session='{opened}']").click()
    expect(page.locator("#chart .bar")).to_have_count(4)
    expect(page.locator("#session-list [aria-pressed=true]")).to_have_attribute(
        "data-session", opened
    )
    assert page.url.endswith(f"#session/{opened}")
    page.reload()
    expect(page.locator("#chart .bar")).to_have_count(4)


def test_a_pasted_history_is_validated(page: Page, running: Service) -> None:
    page.goto(f"{running.url}/#session")
    page.fill("#history", json.dumps(history(2)))
    page.click("#validate")
    expect(page.locator("#session-status")).to_have_text("Valid for anthropic.")
    page.fill("#history", json.dumps(history(2)[:2]))
    page.click("#validate")
    expect(page.locator("#findings-list")).to_contain_text("open_call")
    page.fill("#history", json.dumps([{"role": "assistant", "content": "Because."}]))
    page.click("#validate")
    expect(page.locator("#session-status")).to_have_class(re.compile("wrong"))
    expect(page.locator("#findings-list")).to_contain_text("first_role")
    page.fill("#history", "[{")
    page.click("#validate")
    expect(page.locator("#session-status")).to_contain_text("no JSON")


def test_a_history_that_is_refused_leaves_no_session_behind(page: Page, running: Service) -> None:
    chat = [
        {"role": "user", "content": "What is left?"},
        {"role": "assistant", "content": None, "tool_calls": [CHAT_CALL]},
        {"role": "tool", "tool_call_id": "call_1", "content": "Lanterns"},
    ]
    made: list[str] = []
    page.on(
        "request", lambda request: made.append(f"{request.method} {urlsplit(request.url).path}")
    )
    known = running.get("/v1/sessions").json()
    page.goto(f"{running.url}/#session")
    page.fill("#history", json.dumps(chat))
    page.click("#history-form .primary")
    expect(page.locator("#session-status")).to_contain_text("It was read as anthropic")
    assert "POST /v1/sessions" not in made
    # What is lost on the way leaves none either.
    page.select_option("#history-format", "openai-chat")
    page.route("**/messages", lambda route: route.abort())
    page.click("#history-form .primary")
    expect(page.locator("#session-status")).to_contain_text("does not answer")
    assert "POST /v1/sessions" in made
    assert running.get("/v1/sessions").json() == known
    page.unroute("**/messages")
    # The same history under its own format is taken.
    page.click("#history-form .primary")
    expect(page.locator("#chart .bar")).to_have_count(2)
