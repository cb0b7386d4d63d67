"""A page that wants to act in the inspector: nothing of it runs, loads, or keeps its names."""

from __future__ import annotations

import json
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.faults.serving import Service

pytestmark = pytest.mark.hostile

HOSTILE = (
    "<title>Hostile</title><main id=numbers class=fold><h1>Tides <img src=x onerror=window.owned=1></h1>"
    '<p onclick="owned=1" style="position:fixed;inset:0">Low water at four.'
    "<a href=\"javascript:window.owned=1\">Press</a><form action=/v1/jobs><button name=key>Send</button></form>"
    "<svg><script>window.owned=1</script></svg><math><mtext><style><img src=x onerror=window.owned=1></style>"
    "</mtext></math></p><base href=http://evil.test/></main>"
)  # fmt: skip


def test_nothing_of_a_hostile_page_runs_loads_or_keeps_its_names(
    page: Page, running: Service
) -> None:
    made = running.post("/v1/pages", {"html": HOSTILE, "format": ["html"]}).json()
    page.goto(f"{running.url}/#page/{made['snapshot']['id']}")
    result = page.locator("#result")
    expect(result).to_contain_text("Low water at four.")
    assert page.evaluate("() => 'owned' in window") is False
    # None but our own attributes and names stand in it, even where the API hands out what it should not.
    page.route("**/map?*", lambda route: route.fulfill(body=_with(made, HOSTILE)))
    page.fill("#query", "tides")
    expect(result).to_contain_text("Press")
    names = page.evaluate(
        "() => [...document.querySelectorAll('#result *')].flatMap("
        "e => [e.localName, ...e.getAttributeNames()])"
    )
    assert not {"a", "img", "script", "style", "form", "svg", "base", "href", "src", "onclick", "id", "name"} & set(names)  # fmt: skip
    assert page.evaluate("() => 'owned' in window") is False
    assert page.locator("#numbers").count() == 1


def _with(made: dict[str, Any], html: str) -> str:
    return json.dumps(
        {"page": {**made, "content": {"html": html}}, "parts": [], "left_out": 0, "cut": {}}
    )
