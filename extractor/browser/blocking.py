"""What the browser itself refuses to load: nobody looks at it."""

from __future__ import annotations

from typing import Literal

from playwright.async_api import CDPSession

Blockable = Literal["image", "media", "font"]

_ENDINGS: dict[Blockable, tuple[str, ...]] = {
    "image": ("png", "jpg", "jpeg", "gif", "webp", "avif", "bmp", "ico", "svg", "apng"),
    "media": (
        "mp4",
        "webm",
        "mp3",
        "ogg",
        "ogv",
        "oga",
        "wav",
        "m4a",
        "m4v",
        "mov",
        "m3u8",
        "flac",
    ),
    "font": ("woff", "woff2", "ttf", "otf", "eot"),
}


def pattern_of(pattern: str) -> dict[str, str | bool]:
    """A rule that refuses matching addresses."""
    return {"urlPattern": pattern, "block": True}


async def block_media(session: CDPSession, kinds: tuple[Blockable, ...]) -> None:
    """Let the browser itself refuse pictures, media and fonts by the ending of their address."""
    endings = [ending for kind in kinds for ending in _ENDINGS[kind]]
    if endings:
        patterns = [pattern_of(f"*://*:*/*.{ending}") for ending in endings]
        await session.send("Network.setBlockedURLs", {"urlPatterns": patterns})
