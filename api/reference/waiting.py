"""The Python client for code that waits, made from the one that is awaited: they cannot differ."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

CLIENT = Path(__file__).parents[1] / "client"
AWAITED, WAITING = CLIENT / "awaiting", CLIENT / "blocking"
_RULES = (
    (r"\b(async|await) ", ""),
    (r"\bAsync(?=[A-Z])", ""),
    (r"\b(__)a(enter|exit)(__)", r"\1\2\3"),
    (r"\ba(?=(close|read|iter_lines)\()", ""),
    (r"\banyio\b", "time"),
    (r"\bapi\.client\.awaiting\b", "api.client.blocking"),
)
_HEAD = "# Made from its namesake in ../awaiting: python -m api.reference\n"


def waiting_modules() -> dict[Path, str]:
    """Path and text of each module; needs ruff, as the checks do."""
    return {WAITING / path.name: _waiting(path) for path in sorted(AWAITED.glob("*.py"))}


def _waiting(path: Path) -> str:
    text = path.read_text("utf-8")
    for pattern, instead in _RULES:
        text = re.sub(pattern, instead, text)
    for command in (("check", "--select", "I", "--fix-only", "--quiet"), ("format", "--quiet")):
        ruff = [sys.executable, "-m", "ruff", *command, "--stdin-filename", str(path), "-"]
        done = subprocess.run(ruff, input=text, capture_output=True, text=True, check=True)
        text = done.stdout
    return _HEAD + text
