"""Running the service until it is told to stop."""

from __future__ import annotations

import signal
from contextlib import ExitStack
from types import FrameType
from typing import NoReturn

import uvicorn

from api.app import create_app
from api.demo import DemoServer
from api.logs import configure_logs
from api.settings import ApiSettings


def serve(settings: ApiSettings, *, demo: bool) -> None:
    """Serve until SIGINT or SIGTERM; running requests get ``shutdown_grace_s`` to end.

    Raises:
        OSError: the demo site's port is taken.
        SystemExit: the service's own port is taken, or a signal ended it (code 0).
    """
    configure_logs(settings.log_format, texts=settings.log_texts)
    # uvicorn stops gracefully, then raises the signal again for whoever listened before.
    signal.signal(signal.SIGTERM, _stopped)
    signal.signal(signal.SIGINT, _stopped)
    with ExitStack() as stack:
        if demo:
            settings = settings.with_demo()
            stack.enter_context(DemoServer(settings.demo_port))
        uvicorn.run(
            create_app(settings),
            host=settings.host,
            port=settings.port,
            log_config=None,
            server_header=False,
            timeout_graceful_shutdown=settings.shutdown_grace_s,
        )


def greeting(settings: ApiSettings, *, demo: bool) -> str:
    """What the terminal says at start: where the service is, and a line to try."""
    base = f"http://{settings.host}:{settings.port}"
    lines = [f"Pagefold answers on {base}"]
    if demo:
        site = f"http://127.0.0.1:{settings.demo_port}"
        lines += [f"Demo pages are on  {site}/", "", "Try it:"]
        lines.append(f"  curl '{base}/read?url={site}/article'")
    else:
        lines += ["", "Try it:", f"  curl '{base}/read?url=https://example.org/'"]
    return "\n".join(lines)


def _stopped(number: int, frame: FrameType | None) -> NoReturn:
    raise SystemExit(0)
