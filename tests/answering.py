"""A web server of a test's own, in a thread."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import HTTPServer
from typing import TypeVar

Server = TypeVar("Server", bound=HTTPServer)

#: The server looks so often whether it is to end, which is how long its end may take.
_POLL_S = 0.02


@contextmanager
def answering(server: Server) -> Iterator[Server]:
    """``server`` answers until the block ends; then its thread and its port are gone."""
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": _POLL_S})
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
