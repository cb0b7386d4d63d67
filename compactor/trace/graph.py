"""All that a session knows, rebuilt event by event; and a snapshot that spares the rebuilding.

Nothing is ever removed: an item is found by its id for good, and every version that it had is listed.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import asdict, replace

from compactor.errors import NotFound
from compactor.messages import JsonObject
from compactor.trace.items import LETTERS, OPEN, REJECTED, Change, Edge, Item, Kind
from compactor.trace.lexical import TextIndex
from compactor.trace.measures import measure_key

_RISKY_OPEN = ("pending", "unknown")
#: What is kept of items by their state, in the order in which they came to it.
_SETS = ("constraints", "open", "rejected", "marked", "unfinished")


class Trace:
    """The state behind the events. ``apply`` costs what the event costs, whatever the session's length."""

    def __init__(self) -> None:
        self.events = 0
        self.index = TextIndex()
        self.goal = ""
        self.constraints: dict[str, None] = {}
        self.open: dict[str, None] = {}
        self.rejected: dict[str, None] = {}
        self.marked: dict[str, None] = {}
        self.unfinished: dict[str, None] = {}
        self.actions: dict[str, str] = {}
        self.sources: dict[str, tuple[str, ...]] = {}
        self.watched: dict[str, dict[str, None]] = {}
        self._items: dict[str, Item] = {}
        self._kinds: dict[str, list[str]] = {}
        self._counts: dict[str, int] = {}
        self._edges: list[Edge] = []
        self._out: dict[str, list[Edge]] = {}
        self._into: dict[str, list[Edge]] = {}
        self._changes: dict[str, list[Change]] = {}

    def item(self, id: str) -> Item:
        """Raises NotFound."""
        if id not in self._items:
            raise NotFound(f"This session has written down nothing as {id!r}.", field="id")
        return self._items[id]

    def __contains__(self, id: object) -> bool:
        return id in self._items

    def items(self, *kinds: Kind, newest: int | None = None) -> list[Item]:
        """Those of some kinds (by default all), oldest first; or only the newest of each."""
        found: list[Item] = []
        for kind in kinds or LETTERS:
            ids = self._kinds.get(kind, [])
            found += (self._items[id] for id in (ids if newest is None else ids[-newest:]))
        return found

    def out(self, id: str, *, newest: int | None = None) -> list[Edge]:
        """Edges from an item, in the order in which they were drawn."""
        return _end(self._out.get(id, []), newest)

    def into(self, id: str, *, newest: int | None = None) -> list[Edge]:
        """Edges to an item, in the order in which they were drawn."""
        return _end(self._into.get(id, []), newest)

    def degree(self, id: str) -> int:
        """How many edges an item has."""
        return len(self._out.get(id, ())) + len(self._into.get(id, ()))

    def changes(self, id: str) -> list[Change]:
        """Every version of an item."""
        return list(self._changes.get(self.item(id).id, ()))

    def edges(self) -> list[Edge]:
        """All of them, in the order in which they were drawn."""
        return list(self._edges)

    def count(self, letter: str) -> int:
        """How many ids of a kind were given."""
        return self._counts.get(letter, 0)

    def apply(self, events: Iterable[JsonObject], seq: int) -> None:
        """Take events that entry ``seq`` of the session's log holds; they were checked when written."""
        for event in events:
            self.events += 1
            if event["op"] == "add":
                self._add(item_of(event, seq))
                edges = [Edge(event["id"], name, target) for name, target in event["edges"]]
            elif event["op"] == "change":
                self._change(event, seq)
                edges = []
            else:
                edges = [Edge(event["source"], event["edge"], event["target"])]
            for edge in edges:
                self._link(edge)

    def _add(self, item: Item) -> None:
        self._counts[item.id[0]] = self.count(item.id[0]) + 1
        self._kinds.setdefault(item.kind, []).append(item.id)
        self._items[item.id] = item
        first = Change(1, item.turn, item.seq, item.status, "written", status=item.status)
        self._changes[item.id] = [first]
        self.index.add(item.id, item.text)
        if item.kind == "goal":
            self.goal = item.id
        elif item.kind == "action":
            self.actions[item.body["key"]] = item.id
        elif item.kind == "artifact" and item.body["source"]:
            self._sourced(item)
        self._put(item)

    def _sourced(self, item: Item) -> None:
        """A source's artifacts of its newest version; a copy of that version joins them."""
        source, version = item.body["source"], item.body["source_version"]
        before = self.sources.get(source, ())
        same = before and self._items[before[0]].body["source_version"] == version
        self.sources[source] = (*before, item.id) if same else (item.id,)

    def _change(self, event: JsonObject, seq: int) -> None:
        item = changed(self._items[event["id"]], event)
        said = (item.version, event["turn"], seq, event["what"], event["why"])
        made = Change(*said, tuple(event["by"]), item.status, item.marked)
        self._changes[item.id].append(made)
        self._put(item)

    def _link(self, edge: Edge) -> None:
        self._edges.append(edge)
        self._out.setdefault(edge.source, []).append(edge)
        self._into.setdefault(edge.target, []).append(edge)

    def _put(self, item: Item) -> None:
        self._items[item.id] = item
        id, kind = item.id, item.kind
        _keep(self.marked, id, bool(item.marked))
        if kind == "hypothesis":
            _keep(self.open, id, item.status in OPEN)
            _keep(self.rejected, id, item.status in REJECTED)
            for measure in measures_of(item):
                self.watched.setdefault(measure, {})[id] = None
        elif kind == "constraint":
            _keep(self.constraints, id, item.status == "holds")
        elif kind == "action":
            risky = bool(item.body.get("risky")) and item.status in _RISKY_OPEN
            _keep(self.unfinished, id, risky)

    def snapshot(self) -> JsonObject:
        """The whole state as plain JSON: two traces are the same where these are."""
        return {
            "events": self.events,
            "items": [asdict(item) for item in self._items.values()],
            "edges": [[e.source, e.edge, e.target] for e in self._edges],
            "sets": {name: list(getattr(self, name)) for name in _SETS},
            "changes": {
                id: [change.as_json() for change in known] for id, known in self._changes.items()
            },
        }

    @classmethod
    def restored(cls, snapshot: JsonObject) -> Trace:
        """The state behind a snapshot; later events go on from there."""
        made = cls()
        for body in snapshot["items"]:
            item = Item(**body)
            made._add(item)
            made._changes[item.id] = [
                Change(**{**change, "by": tuple(change["by"])})
                for change in snapshot["changes"][item.id]
            ]
        for edge in snapshot["edges"]:
            made._link(Edge(*edge))
        for name in _SETS:
            setattr(made, name, dict.fromkeys(snapshot["sets"][name]))
        made.events = snapshot["events"]
        return made


