"""Running the service until it is told to stop."""

from __future__ import annotations

import logging
import signal
import socket
import sys
from collections.abc import Callable
from contextlib import ExitStack
from types import FrameType
from typing import NoReturn, cast

import uvicorn
from fastapi import FastAPI

from api.app import create_app
from api.connection import connection_class
from api.demo import DemoServer
from api.drain import Drain
from api.logs import configure_logs
from api.settings import ApiSettings
from extractor.browser.launch import check_environment
from extractor.errors import ExtractorError

#: For connections that are still being written to when all requests are answered.
_CLOSE_S = 2
#: How long a thread that parses may keep others from running. An answer takes about ten turns, so the
#: interpreter's own 5 ms would make each of them 50 ms late while a large page is parsed.
_SWITCH_S = 0.0005


class DrainingServer(uvicorn.Server):
    """Told to stop, it goes on to listen and refuses new requests until the running ones have ended.

    Attributes:
        announce: called with the port as soon as connections are taken.
    """

    def __init__(self, config: uvicorn.Config, drain: Drain) -> None:
        super().__init__(config)
        self._drain = drain
        self.announce: Callable[[int], None] | None = None

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Begin to take connections."""
        await super().startup(sockets)
        if self.announce is not None and self.started:
            self.announce(self.servers[0].sockets[0].getsockname()[1])

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Of SIGTERM and SIGINT. A second SIGINT ends it at once."""
        self._drain.begin()
        super().handle_exit(sig, frame)

    async def on_tick(self, counter: int) -> bool:
        """Whether to close; asked ten times a second."""
        if not await super().on_tick(counter):
            return False
        self._drain.begin()
        return self.force_exit or self._drain.finished()


def serve(settings: ApiSettings, *, demo: bool) -> None:
    """Serve until SIGINT or SIGTERM; running requests get ``shutdown_grace_s`` to end.

    Raises:
        OSError: the demo site's port is taken, or the data folder cannot be made.
        ExtractorError: no browser can be had, or it gets past the egress proxy.
        SystemExit: the service's own port is taken, or a signal ended it (code 0).
    """
    configure_logs(settings.log_format, texts=settings.log_texts)
    check_environment()
    sys.setswitchinterval(_SWITCH_S)
    # Each request has a line of ours, which names no page.
    logging.getLogger("uvicorn.access").disabled = True
    # uvicorn stops gracefully, then raises the signal again for whoever listened before.
    signal.signal(signal.SIGTERM, _stopped)
    signal.signal(signal.SIGINT, _stopped)
    with ExitStack() as stack:
        if demo:
            settings = settings.with_demo()
            stack.enter_context(DemoServer(settings.demo_port))
        app = create_app(settings)
        server = server_of(app, settings)
        server.announce = lambda port: print(
            greeting(settings.model_copy(update={"port": port}), demo=demo),
            file=sys.stderr,
            flush=True,
        )
        try:
            server.run()
        except SystemExit:
            # Set only when the start failed; the end by a signal comes this way too.
            if isinstance(error := getattr(app.state, "start_error", None), ExtractorError):
                raise error from None
            raise


def server_of(app: FastAPI, settings: ApiSettings) -> DrainingServer:
    """A server for the application, with its limits on connections."""
    config = uvicorn.Config(
        app,
        host=settings.host,
        port=settings.port,
        # The parser that bounds what it keeps of a request's head.
        http=connection_class(settings),
        h11_max_incomplete_event_size=settings.max_header_bytes,
        ws="none",
        log_config=None,
        access_log=False,
        server_header=False,
        timeout_keep_alive=settings.keep_alive_s,
        timeout_graceful_shutdown=_CLOSE_S,
    )
    return DrainingServer(config, cast(Drain, app.state.drain))


def greeting(settings: ApiSettings, *, demo: bool) -> str:
    """What the terminal says once requests are answered: where, and a line to try."""
    base = f"http://{settings.host}:{settings.port}"
    lines = [f"Pagefold answers on {base}"]
    if demo:
        site = f"http://127.0.0.1:{settings.demo_port}"
        lines += [f"Demo pages are on  {site}/", "", "Try it:"]
        lines.append(f"  curl '{base}/read?url={site}/article'")
    else:
        lines += ["", "Try it:", f"  curl '{base}/read?url=https://example.org/'"]
    if settings.asks_for_keys:
        lines.append("Calls from elsewhere need a key: pagefold keys create TENANT")
    return "\n".join(lines)


def _stopped(number: int, frame: FrameType | None) -> NoReturn:
    raise SystemExit(0)
