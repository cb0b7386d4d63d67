"""Every recorded failure case of other compactors has a test of its own, named by its id."""

from __future__ import annotations

import re
from pathlib import Path

from tests.compactor.histories import cases

_NAMED = re.compile(r"^def test_(f\d+)_\w+\(", re.MULTILINE)


def test_every_case_has_one_test() -> None:
    named = [
        name.upper()
        for path in sorted(Path(__file__).parent.glob("test_case_*.py"))
        for name in _NAMED.findall(path.read_text(encoding="utf-8"))
    ]
    assert sorted(named) == sorted(cases())