def item_of(event: JsonObject, seq: int) -> Item:
    """The item that an event writes."""
    return Item(
        event["id"],
        event["kind"],
        event["text"],
        event["status"],
        turn=event["turn"],
        seq=seq,
        body=event["body"],
    )


def changed(item: Item, event: JsonObject) -> Item:
    """The next version of an item."""
    return replace(
        item,
        version=item.version + 1,
        status=event.get("status", item.status),
        marked=event.get("marked", item.marked),
        body={**item.body, **event.get("body", {})},
    )


def measures_of(item: Item) -> Iterator[str]:
    """The measures that a hypothesis' assumptions and invalidation conditions are about."""
    for assumption in item.body.get("assumptions", ()):
        if assumption["holds"]:
            yield measure_key(assumption["holds"]["measure"])
    for condition in item.body.get("invalidation", ()):
        if condition["when"]:
            yield measure_key(condition["when"]["measure"])


def _keep(known: dict[str, None], id: str, stays: bool) -> None:
    """In the set at its end where it is new, out of it where it does not belong there."""
    if not stays:
        known.pop(id, None)
    elif id not in known:
        known[id] = None


def _end(edges: list[Edge], newest: int | None) -> list[Edge]:
    return list(edges) if newest is None else edges[-newest:] if newest else []
