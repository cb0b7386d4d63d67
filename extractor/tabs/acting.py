"""Actions on what the last scan listed: with the browser's own mouse and keyboard, as a person's are."""

from __future__ import annotations

import asyncio
import json
from typing import Any

from playwright.async_api import Error

from extractor.browser.world import ContextLost
from extractor.errors import InvalidRequest
from extractor.tabs.errors import NotActionable, StaleRef
from extractor.tabs.lands import Land, home
from extractor.tabs.requests import TabAct
from extractor.tabs.tab import LiveTab

#: Something that moves or is covered gets so many looks.
_LOOKS = 8
_LOOK_S = 0.15
#: A longer text is put in at once, without a key for each character.
_TYPED_CHARS = 200


async def do(tab: LiveTab, wanted: TabAct, deadline: float) -> None:
    """Do what is asked.

    Raises:
        StaleRef: the ref is not of the last scan, or its element is gone.
        NotActionable: the element is disabled, covered, hidden or of another kind.
        InvalidRequest: there is no such key.
    """
    hand = _Hand(tab, wanted, deadline)
    await {
        "click": hand.click,
        "type": hand.type,
        "select": hand.select,
        "press": hand.press,
        "scroll": hand.scroll,
    }[wanted.action]()


class _Hand:
    def __init__(self, tab: LiveTab, wanted: TabAct, deadline: float) -> None:
        self._tab, self._wanted, self._deadline = tab, wanted, deadline
        self._ref = wanted.ref or ""
        self._land: Land = tab.lands.get(self._ref) or home(tab)

    async def click(self) -> None:
        x, y = await self._aimed()
        await self._tab.page.mouse.click(x, y)

    async def type(self) -> None:
        kind = self._found(await self._ask("kind", self._ref))
        if not kind["typed"] or kind["readonly"]:
            what = "read-only" if kind["readonly"] else "no text field"
            raise NotActionable(f"{self._ref} is {what}: nothing can be typed there", field="ref")
        text = self._wanted.text or ""
        if kind["set"]:
            await self._put(text, kind["type"])
        else:
            await self._keyed(text, one_line=kind["tag"] == "input")
        if self._wanted.submit:
            await self._tab.page.keyboard.press("Enter")

    async def select(self) -> None:
        found = self._found(await self._ask("select", self._ref, list(self._wanted.values)))
        if found["state"] == "kind":
            raise NotActionable(
                f"{self._ref} is no list of choices but {found['tag']}: click it, scan, click the choice",
                field="ref",
            )
        if found["state"] == "option":
            raise NotActionable(
                f"there is no such choice; there are {', '.join(found['options'])}", field="values"
            )

    async def press(self) -> None:
        if self._ref and not await self._ask("focus", self._ref, False):
            raise self._stale()
        try:
            await self._tab.page.keyboard.press(self._wanted.key or "")
        except Error as error:
            if "Unknown key" not in str(error):
                raise
            raise InvalidRequest(
                f"key: there is no key {self._wanted.key!r}; e.g. Enter, Tab, ArrowDown, Control+A",
                field="key",
            ) from error

    async def scroll(self) -> None:
        self._found(await self._ask("scroll", self._ref, self._wanted.to))

    async def _put(self, text: str, kind: str) -> None:
        got = await self._ask("put", self._ref, text)
        if got == "" and text:
            raise NotActionable(f"{text!r} is no value of a field for {kind}", field="text")

    async def _keyed(self, text: str, *, one_line: bool) -> None:
        x, y = await self._aimed()  # in view and free, as for a person
        if self._land.parent is not None:
            await self._tab.page.mouse.click(x, y)  # keys go to the frame that has the focus
        if not await self._ask("focus", self._ref, not self._wanted.append):
            raise self._stale()
        keyboard = self._tab.page.keyboard
        if self._wanted.append:
            await keyboard.press("End")
        elif not text:
            await keyboard.press("Backspace")
        if one_line:
            text = " ".join(text.splitlines())  # a line break would send the form
        if len(text) <= _TYPED_CHARS:
            await keyboard.type(text)
        else:
            await keyboard.insert_text(text)

    async def _aimed(self) -> tuple[float, float]:
        """Where it can be hit; waits a moment for what moves or is covered."""
        found: dict[str, Any] = {}
        for look in range(_LOOKS):
            found = self._found(await self._ask("aim", self._ref, look in (0, _LOOKS // 2)))
            if found["state"] == "ok" and self._land.parent is not None:
                found = self._found(await self._through(found))
            if found["state"] == "ok" and look:
                return float(found["x"]), float(found["y"])
            # The first look may have scrolled it into view: the second one sees where it is then.
            await asyncio.sleep(0.02 if found["state"] == "ok" else _LOOK_S)
        if found["state"] == "covered":
            raise NotActionable(f"{self._ref} is covered by {found['cover']}", field="ref")
        raise NotActionable(f"{self._ref} cannot be seen, so it cannot be hit", field="ref")

    async def _through(self, found: dict[str, Any]) -> dict[str, Any]:
        """A point of a frame in the window, and whether all frames around it can be hit there."""
        land = self._land
        while land.parent is not None and found["state"] == "ok":
            call = f"through(this, {float(found['x'])}, {float(found['y'])})"
            try:
                got = await land.of_owner(self._tab, call, self._deadline)
            except (Error, ContextLost, LookupError):
                got = None
            found = got if isinstance(got, dict) else {"state": "stale"}
            land = land.parent
        return found

    def _found(self, found: dict[str, Any]) -> dict[str, Any]:
        if found["state"] == "stale":
            raise self._stale()
        if found["state"] == "disabled":
            raise NotActionable(f"{self._ref} is disabled", field="ref")
        return found

    def _stale(self) -> StaleRef:
        known = self._ref in self._tab.controls
        gone = "its element is gone or stands for something else now"
        why = gone if known else "it is not of the last scan"
        return StaleRef(f"{self._ref} is stale: {why}; scan the tab again", field="ref")

    async def _ask(self, call: str, *arguments: object) -> Any:
        written = ", ".join(json.dumps(each) for each in arguments)
        try:
            return await self._land.ask(self._tab, f"{call}({written})", self._deadline)
        except (Error, ContextLost):
            if self._land.parent is None:
                raise
            raise self._stale() from None  # the frame has gone, or has another document
