"""What a session gives out: the context in any format, and where every entry stands."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import replace

from compactor import formats
from compactor.breakpoints import Breakpoint, breakpoints
from compactor.carrying import not_carried, tools_sentence
from compactor.conform import ALLOWANCE_CHARS, conform
from compactor.context import Context, Stats
from compactor.cost import history_cost, serialise
from compactor.memory import float_on
from compactor.messages import Json, Message
from compactor.meter import Meter
from compactor.report import Change, Covered
from compactor.schema import tools_text
from compactor.settling import fit_beside_note
from compactor.state import note_of, told_of
from compactor.steering import Steering
from compactor.till import Till, sent
from compactor.toolset import allowed
from compactor.validate import format_of


class Sending(Steering):
    """The part of a session that its owner reads before each request."""

    system: Json
    tools: Json
    _till: Till

    def _meter(self, names: Sequence[str]) -> Meter:
        return Meter(names, ALLOWANCE_CHARS.get(self.policy.profile, 0))

    def _count_in(self, format: str) -> None:
        """From now on the budget holds in this format too."""
        names = self._kit.meter.names
        if format in formats.FORMATS and format not in names:
            self._kit = replace(self._kit, meter=self._meter((*names, format)))

    def context(
        self,
        format: str = "anthropic",
        *,
        allowed_tools: Sequence[str] | None = None,
        model: str = "",
        idle_s: float = 0.0,
    ) -> Context:
        """The context, ready to send; in its own format also by the rules of the policy's profile.

        The tools never change in a session; ``allowed_tools`` masks those that this request wants.
        ``model`` (by default the policy's) and ``idle_s``, the seconds since the last request, count for
        the modelled cost alone.

        Raises:
            InvalidRequest: unknown format, or a tool that the session does not have.
            BudgetError: it cannot be made to fit in this format.
            PrefixBroken: the policy checks the prefix, and the request before is not the start of this one.
        """
        self._fit_format(format)
        state = self._state
        history, note = self._with_note()
        messages, lost = formats.write(history, format)
        if self.policy.profile and format_of(self.policy.profile) == format:
            messages = conform(messages, self.policy.profile)
        tools = self.tools
        if format == "text" and tools:
            tools = tools_text(tools, state.shown, state.memory.turn)
        mask = allowed(self.tools, allowed_tools)
        noted = len(history) > len(state.history)
        places = self._breakpoints(messages, note=noted, format=format)
        now = sent(state, [tools, self.system, messages], note, model=model or self.policy.model)
        spent = self._till.charge(
            format, now, self.policy, idle_s=idle_s, asked=not self._kit.turn.waiting
        )
        stats = Stats(
            cost_chars=history_cost(messages),
            budget_chars=self.budget_chars,
            messages=len(messages),
            appended=state.version,
            evicted=state.evicted,
            refs=len(self._books.refs),
            epoch=state.epoch.number,
            reused_chars=spent.reused_chars,
            written_chars=spent.written_chars,
            modelled_cost=spent.cost,
            miss=spent.miss,
        )
        return Context(
            self.system,
            tools,
            messages,
            stats,
            tuple(lost),
            mask,
            places,
            self._cache_key,
            now.prefix_hash,
            not_carried(format, self.policy.prices, mask=mask),
            tools_sentence(format, mask),
        )

    def _breakpoints(
        self, messages: Sequence[Json], *, note: bool, format: str
    ) -> tuple[Breakpoint, ...]:
        if format != "anthropic":
            return ()  # only there a request says what shall be cached
        places = breakpoints(messages, system=self.system, tools=self.tools, note=note)
        # The newest serve the next request; the fixed part is cached with what stands behind it.
        most = self.policy.prices.breakpoints
        return places[max(0, len(places) - most) :] if most else ()

    @property
    def _cache_key(self) -> str:
        written = serialise([self.session_id, self.system, self.tools])
        return "pf-" + hashlib.sha256(written.encode("utf-8", "surrogatepass")).hexdigest()[:24]

    def _with_note(self) -> tuple[Sequence[Message], str]:
        """The history, and the working memory that floats on its newest entry between compactions."""
        state = self._state
        if self.policy.schedule != "epoch" or self._says_it_all():
            return state.history, ""
        text = note_of(state, self._books, self._kit)
        into_result = self.policy.profile == "mistral-strict"
        return float_on(state.history, text, into_result=into_result), text

    def _says_it_all(self) -> bool:
        """Whether the history is whole, far from the budget, and nothing was noted."""
        state = self._state
        # What was only mended is all there still.
        taken = any(origin.step != "mend" for origin in self._books.origins.values())
        told = state.memory.key_info or state.memory.trace
        if taken or state.evicted or state.epoch.number or told:
            return False
        return self._kit.meter.total(state.history) < self.policy.anchor_from * self.budget_chars

    def _fit_format(self, format: str) -> None:
        """Make the history fit in a format that no entry came in."""
        if format not in formats.FORMATS or format in self._kit.meter.names:
            return
        self._count_in(format)
        books = self._books.draft()
        before = self._state.history
        history, changes = fit_beside_note(list(before), self._state.memory, self._kit)
        books.note(changes, before, self.archive)
        room = self._kit.room(self._state.memory)
        history, left = told_of(history, self._state, changes, books, self._kit, room=room)
        evicted = sum(change.step == "evict" for change in changes)
        state = replace(
            self._state,
            history=tuple(history),
            evicted=self._state.evicted + evicted,
            left=left,
        )
        self._take(state, books)

    def certificate(self, context: Context) -> tuple[Covered, ...]:
        """For each entry of the session: where it stands in ``context``, or the refs that hold it."""
        places = {id(raw): index for index, raw in enumerate(context.messages)}
        standing = {
            seq: places[id(raw)]
            for message in self._state.history
            for seq, raw in message.members
            if id(raw) in places
        }
        entries = (seq for seq in range(self.version) if seq not in self._books.others)
        return tuple(self._covered(seq, standing.get(seq, -1)) for seq in entries)

    def _covered(self, seq: int, at: int) -> Covered:
        books = self._books
        if at >= 0 and seq not in books.originals:
            return Covered(seq, kept=True, at=at)
        if seq not in books.originals:
            # Unchanged, but written in another format than it came in.
            change = Change("archive", seq, "", 0, 0, "format")
            books.note([change], self._state.history, self.archive)
        return Covered(seq, False, -1, books.originals[seq], books.covered.get(seq, ()))
