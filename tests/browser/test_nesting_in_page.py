"""Whatever a script builds, no text is lost or moved on its way through the capture string."""

from __future__ import annotations

import json
import random
import re

import pytest

from extractor.browser.frames import FrameLimits, read_frames
from extractor.browser.script import CaptureLimits
from extractor.compose import compose
from extractor.nesting import normalise
from extractor.serialise import serialise
from extractor.tree import TEXT, Tree, parse
from tests.browser.conftest import Loader

TAGS = [
    "div",
    "span",
    "p",
    "a",
    "b",
    "i",
    "ul",
    "ol",
    "li",
    "dl",
    "dt",
    "dd",
    "table",
    "thead",
    "tbody",
    "tr",
    "td",
    "th",
    "caption",
    "select",
    "option",
    "button",
    "form",
    "h1",
    "h2",
    "pre",
    "section",
    "details",
    "summary",
    "ruby",
    "rt",
    "br",
    "hr",
    "body",
    "html",
    "head",
    "nobr",
    "object",
    "label",
    "font",
    "fieldset",
    "legend",
    "listing",
    "xmp",
    "image",
    "menu",
    "blockquote",
    "figure",
    "em",
    "code",
    "strong",
    "x-card",
    "x-slotted",
    "optgroup",
]

BUILD = """(spec) => {
  const build = (item) => {
    if (typeof item === 'string') return document.createTextNode(item);
    const e = document.createElement(item[0]);
    for (const child of item[1]) e.appendChild(build(child));
    return e;
  };
  document.body.replaceChildren(...spec.map(build));
}"""

#: No reader of ours: text in tree order, in the main world, less what never shows.
TEXT_IN_ORDER = """() => {
  const out = [];
  const walk = (node) => {
    if (node.nodeType === 3) { out.push(node.data); return; }
    if (node.nodeName === 'TEXTAREA') { out.push(node.value); return; }
    if (node.nodeName === 'INPUT') return;
    node.childNodes.forEach(walk);
  };
  walk(document.body);
  return out.join('');
}"""


def _random_spec(source: random.Random, depth: int = 0) -> list[object]:
    spec: list[object] = []
    for _ in range(source.randint(1, 4)):
        if depth > 6 or source.random() < 0.4:
            spec.append(source.choice(["word ", "\n", "\nlead", "a & b <i> ", "tail", "好"]))
        else:
            spec.append([source.choice(TAGS), _random_spec(source, depth + 1)])
    return spec


def _squeezed(text: str) -> str:
    return re.sub(r"\s+", "", text)


def _words(tree: Tree) -> str:
    return _squeezed("".join(t for t, tag in zip(tree.text, tree.tag, strict=True) if tag == TEXT))


@pytest.mark.parametrize("seed", range(4))
async def test_random_trees_keep_their_text_in_order(loader: Loader, seed: int) -> None:
    source = random.Random(seed)
    page = await loader.browser.new_page()
    session = await page.context.new_cdp_session(page)
    style = "* { display: block !important; visibility: visible !important; overflow: visible !important }"
    await page.set_content("<body></body>")
    await page.add_style_tag(content=style)
    for _ in range(40):
        spec = _random_spec(source)
        await page.evaluate(BUILD, spec)
        expected = _squeezed(await page.evaluate(TEXT_IN_ORDER))
        documents = await read_frames(
            page, session, FrameLimits(CaptureLimits(10_000, 1_000, 10_000_000)), 1e9
        )
        assert _words(parse(documents.main)) == expected, json.dumps(spec)
        composed = compose(documents.main, documents.frames)
        assert _words(parse(composed.html)) == expected, json.dumps(spec)
        assert serialise(normalise(parse(composed.html))) == composed.html
