"""Write all that is generated: reference pages, and the client for code that waits.

With ``--check`` only say which are out of date.
"""

from __future__ import annotations

import sys
from pathlib import Path

from api.reference.openapi import NAME, openapi_text
from api.reference.pages import DOCUMENTS
from api.reference.waiting import waiting_modules

FOLDER = Path(__file__).parents[2] / "docs" / "reference"


def main(arguments: list[str]) -> int:
    """0 if all pages are as the code says, or have been written so; 1 if not."""
    stale = []
    texts = {FOLDER / f"{name}.md": make() for name, make in DOCUMENTS.items()}
    texts |= {FOLDER / NAME: openapi_text(), **waiting_modules()}
    for path, text in texts.items():
        if not path.is_file() or path.read_text("utf-8") != text:
            stale.append(path)
            if "--check" not in arguments:
                path.write_text(text, "utf-8")
    for path in stale:
        print(path)
    return int(bool(stale) and "--check" in arguments)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
