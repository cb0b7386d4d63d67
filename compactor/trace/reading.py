"""What a session knows, read back: an item with all its versions, the originals it stands in, the events."""

from __future__ import annotations

from collections.abc import Sequence

from compactor.archive import Archive
from compactor.books import Books
from compactor.errors import ArtifactCorrupt, NotFound, RefGone
from compactor.messages import JsonObject
from compactor.trace.asked import Span
from compactor.trace.graph import Trace
from compactor.trace.items import LETTERS, Item, Kind
from compactor.trace.originals import content_of

_LINKS = _VERSIONS = 200


class TraceReading:
    """The reading half; it changes nothing."""

    archive: Archive
    _books: Books
    _trace: Trace
    _told: list[tuple[int, JsonObject]]

    def trace_of(self, ref: str) -> JsonObject:
        """All that led to an item, by its id or ``trace_ref``: its versions and its links, as plain JSON.

        Raises NotFound.
        """
        id = ref.removeprefix("t:").partition("@")[0]
        item, trace = self._trace.item(id), self._trace
        return {
            **item.as_json(),
            "versions": [change.as_json() for change in trace.changes(id)],
            "links": [
                {"source": edge.source, "edge": edge.edge, "target": edge.target}
                for edge in (*trace.out(id, newest=_LINKS), *trace.into(id, newest=_LINKS))
            ],
        }

    def graph(self, newest: int = 200) -> JsonObject:
        """Hypotheses, decisions and evidence with the edges between them, as plain JSON, to be drawn.

        So many of each kind, the newest; ``left_out`` counts the others. Each with its versions, the
        newest where there are more than 200.
        """
        kinds: tuple[Kind, ...] = ("hypothesis", "decision", "evidence", "sentence", "artifact")
        items = self._trace.items(*kinds, newest=newest)
        shown = {item.id for item in items}
        edges = [
            edge
            for item in items
            for edge in self._trace.out(item.id, newest=_LINKS)
            if edge.target.partition(".")[0] in shown
        ]
        return {
            "nodes": [{**item.as_json(), "versions": self._versions(item.id)} for item in items],
            "edges": [{"source": e.source, "edge": e.edge, "target": e.target} for e in edges],
            "left_out": self._left_out(kinds, newest),
        }

    def _versions(self, id: str) -> list[JsonObject]:
        return [change.as_json() for change in self._trace.changes(id)[-_VERSIONS:]]

    def _left_out(self, kinds: Sequence[Kind], newest: int) -> dict[str, int]:
        """Items beyond the newest, by kind."""
        beyond = {kind: self._trace.count(LETTERS[kind]) - newest for kind in kinds}
        return {kind: count for kind, count in beyond.items() if count > 0}

    def artifact_content(self, artifact: Item) -> str | bytes:
        """An artifact's original, verified.

        Raises:
            RefGone: it is not there any more or not what it was; says what it was of.
        """
        try:
            return content_of(self.archive, artifact)
        except (NotFound, ArtifactCorrupt) as error:
            source = artifact.body["source"]
            again = f" It was of {source}: read that again." if source else ""
            raise RefGone(f"{error.message}{again}", detail=error.detail) from error

    def originals(self, id: str) -> list[tuple[Span, str]]:
        """The spans that a piece of evidence stands in, each with its text; of bytes their Latin-1 form.

        Raises NotFound, and RefGone as ``artifact_content``.
        """
        found = []
        for said in self._trace.item(id).body.get("rests_on", ()):
            content = self.artifact_content(self._trace.item(said["artifact"]))
            text = content if isinstance(content, str) else content.decode("latin-1")
            end = len(text) if said["end"] == -1 else said["end"]
            found.append((Span(said["artifact"], said["start"], end), text[said["start"] : end]))
        return found

    def trace_events(self, after: int = 0, limit: int = 1_000) -> list[JsonObject]:
        """Events from number ``after`` on, at most ``limit``, oldest first; each with the entry of the
        session's log that holds it.
        """
        part = self._told[max(0, after) : max(0, after) + max(0, limit)]
        return [
            {"number": number, "seq": seq, **event}
            for number, (seq, event) in enumerate(part, max(0, after))
        ]
