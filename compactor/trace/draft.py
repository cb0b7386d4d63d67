"""Events that are about to be written: checked one after the other, on top of what is known."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from compactor.clean import has_lone_surrogate
from compactor.errors import InvalidRequest, NotFound
from compactor.messages import JsonObject
from compactor.trace.graph import Trace, changed, item_of
from compactor.trace.items import LETTERS, Edge, Item, Kind
from compactor.trace.rule import TraceRule


class Draft:
    """Reads through to a trace and keeps its events to itself, until they are committed.

    A refused request leaves no trace: its draft is dropped.
    """

    def __init__(self, trace: Trace, rule: TraceRule, *, turn: int, seq: int) -> None:
        self.trace = trace
        self.rule = rule
        self.turn = turn
        self.seq = seq
        self.events: list[JsonObject] = []
        self._items: dict[str, Item] = {}
        self._given: dict[str, int] = {}
        self._edges: list[Edge] = []
        self._sources: dict[str, tuple[str, ...]] = {}

    def item(self, id: str) -> Item:
        """Raises NotFound."""
        return self._items[id] if id in self._items else self.trace.item(id)

    def has(self, id: str) -> bool:
        """Whether there is such an item."""
        return id in self._items or id in self.trace

    def known(self, ids: Sequence[str], field: str) -> None:
        """Raises InvalidRequest where an id, of an item or an assumption, names nothing."""
        for id in ids:
            owner = id.partition(".")[0]
            if not self.has(owner) or ("." in id and id not in _parts(self.item(owner))):
                raise InvalidRequest(f"There is no {id!r} in this session.", field=field)

    def into(self, id: str) -> list[Edge]:
        """Edges to an item."""
        return [*self.trace.into(id), *(e for e in self._edges if e.target == id)]

    def out(self, id: str) -> list[Edge]:
        """Edges from an item."""
        return [*self.trace.out(id), *(e for e in self._edges if e.source == id)]

    def of_source(self, source: str) -> tuple[str, ...]:
        """Artifacts of a source's newest version."""
        return self._sources.get(source) or self.trace.sources.get(source, ())

    def sourced(self, artifact: Item) -> None:
        """An artifact of a source was added; it is the newest, or one more of that version."""
        source, version = artifact.body["source"], artifact.body["source_version"]
        before = self.of_source(source)
        same = before and self.item(before[0]).body["source_version"] == version
        if source:
            self._sources[source] = (*before, artifact.id) if same else (artifact.id,)

    def next_id(self, kind: Kind) -> str:
        """The id that the next item of a kind gets."""
        letter = LETTERS[kind]
        return f"{letter}{self.trace.count(letter) + self._given.get(letter, 0) + 1}"

    def add(
        self,
        kind: Kind,
        text: str,
        *,
        status: str,
        body: JsonObject | None = None,
        edges: Sequence[tuple[str, str]] = (),
    ) -> Item:
        """Write an item. Raises InvalidRequest for no text, or one that is too long."""
        if not text.strip():
            raise InvalidRequest("text must not be empty.", field="text")
        if len(text) > self.rule.text_chars:
            raise InvalidRequest(
                f"text may have {self.rule.text_chars} characters, not {len(text)}; store the whole as "
                "an artifact and rest on it.",
                field="text",
            )
        id = self.next_id(kind)
        self._given[id[0]] = self._given.get(id[0], 0) + 1
        event: JsonObject = {"op": "add", "id": id, "kind": kind, "text": text, "status": status}
        event |= {"turn": self.turn, "body": body or {}, "edges": [list(e) for e in edges]}
        self._keep(event)
        self._items[id] = item_of(event, self.seq)
        self._edges += (Edge(id, name, target) for name, target in edges)  # type: ignore[arg-type]
        return self._items[id]

    def change(self, id: str, what: str, why: str, by: Sequence[str] = (), **made: Any) -> Item:
        """Write another version of an item: its ``status``, ``marked`` or parts of its ``body``."""
        event = {"op": "change", "id": id, "turn": self.turn, "what": what, "why": why}
        event |= {"by": list(by), **made}
        self._keep(event)
        self._items[id] = changed(self.item(id), event)
        return self._items[id]

    def _keep(self, event: JsonObject) -> None:
        """Anything of it may be shown in a context, which must be encodable."""
        if has_lone_surrogate(event):
            raise InvalidRequest("The text holds half a surrogate pair.", field="text")
        self.events.append(event)

    def link(self, edge: Edge) -> None:
        """Draw an edge between items that are there."""
        for id in (edge.source, edge.target.partition(".")[0]):
            if not self.has(id):
                raise NotFound(f"There is no {id!r} in this session.", field="id")
        event = {"op": "link", "source": edge.source, "edge": edge.edge, "target": edge.target}
        self.events.append({**event, "turn": self.turn})
        self._edges.append(edge)


def _parts(item: Item) -> list[str]:
    named = (*item.body.get("assumptions", ()), *item.body.get("invalidation", ()))
    return [part["id"] for part in named]
