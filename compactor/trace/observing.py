"""Evidence proposed from the results of a message that is being appended."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping

from compactor.archive import Archive
from compactor.clean import has_lone_surrogate
from compactor.cost import serialise
from compactor.messages import Block, Json, JsonObject, Message
from compactor.trace.asked import NewEvidence, Span
from compactor.trace.draft import Draft
from compactor.trace.extraction import Offered, offered
from compactor.trace.originals import store
from compactor.trace.writing import write_artifact, write_evidence

_READERS = frozenset(
    ("file_read", "Read", "read_file", "readFile", "view_file", "fs_read", "read", "cat")
)
_PATHS = ("path", "file_path", "filename", "file")
_SOURCE_CHARS = 400


def observe(draft: Draft, message: Message, calls: Mapping[str, Block], archive: Archive) -> None:
    """Write what each result of a message offers, as it came: before anything is cut from it.

    ``calls`` are those that it answers. Raises what the archive raises.
    """
    for result in message.results:
        call = calls.get(result.id) or calls.get(result.alias)
        _observe(draft, _text_of(result), call, archive)


def _observe(draft: Draft, text: str, call: Block | None, archive: Archive) -> None:
    source, is_file = _source(call)
    found, more = offered(text, draft.rule.most_extracted)
    found = [each for each in found if _usable(each, draft.rule.text_chars)]
    known = draft.of_source(source) if is_file else ()
    if not found and not known:
        return
    digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
    version = digest[:12] if is_file else ""
    if known and draft.item(known[0]).body["source_version"] == version:
        return  # read once more, and nothing is new
    body: JsonObject = store(archive, text, media_type="text/plain", source=source, version=version)
    if more:
        body["not_proposed"] = more
    artifact = write_artifact(draft, body)
    for each in found:
        write_evidence(
            draft,
            NewEvidence(
                each.text,
                rests_on=(Span(artifact.id, each.start, each.end),),
                source_version=version,
                measurement=each.measurement,
            ),
            "proposed",
            each.about,
        )


def _usable(found: Offered, most: int) -> bool:
    return (
        bool(found.text.strip()) and len(found.text) <= most and not has_lone_surrogate(found.text)
    )


def _text_of(result: Block) -> str:
    if result.parts is None:
        return result.text
    return "\n".join(part.text for part in result.parts if part.kind == "text")


def _source(call: Block | None) -> tuple[str, bool]:
    """What a result is of, and whether that is a file: whose next version replaces this one."""
    if call is None:
        return "", False
    given: Json = call.input
    if call.name in _READERS and isinstance(given, dict):
        path = next((given[key] for key in _PATHS if isinstance(given.get(key), str)), "")
        if path:
            # Another part of a file is no other version of this part.
            rest = {name: value for name, value in given.items() if given[name] != path}
            return _bounded(f"{path} {serialise(rest)}" if rest else path), True
    return _bounded(f"{call.name} {call.id}"), False


def _bounded(source: str) -> str:
    source = "".join("\ufffd" if has_lone_surrogate(c) else c for c in source)
    if len(source) <= _SOURCE_CHARS:
        return source
    # Two long ones must not become one.
    digest = hashlib.sha256(source.encode("utf-8")).hexdigest()[:16]
    return f"{source[:_SOURCE_CHARS]}…{digest}"
