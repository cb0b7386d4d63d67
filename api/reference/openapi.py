"""The OpenAPI document as a file, for those who generate clients or compare versions."""

from __future__ import annotations

import json
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from api.app import create_app
from api.settings import ApiSettings

NAME = "openapi.json"


def openapi_text() -> str:
    """What the service answers at ``/openapi.json``, one value a line."""
    with TemporaryDirectory() as folder:
        app = create_app(ApiSettings(data_dir=Path(folder), database_url=None, archive_url=None))
        return written(app.openapi())


def written(document: dict[str, Any]) -> str:
    """The document as the file holds it."""
    return f"{json.dumps(document, ensure_ascii=False, indent=1)}\n"
