"""Handing over the answer that a browser built a document from."""

from __future__ import annotations

import base64

from playwright.async_api import CDPSession, Error

from extractor.answers import Answer, answered, heard
from extractor.browser.document import Caps, MainDocument


async def hand_over(session: CDPSession, document: MainDocument) -> None:
    """Give the main document's answer to whoever listens; does nothing when nobody does.

    A browser may have let go of the body; then nothing is handed over.
    """
    if not heard() or not document.request_id:
        return
    try:
        got = await session.send("Network.getResponseBody", {"requestId": document.request_id})
    except Error:
        return
    encoded = bool(got["base64Encoded"])
    body = base64.b64decode(got["body"]) if encoded else got["body"].encode("utf-8", "replace")
    headers = document.headers
    answered(Answer(document.url, document.status or 200, headers, body, text=not encoded))


def buffers(caps: Caps) -> dict[str, int]:
    """How much of what arrives the browser keeps, in bytes: nothing, unless someone wants the answer."""
    if not heard():
        return {"maxTotalBufferSize": 0}
    return {
        "maxTotalBufferSize": caps.page_bytes,
        "maxResourceBufferSize": caps.document_bytes,
    }
