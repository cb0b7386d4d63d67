"""Pictures are the one kind of payload that every provider has a form for."""

from __future__ import annotations

from compactor.messages import Block, JsonObject


def url_of(block: Block) -> str | None:
    """The address of a picture block in any format, ``data:`` for bytes; ``None`` if it is none."""
    raw = block.raw if isinstance(block.raw, dict) else {}
    source, address = raw.get("source"), raw.get("image_url")
    if block.name == "image" and isinstance(source, dict):
        if isinstance(source.get("url"), str):
            return str(source["url"])
        return f"data:{source.get('media_type')};base64,{source.get('data')}"
    if isinstance(address, dict):
        address = address.get("url")
    return address if isinstance(address, str) else None


def source_of(url: str) -> JsonObject:
    """The source object of the Messages API for an address."""
    if url.startswith("data:") and ";base64," in url:
        media, _, data = url[5:].partition(";base64,")
        return {"type": "base64", "media_type": media, "data": data}
    return {"type": "url", "url": url}
