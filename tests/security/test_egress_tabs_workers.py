"""A service worker would outlive its page: no tab gets one, by whatever way it asks."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from extractor.tabs import TabExecute, TabOpen
from testbed.hostile.range import range_settings, shooting_range
from testbed.hostile.site import SECURE_PORT

pytestmark = [pytest.mark.hostile, pytest.mark.timeout(120)]

#: Each gives a realm whose own functions the page has not been kept from, if there is one.
WAYS = ("own", "blank", "written", "sourced", "loaded", "popup", "far")
REALMS = """
const blank = () => { const f = document.createElement("iframe"); document.body.append(f); return f.contentWindow; };
const written = () => { const w = blank(); w.document.write("<p>x"); w.document.close(); return w; };
const sourced = () => new Promise((done) => {
  const f = document.createElement("iframe"); f.srcdoc = "x"; f.onload = () => done(f.contentWindow);
  document.body.append(f);
});
const loaded = () => new Promise((done) => {
  const f = document.createElement("iframe"); f.src = "/leaf/anew"; f.onload = () => done(f.contentWindow);
  document.body.append(f);
});
const popup = () => window.open("");
const far = () => window.open("/popup");
const realms = {own: () => window, blank, written, sourced, loaded, popup, far};
"""
ASK = """
const told = {};
for (const [name, realm] of Object.entries(realms)) {
  try {
    const view = await realm();
    const ask = view.ServiceWorkerContainer.prototype.register;
    const found = await Promise.race([ask.call(navigator.serviceWorker, "/leaf/service-worker.js?" + name),
      new Promise((done) => setTimeout(done, 1500, "late"))]);
    told[name] = String(found);
  } catch (error) { told[name] = "refused: " + error.message; }
}
return [isSecureContext, told, (await navigator.serviceWorker.getRegistrations()).length];
"""


async def test_no_tab_gets_a_service_worker(tmp_path: Path) -> None:
    settings = range_settings(tmp_path, tab_popups=4, max_tabs=8)
    async with shooting_range(settings, []) as site:
        tabs = site.extractor.tabs
        tab = await tabs.open(TabOpen(url=f"http://localhost:{SECURE_PORT}/"))
        told = await tabs.execute(tab.id, TabExecute(script=REALMS + ASK))
        secure, ways, registered = json.loads(told.value)
    # Each way led to an answer, in a context in which a browser that is not kept from it has them.
    assert secure
    assert ways == dict.fromkeys(WAYS, "undefined")
    assert registered == 0
    assert site.servers.seen["/leaf/anew"] == 1
    assert site.servers.seen["/leaf/service-worker.js"] == 0
    assert not site.sniffer.unexpected
