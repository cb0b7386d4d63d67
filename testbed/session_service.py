"""The session routes alone, without a browser: ``python -m testbed.session_service FOLDER URL PORT``."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any, NoReturn

import uvicorn
from fastapi import FastAPI, Request
from obstore.store import LocalStore

from api.errors import install
from api.session_pool import SessionDeps
from api.sessions import router
from compactor import ObjectArchive, SqlStore


def build(folder: Path, database: str) -> FastAPI:
    """An app with the session routes, rows in ``database`` and originals under ``folder``."""
    app = FastAPI()
    install(app)
    objects = LocalStore(prefix=str(folder / "archive"), mkdir=True)
    app.include_router(
        router(SessionDeps(SqlStore(database), ObjectArchive(objects), fetch_page=_no_page))
    )
    return app


async def _no_page(fields: dict[str, Any], request: Request) -> NoReturn:
    raise NotImplementedError("this service has no browser")


if __name__ == "__main__":
    uvicorn.run(
        build(Path(sys.argv[1]), sys.argv[2]),
        host="127.0.0.1",
        port=int(sys.argv[3]),
        log_level="warning",
    )
