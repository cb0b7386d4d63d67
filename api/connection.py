"""One client's connection: how slow it may be, how long its headers may be, and what it hears otherwise."""

from __future__ import annotations

import asyncio
import socket
import struct
import sys
from typing import ClassVar

import h11
import structlog
from uvicorn.protocols.http.h11_impl import H11Protocol

from api.errors import problem
from api.middleware import SECURITY_HEADERS
from api.settings import ApiSettings

_log = structlog.get_logger("pagefold.connections")
#: What a slow client must at least take in each stretch of time.
_LEAST_TAKEN_BYTES = 65_536
_DROP = struct.pack("ii", 1, 0)
_REASONS = {400: b"Bad Request", 431: b"Request Header Fields Too Large"}


class Connection(H11Protocol):
    """uvicorn's protocol with clocks: for headers that do not end and for answers that are not taken.

    Use ``connection_class``, which fills in the times.
    """

    header_timeout_s: ClassVar[float]
    slow_client_s: ClassVar[float]
    _header_clock: asyncio.TimerHandle | None = None
    _taking_clock: asyncio.TimerHandle | None = None
    _untaken = 0

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        # So that every byte which the client leaves lying is noticed, not only what is over a mark.
        transport.set_write_buffer_limits(high=0)
        self._header_clock = self.loop.call_later(self.header_timeout_s, self._give_up, "headers")

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop_clocks()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        if self.conn.their_state is not h11.IDLE:
            self._stop_header_clock()
        elif self._header_clock is None and self.conn.trailing_data[0]:
            self._header_clock = self.loop.call_later(
                self.header_timeout_s, self._give_up, "headers"
            )

    def pause_writing(self) -> None:
        super().pause_writing()
        self._untaken = self.transport.get_write_buffer_size()
        self._taking_clock = self.loop.call_later(self.slow_client_s, self._see_progress)

    def resume_writing(self) -> None:
        if self._taking_clock is not None:
            self._taking_clock.cancel()
            self._taking_clock = None
        super().resume_writing()

    def send_400_response(self, msg: str) -> None:
        """Called where the request is not HTTP; the answer is a problem like all others."""
        if self.conn.our_state not in (h11.IDLE, h11.SEND_RESPONSE):
            self.transport.abort()
            return
        error = sys.exc_info()[1]  # uvicorn calls this while it handles the error
        too_long = getattr(error, "error_status_hint", 400) == 431
        answer = problem(
            "headers_too_large" if too_long else "malformed_http",
            "The request line and headers are too long."
            if too_long
            else "This is not a valid HTTP/1.1 request.",
        )
        self._write_and_close(answer.status_code, bytes(answer.body), answer.media_type or "")

    def _write_and_close(self, status: int, body: bytes, media_type: str) -> None:
        headers = [
            ("Content-Type", media_type),
            ("Content-Length", str(len(body))),
            ("Connection", "close"),
            *SECURITY_HEADERS.items(),
        ]
        head = h11.Response(status_code=status, headers=headers, reason=_REASONS.get(status, b""))
        for event in (head, h11.Data(data=body), h11.EndOfMessage()):
            self.transport.write(self.conn.send(event) or b"")
        self.transport.close()

    def _see_progress(self) -> None:
        left = self.transport.get_write_buffer_size()
        if left > self._untaken - _LEAST_TAKEN_BYTES:
            self._give_up("answer")
            return
        self._untaken = left
        self._taking_clock = self.loop.call_later(self.slow_client_s, self._see_progress)

    def _give_up(self, phase: str) -> None:
        _log.info("slow_client", phase=phase)
        client = self.transport.get_extra_info("socket")
        # Else the kernel keeps what was not taken, and goes on to offer it.
        client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _DROP)
        self.transport.abort()

    def _stop_header_clock(self) -> None:
        if self._header_clock is not None:
            self._header_clock.cancel()
            self._header_clock = None

    def _stop_clocks(self) -> None:
        self._stop_header_clock()
        if self._taking_clock is not None:
            self._taking_clock.cancel()
            self._taking_clock = None


def connection_class(settings: ApiSettings) -> type[Connection]:
    """The protocol with the operator's times."""
    times = {
        "header_timeout_s": settings.header_timeout_s,
        "slow_client_s": settings.slow_client_s,
    }
    return type("ConnectionWithTimes", (Connection,), times)
