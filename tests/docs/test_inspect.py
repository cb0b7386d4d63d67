"""The guide to the inspector: its commands print what it says, and it names what is there."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from api.settings import ApiSettings
from tests.faults.serving import service

ROOT = Path(__file__).parents[2]
GUIDE = (ROOT / "docs" / "how-to" / "inspect.md").read_text("utf-8")
INDEX = (ROOT / "api" / "inspector" / "index.html").read_text("utf-8")


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", GUIDE, re.MULTILINE | re.DOTALL)


def test_commands_print_what_the_guide_says(tmp_path: Path) -> None:
    for program in ("sh", "curl", "jq"):
        if shutil.which(program) is None:
            pytest.skip(f"{program} is not installed")
    with service(tmp_path, demo=True, concurrency=1) as running:
        for script, expected in zip(blocks("sh"), blocks("json"), strict=True):
            own = script.replace("127.0.0.1:8000", f"127.0.0.1:{running.port}")
            own = own.replace("127.0.0.1:8001", f"127.0.0.1:{running.demo_port}")
            done = subprocess.run(["sh", "-ec", own], capture_output=True, text=True, timeout=60)
            assert done.returncode == 0, done
            assert done.stdout == expected


def test_what_the_guide_names_exists() -> None:
    for name in (
        "Read page",
        "Budget",
        "Question",
        "Archive",
        "Validate",
        "Compact",
        "What it knows, and why",
        "Cancel",
        "API key",
    ):
        assert f"**{name}**" in GUIDE
        assert name in INDEX
    names = set(re.findall(r"`PAGEFOLD_(\w+)", GUIDE))
    assert names <= {name.upper() for name in ApiSettings.model_fields}
    assert (ROOT / "docs" / "design" / "inspector.png").is_file()
