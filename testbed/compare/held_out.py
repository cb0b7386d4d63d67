"""Our own filter with, for each page, weights that never saw its site: what cross-validation measures.

``python -m testbed.train --folds DIR`` writes such weights; ``PAGEFOLD_HELD_OUT`` names the folder.
"""

from __future__ import annotations

import json
import os
from functools import partial
from pathlib import Path
from urllib.parse import urlsplit

from extractor.pipeline import judged
from extractor.regions.learned.weights import shipped, weights_at
from testbed.compare.ours import Run, snapshot_of, written
from testbed.compare.source import Form, Missing, Source

VARIABLE = "PAGEFOLD_HELD_OUT"
#: Names the files, and lists the sites that each was not made from.
INDEX = "held-out.json"
#: Second labels under which countries register names.
_SECOND = frozenset({"ac", "co", "com", "edu", "go", "gov", "ne", "net", "or", "org"})


def load() -> Run:
    """The filter.

    Raises:
        Missing: no folder is named, or it holds no weights.
    """
    folder = os.environ.get(VARIABLE)
    if not folder:
        raise Missing(f"needs {VARIABLE}, a folder that python -m testbed.train --folds wrote")
    index = Path(folder) / INDEX
    if not index.is_file():
        raise Missing(f"{VARIABLE}: {index} is no file")
    files = {
        site: index.with_name(name)
        for name, sites in json.loads(index.read_text("utf-8")).items()
        for site in sites
    }
    return partial(_held_out, files)


def _held_out(files: dict[str, Path], source: Source, form: Form, budget: int) -> str:
    file = files.get(site_of(source.url))
    # A site that no fold has was in nothing that was learned from.
    weights = partial(weights_at, file) if file else shipped
    return written(judged(snapshot_of(source), weights=weights), form, budget)


def site_of(url: str | None) -> str:
    """The site of an address, as folds are cut by: what is registered, as far as a host's name tells, so
    that ``one.example.com`` and ``two.example.com`` are of one site.
    """
    labels = (urlsplit(url).hostname or "").split(".") if url else []
    registered = 3 if len(labels) > 2 and labels[-2] in _SECOND and len(labels[-1]) == 2 else 2
    return ".".join(labels[-registered:])
