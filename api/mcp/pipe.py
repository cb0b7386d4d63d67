"""The client's end of the pipe: its lines, and the signals that end the process."""

from __future__ import annotations

import asyncio
import os
import signal
import threading
from collections.abc import AsyncIterator, Coroutine
from concurrent.futures import CancelledError
from contextlib import suppress

_INPUT = 0
_READ_BYTES = 65_536
_ENDING = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)


async def input_lines() -> AsyncIterator[str]:
    """Lines of standard input as they come; who else reads it finds it empty.

    A thread reads them that nobody waits for: a read that has begun cannot be called off, and would keep
    the process until the client says something more.
    """
    lines: asyncio.Queue[bytes | None] = asyncio.Queue(1)
    loop = asyncio.get_running_loop()

    def hand_over(line: bytes | None) -> None:
        asyncio.run_coroutine_threadsafe(lines.put(line), loop).result()

    def read(source: int) -> None:
        begun = b""
        # Both mean that nobody listens any more.
        with suppress(RuntimeError, CancelledError):
            while part := os.read(source, _READ_BYTES):
                *whole, begun = (begun + part).split(b"\n")
                for line in whole:
                    hand_over(line)
            hand_over(begun)
            hand_over(None)

    threading.Thread(target=read, args=(_taken_input(),), name="input", daemon=True).start()
    while (line := await lines.get()) is not None:
        if line.strip():
            yield line.decode("utf-8", "replace")


def _taken_input() -> int:
    """A descriptor of standard input for us alone; programs that we start get an empty one."""
    taken = os.dup(_INPUT)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, _INPUT)
    os.close(nothing)
    return taken


async def until_told_to_end(work: Coroutine[None, None, None]) -> None:
    """Do ``work`` until it is done or a signal ends it; a second signal ends the process at once."""
    loop, task = asyncio.get_running_loop(), asyncio.ensure_future(work)

    def end() -> None:
        for number in _ENDING:
            loop.remove_signal_handler(number)
        task.cancel()

    for number in _ENDING:
        loop.add_signal_handler(number, end)
    await asyncio.wait((task,))
    if not task.cancelled():
        task.result()
