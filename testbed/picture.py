"""A picture of how a page was judged: its regions outlined over it.

``python -m testbed.picture article docs/design/filter.png`` draws a demo page; an address works as well.
"""

from __future__ import annotations

import argparse
import asyncio
from pathlib import Path
from tempfile import TemporaryDirectory

from playwright.async_api import async_playwright

from api.demo import DemoServer
from extractor import Extractor, PageRequest
from extractor.browser.discover import find_chromium
from extractor.judged import Judged
from extractor.pipeline import judged
from extractor.settings import ExtractorSettings

COLOURS = {
    "main": "#1a7f37", "article": "#1a7f37", "nav": "#0550ae", "header": "#6639ba",
    "footer": "#6639ba", "aside": "#9a6700", "consent": "#cf222e", "dialog": "#cf222e",
    "overlay": "#cf222e", "ad": "#cf222e", "comments": "#0a7d8c", "search": "#0550ae",
}  # fmt: skip
_DRAW = """(boxes) => {
  for (const [x, y, w, h, label, colour] of boxes) {
    const box = document.createElement('div');
    box.style.cssText = `position:absolute;left:${x}px;top:${y}px;width:${w}px;height:${h}px;`
      + `box-sizing:border-box;border:2px solid ${colour};background:${colour}12;z-index:2147483647;`
      + 'pointer-events:none';
    const name = document.createElement('span');
    name.textContent = label;
    name.style.cssText = `position:absolute;right:0;top:0;background:${colour};color:#fff;`
      + 'font:600 12px/18px sans-serif;padding:0 6px';
    box.append(name);
    document.documentElement.append(box);
  }
}"""

Box = tuple[int, int, int, int, str, str]


async def draw(url: str, target: Path, settings: ExtractorSettings) -> list[Box]:
    """Write the picture of a page to ``target``; the boxes that were drawn, in CSS pixels.

    Raises:
        ExtractorError: the page could not be loaded.
    """
    async with Extractor(settings) as extractor:
        page = await extractor.extract(PageRequest(url=url))
    boxes = _boxes(judged(page.snapshot))
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(
            executable_path=find_chromium(None).path, args=["--no-sandbox"]
        )
        try:
            view = await browser.new_page(viewport={"width": 1280, "height": 900})
            await view.goto(url)
            await view.evaluate(_DRAW, boxes)
            await view.screenshot(path=str(target), full_page=True)
        finally:
            await browser.close()
    return boxes


def _boxes(page: Judged) -> list[Box]:
    tree = page.doc.tree
    found: list[Box] = []
    for item in page.regions.items[1:]:
        place = (tree.attrs[item.node] or {}).get("data-pf-box")
        if not place:
            continue
        x, y, width, height = (int(part) for part in place.split(","))
        label = f"{item.role} {item.confidence:.2f}"
        found.append((x, y, width, height, label, COLOURS.get(item.role, "#57606a")))
    return found


def main() -> None:
    """Draw one page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("page", help="name of a demo page, or an address")
    parser.add_argument("target", type=Path, help="PNG to write")
    options = parser.parse_args()
    with DemoServer(0) as site:
        is_url = "://" in options.page
        url = options.page if is_url else f"{site.url}/{options.page}.html"
        hosts = () if is_url else (site.url.partition("://")[2],)
        with TemporaryDirectory() as folder:
            settings = ExtractorSettings(allow_hosts=hosts, data_dir=Path(folder))
            boxes = asyncio.run(draw(url, options.target, settings))
    for box in boxes:
        print(*box, sep="\t")


if __name__ == "__main__":
    main()
