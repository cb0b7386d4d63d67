"""What happens on a page that stays open: as while a page loads, but counted from one step to the next."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any, Literal

from playwright.async_api import CDPSession, Dialog, Download, Page

from extractor.browser.document import Caps, NotHtml, Refused
from extractor.browser.tally import Tally
from extractor.browser.watch import Watch
from extractor.errors import ExtractorError, PageCrashed
from extractor.tabs.results import Dialog as Answered

_MOST_DIALOGS = 50
_MOST_REFUSED = 50
_MESSAGE_CHARS = 1_000


class TabWatch(Watch):
    """A watch whose caps hold for one step, and that says what became of it.

    ``dialogs`` and ``refused`` are those that nobody was told of yet. ``leaving`` says that another document
    was asked for.
    Once the first page is there, an answer that is no page is no end. A page that opens more than
    ``most_windows`` in one step is stopped.
    """

    def __init__(
        self,
        page: Page,
        session: CDPSession,
        caps: Caps,
        cut_connections: Callable[[], Awaitable[None]],
    ) -> None:
        super().__init__(page, session, caps, cut_connections)
        self.dialogs: list[Answered] = []
        self.refused: list[str] = []
        self.leaving = False
        self.opened = False
        self.most_windows = 0
        self._answer: Literal["dismiss", "accept"] = "dismiss"
        self._prompt_text = ""

    async def start(self) -> None:
        """As of a watch."""
        await super().start()
        self.session.on("Page.frameRequestedNavigation", self._on_requested)
        self.page.on(
            "filechooser", lambda _chooser: self.refuse("a file was asked for: none is given")
        )

    def answer(
        self, answer: Literal["dismiss", "accept"] = "dismiss", prompt_text: str = ""
    ) -> None:
        """Dialogs get this answer from now on."""
        self._answer, self._prompt_text = answer, prompt_text

    def told(self) -> tuple[tuple[Answered, ...], tuple[str, ...]]:
        """Dialogs and what was refused since the last time this was asked, calls or none."""
        found = tuple(self.dialogs), tuple(self.refused)
        self.dialogs, self.refused = [], []
        return found

    def renew(self) -> None:
        """Begin to count anew. A page that was stopped stays so."""
        self._requests = self._bytes = self.navigations = 0
        self._fetched.clear()
        self._tally = Tally()
        self.measure()

    def measure(self) -> None:
        """Look again at how far the page grows, after a reading; does nothing when its end has come."""
        if self._fatal.done():
            return
        if self._measuring is None or self._measuring.done():
            self._measuring = self.spawn(self._measure())

    def refuse(self, text: str) -> None:
        """Note what was refused; the same is noted once, and of many things the first."""
        if text not in self.refused and len(self.refused) < _MOST_REFUSED:
            self.refused.append(text)

    async def end(self, reason: Exception) -> None:
        """Stop to watch; whoever still waits for the page is told why."""
        if not self._fatal.done():
            self._fatal.set_exception(reason)
        await self.stop()

    @property
    def failure(self) -> BaseException | None:
        """Why the page is at its end, if it is."""
        ended = self._fatal.done() and not self._fatal.cancelled()
        return self._fatal.exception() if ended else None

    def _fail(self, error: Exception) -> None:
        if not self.opened or isinstance(error, PageCrashed):
            super()._fail(error)
            return
        self.leaving = False
        if isinstance(error, NotHtml):
            self.refuse(f"no page: {error.content_type or 'unknown media type'}")
        elif isinstance(error, Refused):
            self.refuse(f"refused: {error}")
        elif isinstance(error, ExtractorError):
            self.refuse(f"{error.code}: {error.message}")

    def _cut(self, reason: str) -> None:
        if not self.cut:
            self.refuse(f"the page was stopped: it went past {reason}")
        super()._cut(reason)

    def _on_window(self, event: dict[str, Any]) -> None:
        # The script that opens one after the other is ended, or it would open hundreds in one go.
        if self._tally.add("popup", "") > self.most_windows:
            self._cut("tab_popups")

    def _on_download(self, download: Download) -> None:
        self.refuse(f"a download was refused: {download.url[:_MESSAGE_CHARS]}")
        super()._on_download(download)

    def _on_dialog(self, dialog: Dialog) -> None:
        if self._tally.add("dialog", f"{dialog.type}: {dialog.message}") > self.caps.dialogs:
            self._cut("max_dialogs")
        accept = self._answer == "accept" and not self.cut
        if len(self.dialogs) < _MOST_DIALOGS:
            said = dialog.message[:_MESSAGE_CHARS]
            self.dialogs.append(Answered(dialog.type, said, "accepted" if accept else "dismissed"))
        if accept:
            text = self._prompt_text if dialog.type == "prompt" else None
            self.spawn(dialog.accept(text) if text is not None else dialog.accept())
        else:
            self.spawn(dialog.dismiss())

    def _on_requested(self, event: dict[str, Any]) -> None:
        if event.get("frameId") == self.main_frame and event.get("disposition") == "currentTab":
            self.leaving = True

    def _on_document(self, event: dict[str, Any], url: str) -> None:
        self.leaving = True
        super()._on_document(event, url)

    def _on_response(self, event: dict[str, Any]) -> None:
        asked = self.document
        super()._on_response(event)
        if self.document is not asked:  # the one that is shown stays
            self.leaving = False
            self.refuse(f"a download was refused: {asked.url[:_MESSAGE_CHARS]}")

    def _on_failed(self, event: dict[str, Any]) -> None:
        super()._on_failed(event)
        if event["requestId"] == self.document.request_id:
            self.leaving = False

    def _on_navigated(self, event: dict[str, Any]) -> None:
        super()._on_navigated(event)
        if event["frame"]["id"] == self.main_frame:
            self.leaving = False
