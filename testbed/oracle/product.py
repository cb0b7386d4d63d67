"""What the product says of the same texts: pages captured as in any request, then judged."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from extractor import Extractor, ExtractorSettings, PageRequest, Snapshot, filter_snapshot
from extractor.request import Delay, Viewport
from extractor.tree import TEXT, Tree, parse
from extractor.visibility import COLLAPSED, HIDDEN, judge
from testbed.oracle.labels import Target, pages_of
from testbed.oracle.pixels import VIEW_HEIGHT

#: Labels of text that is kept though people do not see it; the first that applies counts.
_KEPT_UNSEEN = ("sr_only", "under_overlay")


@dataclass(frozen=True, slots=True)
class Said:
    """The product's answer: a label as in the hand labels, with the reason (hidden) or kind (collapsed).

    The reason is ``absent`` where the snapshot does not have the text at all.
    """

    label: str
    detail: str = ""


async def ask(base_url: str, host: str, targets: Sequence[Target]) -> dict[str, Said]:
    """Capture every page below ``base_url`` (which ``host:port`` serves) and read the verdicts."""
    said: dict[str, Said] = {}
    with tempfile.TemporaryDirectory(prefix="pagefold-oracle-") as folder:
        settings = ExtractorSettings(allow_hosts=(host,), data_dir=Path(folder))
        async with Extractor(settings) as extractor:
            for (file, width), group in pages_of(targets).items():
                viewport = Viewport(width=width, height=VIEW_HEIGHT)
                wait = Delay(delay_ms=group[0].wait_ms) if group[0].wait_ms else "settled"
                request = PageRequest(url=f"{base_url}/{file}", viewport=viewport, wait=wait)
                page = await extractor.extract(request)
                said |= verdicts(page.snapshot, group)
    return said


def verdicts(snapshot: Snapshot, targets: Sequence[Target]) -> dict[str, Said]:
    """The product's answer for each target of one page, by words."""
    tree = parse(snapshot.html)
    judged = judge(tree, collapsed="keep")
    flat = [_flat(text) for text in tree.text]
    said: dict[str, Said] = {}
    for target in targets:
        if target.sought or "comment" in target.reasons:
            said[target.words] = _by_output(snapshot, target)
            continue
        nodes = [n for n in range(len(tree)) if tree.tag[n] == TEXT and target.words in flat[n]]
        # Where a text stands more than once, a reader gets it if any copy is kept.
        answers = [_said(tree, judged.state[n], judged.reason[n], n) for n in nodes]
        answers.sort(key=lambda answer: answer.label == "hidden")
        said[target.words] = answers[0] if answers else Said("hidden", "absent")
    return said


def _said(tree: Tree, state: int, reason: str, node: int) -> Said:
    if state == HIDDEN:
        return Said("hidden", reason)
    if state == COLLAPSED:
        return Said("collapsed", _nearest(tree, node, "data-pf-c"))
    labels = _labels(tree, node)
    return next((Said(label) for label in _KEPT_UNSEEN if label in labels), Said("visible"))


def _labels(tree: Tree, node: int) -> set[str]:
    found: set[str] = set()
    while node >= 0:
        found.update((tree.attrs[node] or {}).get("data-pf-l", "").split())
        node = tree.parent[node]
    return found


def _nearest(tree: Tree, node: int, name: str) -> str:
    while node >= 0:
        attrs = tree.attrs[node] or {}
        if name in attrs:
            return attrs[name]
        node = tree.parent[node]
    return ""


def _by_output(snapshot: Snapshot, target: Target) -> Said:
    """Characters within a text and comments carry no annotation: what counts is what is handed out."""
    page = filter_snapshot(snapshot, format=("html",), budget=0)
    if (target.sought or target.words) in page.content["html"]:
        return Said("visible")
    return Said("hidden", target.reasons[0] if target.reasons else "unicode")


def _flat(text: str) -> str:
    return re.sub(r"\s+", " ", text).strip()
