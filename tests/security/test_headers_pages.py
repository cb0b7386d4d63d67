"""A web page that is open in a browser on this machine gets nothing out of a service on loopback."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.async_api import Page, async_playwright

from extractor.browser.discover import find_chromium
from tests.browser.site import serve
from tests.faults.serving import service

pytestmark = pytest.mark.hostile

#: Every way that a page has to ask another origin; what comes of each is noted.
_ATTACK = """<title>attack</title><p>Low water<script>
const api = "API", got = {}, say = (name, value) => { got[name] = String(value).slice(0, 200) }
const element = (name, tag, fields) => new Promise(done => {
  const made = Object.assign(document.createElement(tag), fields)
  made.onload = () => { say(name, "loaded"); done() }
  made.onerror = () => { say(name, "failed"); done() }
  document.body.append(made)
  setTimeout(done, 1000)
})
const ask = async (name, path, options) => {
  try { say(name, await (await fetch(api + path, options)).text()) } catch (error) { say(name, "failed") }
}
const body = JSON.stringify({html: "<p>planted"})
window.attacked = Promise.all([
  ask("plain", "/version"),
  ask("credentials", "/version", {credentials: "include"}),
  ask("preflight", "/v1/pages", {method: "POST", body, headers: {"Content-Type": "application/json"}}),
  ask("opaque", "/v1/pages", {method: "POST", body, mode: "no-cors"}),
  ask("key", "/version", {headers: {"X-API-Key": "x"}}),
  element("script", "script", {src: api + "/openapi.json"}),
  element("module", "script", {type: "module", src: api + "/openapi.json"}),
  element("style", "link", {rel: "stylesheet", href: api + "/version"}),
  element("image", "img", {src: api + "/read?url=http://127.0.0.1:9/&format=screenshot"}),
  new Promise(done => {
    const socket = new WebSocket(api.replace("http", "ws") + "/v1/sessions")
    socket.onopen = () => { say("socket", "open"); done() }
    socket.onerror = () => { say("socket", "failed"); done() }
  }),
  new Promise(done => {
    const events = new EventSource(api + "/version")
    events.onerror = () => { say("events", "failed"); events.close(); done() }
  }),
]).then(() => {
  const form = document.createElement("form")
  Object.assign(form, {method: "post", enctype: "text/plain", action: api + "/v1/pages", target: "f"})
  form.innerHTML = '<iframe name="f"></iframe><input name=\\'{"html": "<p>planted", "x": "\\' value=\\'"}\\'>'
  document.body.append(form)
  form.submit()
  const frame = Object.assign(document.createElement("iframe"), {src: api + "/version"})
  document.body.append(frame)
  return new Promise(done => setTimeout(() => done(got), 1000))
})
</script>"""


async def _attack(page: Page, url: str, api: str) -> dict[str, str]:
    await page.goto(f"{url}/?api={api}")
    found: dict[str, str] = await page.evaluate("() => window.attacked")
    return found


async def test_pages_of_other_origins_and_rebound_names_get_nothing(tmp_path: Path) -> None:
    with service(tmp_path, concurrency=1) as server:
        port = server.port
        async with serve({}) as site, async_playwright() as playwright:
            browser = await playwright.chromium.launch(
                executable_path=find_chromium(None).path,
                args=[
                    "--no-sandbox",
                    "--host-resolver-rules=MAP *.test 127.0.0.1",
                    # Older browsers do not ask before a page reaches this machine.
                    "--disable-features=LocalNetworkAccessChecks",
                ],
            )
            try:
                page = await browser.new_page()
                before = len(server.lines("request"))
                for origin in ("127.0.0.1", "evil.test"):
                    site.routes["/"] = _ATTACK.replace("API", server.url)
                    got = await _attack(page, f"http://{origin}:{site.port}", server.url)
                    texts = {name: text for name, text in got.items() if text not in ("failed", "")}
                    assert texts == {}, (origin, texts)
                    assert got.keys() >= {
                        "plain",
                        "preflight",
                        "opaque",
                        "script",
                        "image",
                        "socket",
                    }
                # A name that leads to this machine is of our origin for the browser, not for us.
                await page.route(
                    "**/before",
                    lambda route: route.fulfill(body="<p>Low water", content_type="text/html"),
                )
                await page.goto(f"http://rebind.test:{port}/before")
                inside = "async () => (await fetch('/version')).text()"
                assert "foreign_host" in await page.evaluate(inside)
            finally:
                await browser.close()
    # The service has ended, so all that it was asked is in its log.
    asked = server.lines("request")[before:]
    assert {event["status"] for event in asked} == {403, 421}
    assert {event["code"] for event in asked} == {"foreign_origin", "foreign_host"}
    assert len(asked) > 15
