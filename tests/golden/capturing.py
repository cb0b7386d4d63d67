"""From a case on disk to its snapshot, by the browser or from bytes alone."""

from __future__ import annotations

import dataclasses
from typing import Any

from extractor.snapshot import Snapshot
from extractor.static import snapshot_from_bytes
from tests.browser.conftest import Loader
from tests.browser.site import Answer, Routes, Site, serve
from tests.golden.cases import OTHER, SITE, Case


async def capture_in_browser(case: Case, loader: Loader) -> Snapshot:
    """Serve the case's files on loopback and load its start page."""
    async with serve({}) as site:
        site.routes.update(_routes(case, site))
        snapshot = await loader.load(site.url(case.start), **case.request)
        return _renamed(snapshot, site)


def capture_static(case: Case) -> Snapshot:
    """The start page from its bytes; nothing else is read."""
    body = (case.folder / "source.html").read_text("utf-8")
    body = body.replace("{{site}}", SITE).replace("{{other}}", OTHER)
    snapshot = snapshot_from_bytes(
        body.encode(), url=SITE + case.start, content_type="text/html; charset=utf-8"
    )
    return _timeless(snapshot)


def _routes(case: Case, site: Site) -> Routes:
    names = {"{{site}}": site.url(""), "{{other}}": site.url("", "localhost")}

    def filled(text: str) -> str:
        for name, address in names.items():
            text = text.replace(name, address)
        return text

    routes: Routes = {}
    for path, said in case.routes.items():
        route: dict[str, Any] = {"file": said} if isinstance(said, str) else said
        body = (case.folder / route["file"]).read_text("utf-8") if "file" in route else ""
        headers = {name: filled(text) for name, text in route.get("headers", {}).items()}
        routes[path] = Answer(filled(body), route.get("status", 200), headers)
    return routes


def _renamed(snapshot: Snapshot, site: Site) -> Snapshot:
    """The snapshot as if its site had a name: ports differ from run to run."""
    data = snapshot.to_bytes()
    for host, name in (("127.0.0.1", SITE), ("localhost", OTHER)):
        data = data.replace(site.url("", host).encode(), name.encode())
    return _timeless(Snapshot.from_bytes(data))


def _timeless(snapshot: Snapshot) -> Snapshot:
    meta = dataclasses.replace(
        snapshot.meta, captured_at="2001-02-03T04:05:06+00:00", timings_ms={}
    )
    return dataclasses.replace(snapshot, meta=meta)
