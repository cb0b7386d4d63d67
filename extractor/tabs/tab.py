"""One tab as it lives: its page, what watches it, and what the last scan saw."""

from __future__ import annotations

import asyncio
import contextlib
import secrets
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from typing import Any

from playwright.async_api import CDPSession, Error, Page

from extractor.browser.capture import because
from extractor.browser.document import NotHtml, Refused
from extractor.browser.navigate import Egress, failure_of, refusal_of
from extractor.browser.script import WORLD, changes_source, ready_source
from extractor.browser.world import ContextLost, World
from extractor.errors import PageCrashed, PageUnresponsive, UnsupportedMedia
from extractor.settings import ExtractorSettings
from extractor.tabs.differing import Seen
from extractor.tabs.results import Control, Tab
from extractor.tabs.watching import TabWatch
from extractor.tabs.window import Window

_TERMINATE_S = 1.0
#: So long a script may hold the page before a call ends it; half the call's time at most.
_PATIENCE_S = 4.0
_TITLE_CHARS = 300
_URL_CHARS = 4_000


@dataclass(slots=True, eq=False)
class LiveTab:
    """A page that is open. ``lock`` lets one step at a time have it; times are in the event loop's.

    ``lands`` are the documents that refs stand in, and ``remote`` the sessions of frames in other processes,
    by their ids. ``announced``: whoever opened it was told. ``scripted``: a caller's script ran in it.
    """

    page: Page
    session: CDPSession
    watch: TabWatch
    window: Window
    opener: str = ""
    id: str = field(default_factory=lambda: f"t_{secrets.token_hex(8)}")
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    opened_at: float = field(default_factory=lambda: _now())
    used_at: float = field(default_factory=lambda: _now())
    title: str = ""
    asked: str = ""
    next_ref: int = 1
    seen: Seen | None = None
    controls: dict[str, Control] = field(default_factory=dict)
    lands: dict[str, Any] = field(default_factory=dict)
    remote: dict[str, CDPSession] = field(default_factory=dict)
    announced: bool = False
    scripted: bool = False

    @property
    def tenant(self) -> str:
        """Whose it is."""
        return self.window.tenant

    @property
    def url(self) -> str:
        """Where it is; a long address, such as one that holds its document, is cut."""
        url = self.page.url
        return url if len(url) <= _URL_CHARS else f"{url[:_URL_CHARS]}…"

    async def prepare(self) -> None:
        """Begin to watch, and have the project's scripts in every document to come."""
        sources = (ready_source(), changes_source())
        await asyncio.gather(
            self.watch.start(),
            *(
                self.session.send(
                    "Page.addScriptToEvaluateOnNewDocument", {"source": source, "worldName": WORLD}
                )
                for source in sources
            ),
        )

    async def world(self, deadline: float) -> World:
        """The project's world in the document that is there now."""
        return await self.watch.primer.world(self.watch.main_frame, deadline)

    async def awake(self, deadline: float) -> None:
        """Have the page answer: a script that holds it for long is ended, which the next step tells."""
        left = deadline - _now()
        try:
            async with asyncio.timeout(min(_PATIENCE_S, left / 2)):
                await (await self.world(deadline)).value("1")
        except (TimeoutError, PageUnresponsive):
            await self._terminate()
            self.watch.refuse("a script that held the page was ended")
        except (Error, ContextLost):
            self.watch.primer.forget()  # it goes elsewhere just now

    async def meanwhile(self, deadline: float) -> tuple[str, ...]:
        """Texts that came and went while no call ran; they are told once."""
        with contextlib.suppress(ContextLost, PageUnresponsive):
            world = await self.world(deadline)
            found = await world.value("globalThis.__pagefoldChanges?.meanwhile()")
            return tuple(map(plain, found)) if isinstance(found, list) else ()
        return ()

    async def rest(self, deadline: float) -> None:
        """What the page said until now is no news."""
        with contextlib.suppress(ContextLost, PageUnresponsive):
            await (await self.world(deadline)).value("globalThis.__pagefoldChanges?.rest()")

    async def note_title(self) -> None:
        """Keep the title for lists, which ask no page anything."""
        with contextlib.suppress(Error, TimeoutError):
            async with asyncio.timeout(_TERMINATE_S):
                found = await self.session.send("Target.getTargetInfo")
                self.title = str(found["targetInfo"].get("title", ""))[:_TITLE_CHARS]

    def described(self, settings: ExtractorSettings) -> Tab:
        """As callers see it."""
        now = _now()
        left = min(
            self.used_at + settings.tab_idle_s - now, self.opened_at + settings.tab_life_s - now
        )
        return Tab(
            id=self.id,
            url=self.url,
            title=self.title,
            opener=self.opener,
            age_s=round(now - self.opened_at, 1),
            idle_s=round(now - self.used_at, 1),
            expires_in_s=round(max(0.0, left), 1),
        )

    def over(self, settings: ExtractorSettings) -> bool:
        """Whether it has been open for as long as any tab may be, in use or not."""
        return _now() - self.opened_at >= settings.tab_life_s

    def expired(self, settings: ExtractorSettings) -> str:
        """The setting by which its time is over, or empty; a tab in use has not."""
        now = _now()
        if self.lock.locked():
            return ""
        if self.over(settings):
            return "tab_life_s"
        return "tab_idle_s" if now - self.used_at >= settings.tab_idle_s else ""

    @contextlib.asynccontextmanager
    async def typed(self, proxy: Egress, deadline: float) -> AsyncIterator[None]:
        """What fails inside raises one of our errors; what does not end by the deadline is ended."""
        try:
            async with asyncio.timeout_at(deadline):
                yield
        except TimeoutError as error:
            await self._terminate()
            raise PageUnresponsive("the page did not answer before the deadline") from error
        except Refused as refusal:
            raise refusal_of(str(refusal), self.watch, proxy.record(self.window.key)) from refusal
        except NotHtml as other:
            raise UnsupportedMedia(
                f"a tab shows HTML pages, and this is {other.content_type or 'none'}: read it as a page"
            ) from other
        except ContextLost as lost:
            raise PageUnresponsive("the page went to another document meanwhile") from lost
        except PageCrashed as crash:
            raise because(crash, self.window.crash_cause) from crash
        except Error as error:
            failure = failure_of(error, self.watch, proxy.record(self.window.key))
            cause = self.window.crash_cause if isinstance(failure, PageCrashed) else ""
            raise because(failure, cause) from error

    async def close(self, reason: Exception) -> None:
        """End its page; whoever still uses it is told why. The window is its owner's."""
        await self.watch.end(reason)
        with contextlib.suppress(Exception):
            async with asyncio.timeout(_TERMINATE_S):
                await self.page.close()

    async def _terminate(self) -> None:
        """Free the page of a script that holds it."""
        with contextlib.suppress(Error, TimeoutError):
            async with asyncio.timeout(_TERMINATE_S):
                await self.session.send("Runtime.terminateExecution")


def _now() -> float:
    return asyncio.get_running_loop().time()


def plain(value: Any) -> str:
    """Text from a page's world, where it may be anything."""
    return value if isinstance(value, str) else ""
