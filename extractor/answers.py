"""What a request meets on its way, for whoever listens in the same task: redirects, and the answer itself."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Answer:
    """The answer that a page's document was read from.

    ``body`` is decoded; ``headers`` are as they were sent, those of the transfer included. With ``text`` the
    body went through a browser, which gives text documents as UTF-8 whatever they were sent in.
    """

    url: str
    status: int
    headers: tuple[tuple[str, str], ...]
    body: bytes
    text: bool = False


Listener = Callable[[Answer], None]
#: Called with an address before a redirect to it is followed; what it raises ends the request.
Follow = Callable[[str], Awaitable[None]]

_listener: ContextVar[Listener | None] = ContextVar("answers", default=None)
_follow: ContextVar[Follow | None] = ContextVar("follow", default=None)


def heard() -> bool:
    """Whether anyone listens, so that nothing is collected in vain."""
    return _listener.get() is not None


def answered(answer: Answer) -> None:
    """Hand over the answer that the document will be read from; of several the last one counts."""
    listener = _listener.get()
    if listener is not None:
        listener(answer)


async def redirected(url: str) -> None:
    """Ask whether a redirect may be followed. Raises what the one who was asked raises."""
    follow = _follow.get()
    if follow is not None:
        await follow(url)


@contextmanager
def hearing(listener: Listener, follow: Follow | None = None) -> Iterator[None]:
    """Hear every answer, and be asked before every redirect of a fetch without a browser."""
    heard_before, followed_before = _listener.set(listener), _follow.set(follow)
    try:
        yield
    finally:
        _listener.reset(heard_before)
        _follow.reset(followed_before)
