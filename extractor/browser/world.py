"""The isolated world of one document: where the project's scripts run."""

from __future__ import annotations

import asyncio
import json
from dataclasses import dataclass
from typing import Any

from playwright.async_api import CDPSession, Error

from extractor.browser.script import WORLD
from extractor.errors import PageUnresponsive, TooLarge

_LOST = (
    "Execution context was destroyed",
    "Cannot find context",
    "uniqueContextId not found",
    "Cannot find default execution context",
    "No frame",
    "Frame with the given id",
    "Inspected target navigated or closed",
    "Promise was collected",
)

#: What the capture throws when its result would be longer than it may be.
TOO_LONG = "__pagefoldTooLong"


class ContextLost(Exception):
    """The document was replaced while it was being read."""


@dataclass(frozen=True, slots=True)
class World:
    """A context of scripts; ``deadline`` ends whatever runs in it (event loop's time)."""

    session: CDPSession
    frame_id: str
    context: int
    deadline: float

    async def value(self, expression: str, *, wait: bool = False) -> Any:
        """The result of an expression, by value; with ``wait``, of its promise.

        Raises:
            ContextLost: the document went away.
            PageUnresponsive: the script failed or did not come back in time.
        TooLarge: the capture would be longer than it may be.
        """
        order: dict[str, Any] = {
            "expression": expression,
            "contextId": self.context,
            "returnByValue": True,
            "awaitPromise": wait,
            "timeout": self.left_ms(),
        }
        try:
            answer = await self.session.send("Runtime.evaluate", order)
        except Error as error:
            if any(sign in str(error) for sign in _LOST):
                raise ContextLost(str(error)) from error
            if "terminated" in str(error):
                raise PageUnresponsive(
                    "the page did not answer in time", detail=str(error)
                ) from error
            raise
        if "exceptionDetails" in answer:
            detail = json.dumps(answer["exceptionDetails"])[:2000]
            if TOO_LONG in detail:
                raise TooLarge("scripts made the page larger than max_document_bytes allows")
            raise PageUnresponsive("the page could not be read", detail=detail)
        return answer["result"].get("value")

    async def objects(self, expression: str) -> list[str]:
        """Object ids of the elements in an array; all are of the group that has the world's name."""
        order = {
            "expression": expression,
            "contextId": self.context,
            "objectGroup": WORLD,
            "timeout": self.left_ms(),
        }
        answer = await self.session.send("Runtime.evaluate", order)
        found = await self.session.send(
            "Runtime.getProperties",
            {"objectId": answer["result"]["objectId"], "ownProperties": True},
        )
        items = [item for item in found["result"] if item["name"].isdigit()]
        items.sort(key=lambda item: int(item["name"]))
        return [str(item["value"]["objectId"]) for item in items]

    def left_ms(self) -> int:
        """Milliseconds to the deadline, at least 1."""
        return max(1, int((self.deadline - asyncio.get_running_loop().time()) * 1000))


async def world_of(session: CDPSession, frame_id: str, deadline: float) -> World:
    """The project's world in a frame; made when the frame has none yet."""
    made = await session.send("Page.createIsolatedWorld", {"frameId": frame_id, "worldName": WORLD})
    return World(session, frame_id, int(made["executionContextId"]), deadline)
