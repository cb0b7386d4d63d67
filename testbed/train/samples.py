"""A page ready to be learned from: its blocks, what is known of them, and how much of each is gold."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass

import numpy as np

from extractor.pipeline import judged
from extractor.regions.features import measure
from extractor.regions.learned.arrays import Floats
from extractor.regions.learned.measured import Measured, measured
from extractor.static import snapshot_from_bytes
from extractor.units import visible_chars
from testbed.compare.held_out import site_of
from testbed.compare.pages import GoldPage
from testbed.train.labels import Overlap, labels, words_of


@dataclass(frozen=True, slots=True)
class Sample:
    """A page of ``site``; ``label`` and ``size`` have one entry a block: the share that is in the gold,
    and its number of words.
    """

    id: str
    site: str
    kind: str
    measured: Measured
    label: Floats
    size: Floats
    overlap: Overlap


def samples(
    pages: Sequence[GoldPage], *, jobs: int = 1, done: Callable[[], None] = lambda: None
) -> Iterator[Sample]:
    """Every page that has gold text and at least one block, in the order given."""
    if jobs == 1:
        found: Iterator[Sample | None] = map(sample_of, pages)
        yield from _counted(found, done)
        return
    with ProcessPoolExecutor(jobs) as pool:
        yield from _counted(pool.map(sample_of, pages, chunksize=4), done)


def _counted(found: Iterator[Sample | None], done: Callable[[], None]) -> Iterator[Sample]:
    for each in found:
        done()
        if each is not None:
            yield each


def sample_of(page: GoldPage) -> Sample | None:
    """One page through the stages before the model; ``None`` where there is nothing to learn from."""
    if page.gold.text is None:
        return None
    url = page.url or "https://page.invalid/"
    snapshot = snapshot_from_bytes(page.body, url=url, content_type="text/html")
    stage = judged(snapshot, weights=None)
    tree = stage.doc.tree
    features = measure(tree, visible_chars(tree, stage.verdicts.state))
    meta = snapshot.meta
    found = measured(tree, features, stage.regions, url=meta.final_url, json_ld=meta.json_ld)
    if not len(found.blocks):
        return None
    texts = [""] * len(found.blocks)
    for node, block in zip(found.blocks.texts.tolist(), found.blocks.of.tolist(), strict=True):
        texts[block] += tree.text[node]
    said = [words_of(text) for text in texts]
    gold = words_of(page.gold.text)
    return Sample(
        id=page.id,
        site=site_of(page.url) or page.id,
        kind=page.kind,
        measured=found,
        label=labels(said, gold),
        size=np.asarray([len(words) for words in said], dtype=np.float32),
        overlap=Overlap.of(said, gold),
    )
