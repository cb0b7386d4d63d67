# Made from its namesake in ../awaiting: python -m api.reference
"""What a session knows: evidence, hypotheses, decisions, and what came of them."""

from __future__ import annotations

from api.client import trace_calls
from api.client.blocking.sending import Sending
from api.client.call import Json


class Knowing(Sending):
    """What a session knows, and what came of it. A repeated ``key`` writes nothing twice."""

    def note_evidence(
        self, session: str, evidence: Json, *, key: str | None = None, version: int | None = None
    ) -> Json:
        """Note a fact: ``text``, and what it ``supports`` or ``contradicts``; the item, with its id."""
        return self.send(trace_calls.write(session, "evidence", evidence, key=key, version=version))

    def propose(
        self, session: str, hypothesis: Json, *, key: str | None = None, version: int | None = None
    ) -> Json:
        """Propose a hypothesis: ``claim``, and what ``supports`` it; the item, with its id."""
        return self.send(
            trace_calls.write(session, "hypotheses", hypothesis, key=key, version=version)
        )

    def decide(
        self, session: str, decision: Json, *, key: str | None = None, version: int | None = None
    ) -> Json:
        """Write down a decision: ``text``, and what it ``depends_on``; the item, with its id."""
        return self.send(
            trace_calls.write(session, "decisions", decision, key=key, version=version)
        )

    def recall(self, session: str, query: str, *, budget_chars: int = 4_000) -> Json:
        """What the session knows that matters for a question, as ``text`` and as ``items``."""
        return self.send(trace_calls.recall(session, query, budget_chars))

    def known(
        self, session: str, kind: trace_calls.Kind, *, newest: int | None = None
    ) -> list[Json]:
        """All items of a kind that the session knows, or the newest of them."""
        return self.send(trace_calls.known(session, kind, newest))

    def item(self, session: str, item: str) -> Json:
        """One item by its id, with all its versions."""
        return self.send(trace_calls.item(session, item))

    def judge(
        self,
        session: str,
        hypothesis: str,
        change: Json,
        *,
        key: str | None = None,
        version: int | None = None,
    ) -> Json:
        """Change the ``status`` of a hypothesis, for a ``reason``; the item as it is then."""
        where = ("hypotheses", hypothesis)
        return self.send(trace_calls.put(session, where, change, key=key, version=version))

    def revalidate(
        self,
        session: str,
        item: str,
        grounds: Json,
        *,
        key: str | None = None,
        version: int | None = None,
    ) -> Json:
        """Say that an item still stands, for a ``reason`` and with ``evidence``."""
        where = ("items", item, "revalidation")
        return self.send(trace_calls.put(session, where, grounds, key=key, version=version))

    def open_child(
        self, session: str, contract: Json, *, key: str | None = None, version: int | None = None
    ) -> Json:
        """Open a sub-session for a ``goal``, within what its parent has left."""
        return self.send(trace_calls.write(session, "children", contract, key=key, version=version))

    def hand_back(
        self,
        session: str,
        child: str,
        result: Json,
        *,
        key: str | None = None,
        version: int | None = None,
    ) -> Json:
        """The result of a sub-session: ``text``, its ``evidence``, ``open_questions``."""
        where = ("children", child)
        return self.send(trace_calls.put(session, where, result, key=key, version=version))

    def events(self, session: str, *, after: int | None = None, limit: int | None = None) -> Json:
        """What happened to what the session knows, in its order."""
        return self.send(trace_calls.events(session, after, limit))
