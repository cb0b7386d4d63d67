"""The guide's code runs and prints what the guide says."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

PAGE = Path(__file__).parents[2] / "docs" / "how-to" / "keep-the-cache-warm.md"
_BLOCK = re.compile(r"```python\n(.*?)```\n\nprints `([^`]+)`", re.DOTALL)


def test_every_block_prints_what_the_page_says(capsys: pytest.CaptureFixture[str]) -> None:
    names: dict[str, Any] = {}
    blocks = _BLOCK.findall(PAGE.read_text("utf-8"))
    assert len(blocks) == PAGE.read_text("utf-8").count("```python") == 3
    for code, expected in blocks:
        exec(compile(code, str(PAGE), "exec"), names)
        assert capsys.readouterr().out.strip() == expected
