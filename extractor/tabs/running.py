"""A caller's script in the page's own world, and its value as text."""

from __future__ import annotations

import asyncio
import json
from dataclasses import dataclass
from typing import Any

from playwright.async_api import Error

from extractor.browser.script import value_source
from extractor.errors import DeadlineExceeded
from extractor.tabs.errors import ScriptFailed
from extractor.tabs.tab import LiveTab, plain

_MESSAGE_CHARS = 1_000
#: Of a text that is cut, the share that its head gets; between head and tail stands how much is missing.
_HEAD_SHARE = 0.7
#: A script that has not read what it wants by then is run as one that may do anything.
_READING_MS = 100
#: The page may replace its document while its script runs.
_MOVED_ON = ("navigated", "context was destroyed", "Cannot find context", "Promise was collected")


@dataclass(frozen=True, slots=True)
class Value:
    """``kind`` as JavaScript names it; ``cut`` says that the text is not all of it."""

    kind: str
    text: str
    cut: bool = False


async def read_script(tab: LiveTab, script: str, *, most: int) -> Value | None:
    """Its value, if the browser can tell that it only reads; else ``None``, and it has done nothing.

    Nothing that it gives is waited for, so what is a promise is not read here.
    """
    written = f"({value_source().strip()})"
    for form in (f"(\n{_expression(script)}\n)", f"(() => {{\n{script}\n}})()"):
        order = {
            "expression": f"((value) => typeof value?.then === 'function' ? null : {written}"
            f"(value, {most}))({form})",
            "returnByValue": True,
            "throwOnSideEffect": True,
            "timeout": _READING_MS,
        }
        try:
            answer = await tab.session.send("Runtime.evaluate", order)
        except Error:
            return None  # it took too long, or the page goes elsewhere
        if not _cannot_be_parsed(answer):
            return None if "exceptionDetails" in answer else _value(answer)
    return None


async def run_script(tab: LiveTab, script: str, *, most: int, deadline: float) -> Value:
    """Run it as an expression if it is one, else as the body of an asynchronous function.

    A script that cannot be parsed as the first has not run when it is tried as the second.

    Raises:
        ScriptFailed: it threw, or cannot be parsed.
        DeadlineExceeded: it did not end in time.
    """
    written = f"({value_source().strip()})"
    answer = await _evaluated(
        tab, f"(async () => {written}(await (\n{_expression(script)}\n), {most}))()", deadline
    )
    if _cannot_be_parsed(answer):
        body = f"(async () => {{\n{script}\n}})()"
        answer = await _evaluated(tab, f"(async () => {written}(await {body}, {most}))()", deadline)
    if "exceptionDetails" in answer:
        raise ScriptFailed(_what_failed(answer["exceptionDetails"]), field="script")
    return _value(answer) or Value("undefined", "")  # the page went elsewhere


def shortened(text: str, most: int) -> str:
    """Head and tail of a text that is longer than ``most``, with how much is missing between them."""
    if len(text) <= most:
        return text
    gap = f"\n[… {len(text)} characters in all, the middle is left out …]\n"
    room = most - len(gap)
    head = int(room * _HEAD_SHARE)
    return f"{text[:head]}{gap}{text[len(text) - (room - head) :]}"


def _expression(script: str) -> str:
    return script.strip().rstrip(";").rstrip()


def _value(answer: dict[str, Any]) -> Value | None:
    found = answer["result"].get("value")
    if not isinstance(found, dict):
        return None
    return Value(plain(found.get("type")), plain(found.get("text")), found.get("cut") is True)


async def _evaluated(tab: LiveTab, expression: str, deadline: float) -> dict[str, Any]:
    left_ms = max(1, int((deadline - asyncio.get_running_loop().time()) * 1000))
    order = {
        "expression": expression,
        "awaitPromise": True,
        "returnByValue": True,
        "userGesture": True,
        "timeout": left_ms,
    }
    try:
        answer: dict[str, Any] = await tab.session.send("Runtime.evaluate", order)
    except Error as error:
        if any(sign in str(error) for sign in _MOVED_ON):
            return {"result": {}}
        if "terminated" in str(error):
            raise DeadlineExceeded("the script did not end in time") from error
        raise
    return answer


def _cannot_be_parsed(answer: dict[str, Any]) -> bool:
    """What a script throws while it runs comes through its promise; what stands here came before."""
    details = answer.get("exceptionDetails", {})
    early = details.get("text") == "Uncaught" and "stackTrace" not in details
    return early and details.get("exception", {}).get("className") == "SyntaxError"


def _what_failed(details: dict[str, Any]) -> str:
    exception = details.get("exception", {})
    text = exception.get("description") or json.dumps(exception.get("value", details.get("text")))
    first = str(text).partition("\n    at ")[0]
    return f"the script failed: {first[:_MESSAGE_CHARS]}"
