"""A tab stays open and may open others, and still not a packet of it reaches a host that is not public."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest

from extractor.tabs import Outcome, TabExecute, TabOpen
from testbed import netns
from testbed.hostile.range import range_settings, shooting_range

pytestmark = [pytest.mark.hostile, pytest.mark.timeout(120)]

URLS = [f"http://[{host}]/" if ":" in host else f"http://{host}/" for host in netns.FORBIDDEN]
TRIES = """
for (const url of URLS) {
  fetch(url, {mode: "no-cors"}).catch(() => 0);
  navigator.sendBeacon(url, "x");
  new Image().src = url;
  try { new WebSocket(url.replace("http", "ws")); } catch {}
  document.body.append(Object.assign(document.createElement("iframe"), {src: url}));
  document.head.append(Object.assign(document.createElement("link"), {rel: "preconnect", href: url}));
  const peer = new RTCPeerConnection({iceServers: [{urls: "stun:" + new URL(url).host + ":3478"}]});
  peer.createDataChannel("x");
  peer.createOffer().then((offer) => peer.setLocalDescription(offer));
}
"""
LEAVING = """
const leave = () => {
  for (const url of URLS) {
    navigator.sendBeacon(url, "x");
    fetch(url, {mode: "no-cors", keepalive: true}).catch(() => 0);
  }
};
for (const name of ["beforeunload", "pagehide", "unload"]) addEventListener(name, leave);
"""
SHARED = """
new SharedWorker(URL.createObjectURL(new Blob([`for (const url of ${JSON.stringify(URLS)}) {
  fetch(url, {mode: "no-cors"}).catch(() => 0);
  try { new WebSocket(url.replace("http", "ws")); } catch {}
}`])));
"""


async def test_neither_a_tab_nor_those_that_it_opens_reach_what_is_not_public(
    tmp_path: Path,
) -> None:
    settings = range_settings(tmp_path, tab_popups=4, max_tabs=8)
    async with shooting_range(settings, URLS) as site:
        tabs = site.extractor.tabs
        tab = await tabs.open(TabOpen(url="http://other.test/"))

        async def run(script: str) -> Outcome:
            return await tabs.execute(tab.id, TabExecute(script=script))

        tries = await run((TRIES + LEAVING + SHARED).replace("URLS", json.dumps(URLS)))
        assert tries.wait  # it ran to its end
        places = [*URLS[:2], "http://other.test/seen/tabs", "file:///etc/hostname"]
        opened = await run(f"for (const url of {json.dumps(places)}) window.open(url); 1")
        assert len(opened.new_tabs) >= 3
        gone = await run(f"location.href = {json.dumps(URLS[0])}")
        assert any(text.startswith("refused: ") for text in gone.refused)
        # Of what a page begins as it is closed nothing gets out either.
        await run(LEAVING.replace("URLS", json.dumps(URLS)))
        for each in tabs.list():
            await tabs.close(each.id)
        await asyncio.sleep(0.3)
    assert not site.sniffer.unexpected
    assert not site.servers.hits
    # What is public arrives by the same way.
    assert site.servers.seen["/seen/tabs"] == 1
