"""What a session knows, as a graph over turns: from an item over its versions and evidence to the original."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from typing import Any

import httpx2
import pytest
from playwright.sync_api import Page, expect

from compactor.trace import NewDecision, NewEvidence, NewHypothesis, Span
from tests.compactor.trace.story import HIGH_RATE, RAW_LOGS, play
from tests.faults.serving import _NO_TLS, Service
from tests.inspector.told import Told

MARKUP = "<img src=x onerror=alert(1)><b>bold</b> &amp; ‮desrever " + "Ẑ̸̢͉" * 40


@pytest.fixture(scope="module")
def http(running: Service) -> Iterator[httpx2.Client]:
    with httpx2.Client(base_url=running.url, timeout=40, trust_env=False, verify=_NO_TLS) as made:
        yield made


@pytest.fixture(scope="module")
def story(http: httpx2.Client) -> str:
    told = Told(http)
    for _ in play(told, at_80=HIGH_RATE):
        pass
    told.flush()
    return told.id


def shown(page: Page, running: Service, session: str, *, bars: bool = False) -> None:
    """Open a session; its bars, which cost a replay, only where they are asked for."""
    if not bars:
        page.route("**/turns", lambda route: route.fulfill(json={"turns": []}))
    page.goto(f"{running.url}/#session")
    page.fill("#session-id", session)
    page.locator("#session-form .primary").click()
    expect(page.locator("#known-status")).to_have_text(re.compile("revalidation"), timeout=30_000)


def item(page: Page, id: str) -> Any:
    return page.locator(f'#known-graph .item[data-id="{id}"]')


def test_a_status_is_drawn_at_the_turn_in_which_it_changed(
    page: Page, running: Service, story: str
) -> None:
    shown(page, running, story, bars=True)
    expect(page.locator("#chart .bar").last).to_have_attribute(
        "aria-label", re.compile("Turn 100 ")
    )
    expect(page.locator("#known-status")).to_have_text("11 items, 2 need revalidation.")
    network = item(page, "h1")
    signs = [
        part.replace("filled", "").split("g-")[1].strip()
        for part in network.locator(".step > .glyph:first-child").evaluate_all(
            "all => all.map(one => one.getAttribute('class'))"
        )
    ]
    assert signs == ["active", "needs_revalidation", "provisionally_rejected", "reopened"]
    # As far from each other as their turns are: 10, 12, 35 and 80.
    at = network.locator(".step > .glyph:first-child").evaluate_all(
        "all => all.map(one => one.getCTM().e)"
    )
    turn = (at[3] - at[0]) / 70
    assert [round((x - at[0]) / turn) for x in at] == [0, 2, 25, 70]
    # What needs revalidation from turn 80 on is marked, and what is two steps away is not.
    assert [item(page, id).locator(".doubt").count() for id in ("d1", "d2", "h2")] == [1, 0, 0]
    assert "turn 80 reopened" in str(network.get_attribute("aria-label"))
    lanes = page.locator("#known-graph .lane").all_inner_texts()
    assert lanes == ["Hypotheses · 2", "Decisions · 2", "Evidence · 7"]


def test_from_a_hypothesis_to_the_bytes_behind_its_evidence_by_keyboard_alone(
    page: Page, running: Service, story: str
) -> None:
    shown(page, running, story)
    page.locator("#known-graph").focus()
    page.keyboard.press("Tab")
    expect(item(page, "h1")).to_be_focused()
    expect(page.locator("#known-told")).to_contain_text(
        "(hypothesis, reopened, needs revalidation, turn 10)"
    )
    page.keyboard.press("Enter")
    detail = page.locator("#known-detail")
    expect(detail.locator("h3")).to_be_focused()
    versions = detail.locator(".versions li").all_inner_texts()
    assert [line.split("\n")[0] for line in versions] == [
        "Turn 80: reopened",
        "Turn 35: provisionally rejected",
        "Turn 12: needs revalidation",
        "Turn 10: active",
    ]
    assert "h1.a1 fell: Sampling covers" in versions[0]
    assert "no loss in low-rate sampling" in versions[1]
    page.keyboard.press("Tab")
    expect(detail.get_by_role("button", name="Open e7").first).to_be_focused()
    page.keyboard.press("Enter")
    original = detail.locator(".original pre")
    expect(original.locator("mark")).to_have_text("network gap: 200 ms")
    assert original.evaluate("one => one.textContent") == HIGH_RATE
    expect(detail.locator(".hash")).to_contain_text(hashlib.sha256(HIGH_RATE.encode()).hexdigest())
    page.keyboard.press("Escape")
    expect(item(page, "e7")).to_be_focused()
    page.keyboard.press("ArrowLeft")
    expect(item(page, "e6")).to_be_focused()
    page.keyboard.press("Home")
    expect(item(page, "e1")).to_be_focused()
    page.keyboard.press("ArrowUp")
    expect(item(page, "e1")).not_to_be_focused()
    item(page, "e1").click()
    expect(original.locator("mark")).to_have_text(RAW_LOGS[:400], use_inner_text=False)
    assert RAW_LOGS.startswith(str(original.evaluate("one => one.textContent")))


def test_rows_say_what_the_graph_says(page: Page, running: Service, story: str) -> None:
    shown(page, running, story)
    page.get_by_text("The same, in rows").click()
    rows = page.locator("#known-rows [role=row]")
    expect(rows).to_have_count(12)
    expect(rows.nth(1)).to_contain_text(
        "12 needs revalidation, 35 provisionally rejected, 80 reopened"
    )
    expect(rows.nth(1)).to_contain_text("d1 depends on it, e1 contradicts it")
    named = sorted(row.split("\n")[0] for row in rows.all_inner_texts()[1:])
    drawn = page.locator("#known-graph .item").evaluate_all("all => all.map(one => one.dataset.id)")
    assert named == sorted(drawn)
    rows.nth(3).get_by_role("button").click()
    expect(page.locator("#known-title")).to_have_text("d1 · decision")
    expect(item(page, "d1")).to_have_attribute("aria-pressed", "true")


def test_markup_in_claims_and_originals_is_text(
    page: Page, running: Service, http: httpx2.Client
) -> None:
    told = Told(http)
    text = "😀\r\n" * 3 + MARKUP + "\n</pre><script>alert(2)</script>"
    kept = told.store_artifact(text, source=MARKUP)
    span = Span(kept.id, 9, 9 + len(MARKUP))
    seen = told.note_evidence(NewEvidence(MARKUP, rests_on=(span,)))
    claim = told.propose(NewHypothesis(MARKUP, supports=(seen.id,), invalidation=(MARKUP,)))
    told.set_status(claim.id, "confirmed", reason=MARKUP, evidence=(seen.id,))
    told.decide(NewDecision(MARKUP, depends_on=(claim.id,), assumptions=(MARKUP,)))
    shown(page, running, told.id)
    view = page.locator("section:has(> #known-heading)")
    item(page, claim.id).click()
    expect(view.locator(".said")).to_have_text(MARKUP)
    view.get_by_role("button", name=f"Open {seen.id}").first.click()
    expect(view.locator("mark")).to_have_text(MARKUP)
    # The span counts characters, of which some are two of a script's.
    assert view.locator(".original pre").evaluate("one => one.textContent") == text
    assert view.locator("mark").evaluate("one => one.textContent") == MARKUP
    assert view.locator("img, script, mark b, .said b").count() == 0
    # What a label would draw beyond its line is cut off.
    assert (
        view.locator(".words").first.evaluate("one => getComputedStyle(one).overflow") == "hidden"
    )


def test_a_damaged_original_is_not_shown_and_hides_nothing_else(
    page: Page, running: Service, story: str
) -> None:
    gone = {"code": "artifact_corrupt", "detail": "An archived original does not match its hash."}
    for path in ("**/artifacts/*", "**/items/e7"):
        page.route(path, lambda route: route.fulfill(status=500, json=gone))
    shown(page, running, story)
    item(page, "e7").click()
    alert = page.locator("#known-detail [role=alert]")
    expect(alert).to_contain_text("does not match its hash")
    assert page.locator("#known-detail pre").count() == 0
    expect(page.locator("#known-detail .versions")).to_contain_text("Turn 80: proposed")


def test_hundreds_of_items_stay_apart_and_say_what_is_left_out(
    page: Page, running: Service, http: httpx2.Client
) -> None:
    session = Told(http).id
    page.route("**/graph?*", lambda route: route.fulfill(json=crowd()))
    shown(page, running, session)
    expect(page.locator("#known-status")).to_have_text(
        "300 items, 20 need revalidation. 41 older pieces of evidence not shown."
    )
    expect(page.locator("#known-graph .item")).to_have_count(300)
    # No sign lies on another one, and each can be pointed at.
    close = page.evaluate(
        """() => {
          const at = [...document.querySelectorAll("#known-graph .step > .glyph:first-child")].map(one => one.getCTM())
          return at.filter((one, i) => at.some((other, j) => j < i && Math.hypot(one.e - other.e, one.f - other.f) < 16)).length
        }"""
    )
    assert close == 0
    # One stop of the tab key.
    assert page.locator("#known-graph .item[tabindex='0']").count() == 1
    high = page.locator("#known-graph").evaluate("one => one.scrollHeight")
    assert high < 2_500


def crowd() -> dict[str, Any]:
    """300 items in 60 turns: each evidence speaks for or against a hypothesis, each decision rests on one."""
    nodes, edges = [], []
    for number in range(300):
        kind = ("hypothesis", "decision", "evidence", "evidence")[number % 4]
        id, turn = f"{kind[0] if kind != 'hypothesis' else 'h'}{number}", 1 + number // 5
        first = {"version": 1, "turn": turn, "seq": number, "what": "active", "why": "written"}
        versions = [{**first, "by": [], "status": "active", "marked": ""}]
        marked = "it is contradicted" if number % 15 == 0 else ""
        if marked:
            doubt = {"version": 2, "turn": min(60, turn + 3), "what": "needs_revalidation"}
            versions.append({**versions[0], **doubt, "marked": marked})
        node = {"id": id, "kind": kind, "text": f"Claim {number}", "status": "active"}
        node |= {"version": len(versions), "turn": turn, "marked": marked, "versions": versions}
        nodes.append(node)
        if number >= 4 and kind != "hypothesis":
            edge = {"decision": "depends_on", "evidence": ("supports", "contradicts")[number % 2]}
            edges.append({"source": id, "edge": edge[kind], "target": f"h{number // 4 * 4}"})
    return {"version": 9, "nodes": nodes, "edges": edges, "left_out": {"evidence": 41}}
