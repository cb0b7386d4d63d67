"""Artifacts: originals in the archive, each verified when it is written and whenever it is read."""

from __future__ import annotations

import base64
import binascii
import hashlib

from compactor.archive import Archive
from compactor.errors import ArtifactCorrupt, InvalidRequest
from compactor.messages import Json, JsonObject
from compactor.trace.items import Item


def store(
    archive: Archive, content: str | bytes, *, media_type: str, source: str, version: str
) -> JsonObject:
    """Put an original into the archive, read it back, and describe it; an artifact's body.

    Raises:
        ArtifactCorrupt: what was read back is not what was given. Nothing may rest on it then.
        StorageFull: there is no room.
    """
    value: Json = content
    if isinstance(content, bytes):
        value = {"base64": base64.b64encode(content).decode("ascii")}
    ref = archive.put(value)
    body = {
        "ref": ref,
        "media_type": media_type,
        "source": source,
        "source_version": version,
        "sha256": _digest(content),
        "chars": len(content),
    }
    if _read(archive, ref) != content:
        raise ArtifactCorrupt("The archive did not give back what it was given.", detail=ref)
    return body


def content_of(archive: Archive, artifact: Item) -> str | bytes:
    """The original, as it was given.

    Raises:
        InvalidRequest: the item is no artifact.
        ArtifactCorrupt, NotFound: it is not there any more, or not what it was.
    """
    if artifact.kind != "artifact":
        raise InvalidRequest(f"{artifact.id} is no artifact.", field="id")
    content = _read(archive, artifact.body["ref"])
    if _digest(content) != artifact.body["sha256"]:
        raise ArtifactCorrupt(
            f"{artifact.id} does not match its hash.", detail=artifact.body["ref"]
        )
    return content


def _read(archive: Archive, ref: str) -> str | bytes:
    value = archive.get(ref)
    if isinstance(value, str):
        return value
    try:
        return base64.b64decode(value["base64"], validate=True)
    except (TypeError, KeyError, binascii.Error) as error:
        raise ArtifactCorrupt("An artifact is neither text nor bytes.", detail=ref) from error


def _digest(content: str | bytes) -> str:
    data = content if isinstance(content, bytes) else content.encode("utf-8", "surrogatepass")
    return hashlib.sha256(data).hexdigest()
