"""The parts of the page scripts share one scope, so no two may declare the same name."""

from __future__ import annotations

import re
from collections import Counter
from importlib.resources import files

_DECLARED = re.compile(r"^(?:async )?(?:const|let|class|function\*?) +([\w$]+)", re.M)
#: These two are scripts of their own.
_ALONE = frozenset({"ready.js", "settle.js"})


def test_no_part_declares_a_name_of_another() -> None:
    folder = files("extractor").joinpath("js")
    parts = [file for file in folder.iterdir() if file.name.endswith(".js")]
    shared = [part.read_text("utf-8") for part in parts if part.name not in _ALONE]
    names = Counter(name for text in shared for name in _DECLARED.findall(text))
    assert len(shared) > 10
    assert [name for name, count in names.items() if count > 1] == []
