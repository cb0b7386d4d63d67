"""A session: a growing history whose context always fits, always is valid, and loses nothing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from compactor import formats, recording
from compactor.advising import Advising
from compactor.archive import Archive, ObjectArchive
from compactor.books import Books
from compactor.budget import Budget, TokenMeter, heard
from compactor.circuit import Circuit
from compactor.drafts import Drafts
from compactor.facts import Facts
from compactor.hits import HitRate
from compactor.kit import Kit
from compactor.log import Entry, Keyed, SessionLog
from compactor.lookup import Lookup
from compactor.messages import Json, JsonObject, Message
from compactor.planning import Planning
from compactor.policy import Policy
from compactor.recording import Player, Recorder
from compactor.report import Change, Report
from compactor.rework import repeat
from compactor.reworking import Reworking
from compactor.schema import digest_of
from compactor.sending import Sending
from compactor.snapshot import check_refs
from compactor.state import CHECKED_FORMATS, State, step
from compactor.strategies import asking
from compactor.summarise import Reply, Summariser
from compactor.till import Till
from compactor.toolset import checked_part, unique_tools
from compactor.trace.appending import noted_in
from compactor.trace.graph import Trace
from compactor.trace.tracing import refs_in
from compactor.truncate import FoldHtml


class Session(Advising, Drafts, Lookup, Planning, Reworking, Sending):
    """Appends messages in any format, gives the context in any format, expands what was taken out.

    Synchronous. Without ``store`` it lives in memory; with one, an append is committed there before
    it counts. Not safe for two threads at once: the caller holds one lock for each session.
    """

    def __init__(
        self,
        policy: Policy | None = None,
        *,
        system: Json = None,
        tools: Json = None,
        archive: Archive | None = None,
        store: SessionLog | None = None,
        session_id: str = "",
        fold_html: FoldHtml | None = None,
        summariser: Summariser | None = None,
    ) -> None:
        """``summariser`` writes the summaries of the policy's strategy; without one the built-in does.

        Raises BudgetImpossible if the fixed part leaves no room, InvalidRequest if it cannot be sent
        or a tool's name stands for two definitions.
        """
        self.policy = policy or Policy()
        self.system = checked_part(system, "system")
        self.tools = unique_tools(checked_part(tools, "tools"))
        self.archive: Archive = archive or ObjectArchive()
        self.session_id = session_id
        budget = Budget(self.policy.budget(system, self.tools))
        self._log = store
        self._kit = Kit(
            self.policy,
            budget.chars,
            self.archive,
            self._meter(CHECKED_FORMATS),
            TokenMeter(self.policy, system, self.tools),
            fold_html,
            digest_of(self.tools),
            ask=None if summariser is None else Recorder(asking(summariser)),
        )
        self._state = State(budget=budget, facts=Facts(self.policy.facts))
        self._books = Books()
        self._circuit = Circuit()
        self._till = Till()
        self._hits = HitRate()
        self._trace = Trace()
        self._told = []
        self._keyed = None

    def append(
        self,
        message: Json,
        format: str = "anthropic",
        usage: Json = None,
        *,
        pinned: bool = False,
        expected_version: int | None = None,
    ) -> Report:
        """Append one message; see ``append_many``."""
        return self.append_many(
            [message], format, usage=usage, pinned=pinned, expected_version=expected_version
        )

    def append_many(
        self,
        messages: Sequence[Json],
        format: str = "anthropic",
        *,
        usage: Json = None,
        pinned: bool = False,
        keyed: Keyed | None = None,
        expected_version: int | None = None,
    ) -> Report:
        """Append messages, all or none. The context is within the budget and valid afterwards.

        The cost is linear in the budget and in what is appended, not in the session's length.

        Raises:
            InvalidRequest: a message cannot be read in ``format``.
            VersionMismatch: the session is not at ``expected_version``.
            BudgetError: it cannot be made to fit; nothing was appended.
        """
        before = self._state
        self.check_version(expected_version)
        hits = self._hits.noted(usage, self._till.miss)
        self._count_in(format)
        read = self._read(messages, format)
        books = self._books.draft()
        draft, failed = self._offered(read, books)
        try:
            state, changes, replies = self._stepped(read, books, self._kit, (pinned, usage))
            if usage is not None:
                state = replace(state, usage=usage)
            events = self._claimed(state, draft)
            if state.epoch.number != before.epoch.number:
                check_refs(books.fresh_refs, self.archive)
            report = Report(
                version=state.version,
                appended=tuple(range(before.version, state.version)),
                changes=tuple(changes),
                cost_chars=self._kit.meter.total(state.history),
                budget_chars=state.budget.chars,
                certificate=books.certificate(changes),
                warning=hits.warning(self.policy.least_hit_rate) if usage is not None else "",
                notes=(*failed, *(note for said in replies for one in said for note in one.notes)),
            )
            if self._log is not None:
                body = {"format": format, "pinned": pinned}
                entries = [
                    Entry(before.version + i, "message", {**body, "raw": raw})
                    for i, raw in enumerate(messages)
                ]
                if usage is not None and entries:
                    entries[0].body["usage"] = usage
                for entry, said in zip(entries, replies, strict=True):
                    entry.body.update({"replies": recording.as_json(said)} if said else {})
                if events:
                    entries[-1].body["trace"] = events
                self._log.commit(self.session_id, before.version, entries, keyed, report.as_json())
        except BaseException:
            self._kit.turn.follow(before.history)
            self._forget()
            raise
        self._take(state, books)
        self._hits = hits
        self._know(events, state.version - 1)
        return report

    def _read(self, messages: Sequence[Json], format: str) -> list[Message]:
        return formats.read(messages, format)

    def _stepped(
        self, read: Sequence[Message], books: Books, kit: Kit, told: tuple[bool, Json]
    ) -> tuple[State, list[Change], list[list[Reply]]]:
        """The state after some messages, what was done, and what a summariser answered for each.

        ``told`` says whether they are pinned, and the usage of the context before them.
        """
        pinned, usage = told
        state, changes, replies = self._state, list[Change](), list[list[Reply]]()
        budget = heard(state.budget, usage, state.history, self._kit.tokens)
        if budget is not state.budget:
            state = replace(state, budget=budget)
        for message in read:
            entry = replace(message, seq=state.version, pinned=pinned)
            state, made = step(state, entry, books, kit)
            changes += made
            replies.append(kit.ask.taken() if isinstance(kit.ask, Recorder) else [])
        return state, changes, replies

    def _take(self, state: State, books: Books) -> None:
        self._state = state
        self._kit = self._kit.within(state.budget)
        self._books.take(books)
        self._forget()

    def replay(self, entries: Sequence[Entry]) -> None:
        """Bring the session to where its log is; entries that it already has are skipped."""
        told: list[Entry] = []
        for entry in entries:
            if entry.seq != self._state.version + len(told):
                continue
            if entry.kind == "trace":
                told.append(entry)
                continue
            self._hear(told)
            told = []
            books = self._books.draft()
            events = noted_in(entry)
            books.refs.update(dict.fromkeys(refs_in(events)))
            if entry.kind == "message":
                body = entry.body
                self._count_in(body["format"])
                read = formats.read([body["raw"]], body["format"])
                said = body.get("replies")
                kit = replace(self._kit, ask=None if said is None else Player(said))
                said_with = (bool(body["pinned"]), body.get("usage"))
                state, _, _ = self._stepped(read, books, kit, said_with)
                self._hits = self._hits.noted(body.get("usage"), "")
            else:
                state = repeat(self._state, entry, books, self._kit)
                books.others[entry.seq] = entry.kind
            self._take(state, books)
            self._know(events, entry.seq)
        self._hear(told)

    @property
    def hit_rate(self) -> HitRate:
        """What the provider's reports say of its cache, over the session."""
        return self._hits

    def as_json(self) -> JsonObject:
        """Version, policy and sizes, for a listing."""
        state = self._state
        return {
            "version": state.version,
            "policy": self.policy.name,
            "budget_chars": self.budget_chars,
            "cost_chars": self._kit.meter.total(state.history),
            "messages": len(state.history),
            "evicted": state.evicted,
            "open_calls": list(self._kit.turn.waiting),
        }
