"""A session's steps that make its history shorter on request: a summary of what is older, used results
cleared."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from operator import ge

from compactor.books import Books
from compactor.circuit import NO_PROGRESS, Circuit
from compactor.messages import JsonObject, entries, is_summary
from compactor.older import older
from compactor.recording import Recorder, as_json
from compactor.report import Reworked
from compactor.rework import clear_step, history_tokens, strategy_step, summary_step
from compactor.shortening import is_due
from compactor.state import State
from compactor.strategy import StrategyRule
from compactor.summarise import Summariser, SummaryRequest, SummaryRule, ask, statements_of
from compactor.trace.appending import Appending
from compactor.trust import believed, framed


class Reworking(Appending):
    """The part of a session that rewrites what is older, when its owner says so."""

    _circuit: Circuit

    def should_compact(self, rule: SummaryRule | None = None) -> bool:
        """Whether a summary is due: what stands in the context now is over the trigger, and a try can help.

        Usage that a provider reported for an earlier, longer context does not count.
        """
        rule = rule or SummaryRule()
        allowed = replace(self._circuit, tries=rule.tries).allows(self._state.version)
        return allowed and history_tokens(self._state.history) > rule.trigger_tokens

    def summarise(self, summariser: Summariser, rule: SummaryRule | None = None) -> Reworked:
        """Replace the older messages by one summary, originals archived first; or change nothing.

        The summariser may append to this session while it works: what came meanwhile stays, in order.
        Its reply is refused where it is empty or not smaller than what it stands for.
        """
        rule = rule or SummaryRule()
        self._circuit = replace(self._circuit, tries=rule.tries)
        if not self._circuit.allows(self._state.version):
            return Reworked(self._circuit.status())
        if not self.should_compact(rule):
            return Reworked("below the trigger")
        covered = older(self._state.history, rule.keep_messages, self.policy)
        if not covered:
            self._circuit = self._circuit.stuck(self._state.version)
            return Reworked(NO_PROGRESS)
        statements = statements_of(covered, self.archive)
        try:
            request = SummaryRequest(tuple(statements), rule.most_tokens)
            reply = ask(summariser, request, rule.window_tokens)
        except Exception as error:  # a plug-in may raise anything; the session must outlive it
            self._circuit = self._circuit.failed()
            return Reworked(f"failed: {type(error).__name__}")
        if not reply:
            self._circuit = self._circuit.failed()
            return Reworked("failed: the summary is empty")
        raws = [raw for message in covered for _, raw in message.members]
        ref = self.archive.put(raws)
        text = framed(believed(reply, statements), len(raws), ref)
        return self._put_summary(entries(covered), text, ref, rule)

    def _put_summary(self, covered: set[int], text: str, ref: str, rule: SummaryRule) -> Reworked:
        books, before = self._books.draft(), self._state
        made = summary_step(before, covered, text, ref, books, self._kit)
        if made is None:
            return Reworked("superseded")
        state, changes, gone = made
        new = [m for m in state.history if is_summary(m)]
        was, now = history_tokens(gone), history_tokens(new)
        each = self._kit.meter.each
        grows = any(map(ge, each(new), each(gone)))
        if grows or now >= was or now > rule.most_tokens:
            self._circuit = self._circuit.failed().stuck(self._state.version)
            most = min(was, rule.most_tokens)
            return Reworked(f"rejected: {now} > {most} tokens", (), was, now)
        lines = books.certificate(changes)
        body = {"seqs": sorted(covered), "text": text, "ref": ref}
        self._settled("summary", body, state, books)
        self._circuit = self._circuit.closed()
        return Reworked("done", tuple(changes), was, now, lines)

    def shorten(self, strategy: StrategyRule | str | None = None) -> Reworked:
        """Let a strategy work now, by default the policy's own; or change nothing.

        Summaries come from the session's summariser. A strategy with a trigger of its own waits for it
        here, too.

        Raises:
            InvalidRequest: no such strategy.
        """
        rule = self.policy.strategy if strategy is None else strategy
        rule = StrategyRule.of(rule) if isinstance(rule, str) else rule
        books, before = self._books.draft(), self._state
        state, changes = strategy_step(before, rule, books, self._kit)
        ask = self._kit.ask
        replies = ask.taken() if isinstance(ask, Recorder) else []
        notes = tuple(note for reply in replies for note in reply.notes)
        if not changes:
            self._forget()
            return Reworked(NO_PROGRESS, notes=notes)
        was, now = history_tokens(before.history), history_tokens(state.history)
        lines = books.certificate(changes)
        body = {"rule": rule.as_json(), "replies": as_json(replies)}
        self._settled("strategy", body, state, books)
        return Reworked("done", tuple(changes), was, now, lines, notes)

    def _settled(self, kind: str, body: JsonObject, state: State, books: Books) -> None:
        """Commit a step that may have made summaries, with what they claim."""
        seq, events = self._state.version, self._claimed(state)
        self._settle(kind, body | ({"trace": events} if events else {}), state, books)
        self._know(events, seq)

    def is_due(self, rule: StrategyRule) -> bool:
        """Whether a strategy's trigger asks for it now, however shortly one has worked before."""
        state = self._state
        return is_due(list(state.history), state.memory, rule, self._kit)

    def clear_tool_results(self, keep: int = 3, exclude: Sequence[str] = ()) -> Reworked:
        """Replace results that were used by one line with a ref each, all but the newest ``keep``.

        Results of the tools in ``exclude`` stay, and so does what would not become shorter.
        """
        books, before = self._books.draft(), self._state
        state, changes = clear_step(before, keep, exclude, books, self._kit)
        if not changes:
            return Reworked(NO_PROGRESS)
        was, now = history_tokens(before.history), history_tokens(state.history)
        lines = books.certificate(changes)
        self._settle("clear", {"keep": keep, "exclude": list(exclude)}, state, books)
        return Reworked("done", tuple(changes), was, now, lines)
