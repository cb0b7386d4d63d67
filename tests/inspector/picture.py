"""The picture of a told story: its graph in the inspector, with one item open.

``python -m tests.inspector.picture docs/design/trace.png`` tells the story to a service of its own and draws it.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from tempfile import TemporaryDirectory

import httpx2
from playwright.sync_api import expect, sync_playwright

from extractor.browser.discover import find_chromium
from tests.compactor.trace.story import HIGH_RATE, play
from tests.faults.serving import Service, service
from tests.inspector.told import Told

_SIZE = {"width": 1500, "height": 1000}


def draw(running: Service, target: Path, *, open: str) -> None:
    """Tell the story, open an item, and write the part of the view that shows it."""
    with httpx2.Client(base_url=running.url, timeout=60, trust_env=False) as http:
        told = Told(http)
        for _ in play(told, at_80=HIGH_RATE):
            pass
        told.flush()
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=find_chromium(None).path, args=["--no-sandbox"]
        )
        page = browser.new_page(viewport=_SIZE, reduced_motion="reduce")
        page.goto(f"{running.url}/#session")
        page.fill("#session-id", told.id)
        page.locator("#session-form .primary").click()
        page.locator(f'#known-graph .item[data-id="{open}"]').click()
        expect(page.locator("#known-title")).to_contain_text(open)
        page.mouse.move(0, 0)
        # The bar would stand over it.
        page.locator(".top").evaluate("bar => bar.hidden = true")
        page.locator("section:has(> #known-heading)").screenshot(path=target)
        browser.close()


def main() -> None:
    """The command."""
    parser = argparse.ArgumentParser(description="Draw the worked story as the inspector shows it.")
    parser.add_argument("target", type=Path, help="where the PNG goes")
    parser.add_argument("--open", default="h1", help="id of the item to open")
    given = parser.parse_args()
    with TemporaryDirectory() as folder, service(Path(folder), concurrency=1) as running:
        draw(running, given.target, open=given.open)


if __name__ == "__main__":
    main()
