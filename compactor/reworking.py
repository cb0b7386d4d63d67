"""A session's steps that its owner asks for: a summary of what is older, used results cleared."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from compactor.archive import Archive
from compactor.circuit import NO_PROGRESS, Circuit
from compactor.errors import ArtifactCorrupt
from compactor.log import Entry, SessionLog
from compactor.older import entries, is_summary, older
from compactor.policy import Policy
from compactor.report import Reworked
from compactor.rework import clear_step, history_tokens, summary_step
from compactor.state import Books, State, Tools
from compactor.summarise import (
    Summariser,
    SummaryRule,
    ask,
    believed,
    framed,
    statements_of,
)


class Reworking:
    """The half of a session that makes its history shorter on request; each step is one log entry."""

    policy: Policy
    archive: Archive
    session_id: str
    _log: SessionLog | None
    _tools: Tools
    _state: State
    _books: Books
    _circuit: Circuit

    def _take(self, state: State, books: Books) -> None:
        raise NotImplementedError

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
        statements = statements_of(covered)
        try:
            reply = ask(summariser, statements, rule)
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
        made = summary_step(before, covered, text, ref, books, self._tools)
        if made is None:
            return Reworked("superseded")
        state, changes, gone = made
        new = [m for m in state.history if is_summary(m)]
        was, now = history_tokens(gone), history_tokens(new)
        grows = self._tools.meter.total(new) >= self._tools.meter.total(gone)
        if grows or now >= was or now > rule.most_tokens:
            self._circuit = self._circuit.failed().stuck(self._state.version)
            most = min(was, rule.most_tokens)
            return Reworked(f"rejected: {now} > {most} tokens", (), was, now)
        entry = Entry(
            before.version, "summary", {"seqs": sorted(covered), "text": text, "ref": ref}
        )
        if self._log is not None:
            self._log.commit(self.session_id, before.version, [entry], None, {})
        self._settle(entry, state, books)
        self._circuit = self._circuit.closed()
        return Reworked("done", tuple(changes), was, now)

    def clear_tool_results(self, keep: int = 3, exclude: Sequence[str] = ()) -> Reworked:
        """Replace results that were used by one line with a ref each, all but the newest ``keep``.

        Results of the tools in ``exclude`` stay, and so does what would not become shorter.
        """
        books, before = self._books.draft(), self._state
        state, changes = clear_step(before, keep, exclude, books, self._tools)
        if not changes:
            return Reworked(NO_PROGRESS)
        entry = Entry(before.version, "clear", {"keep": keep, "exclude": list(exclude)})
        if self._log is not None:
            self._log.commit(self.session_id, before.version, [entry], None, {})
        was, now = history_tokens(before.history), history_tokens(state.history)
        self._settle(entry, state, books)
        return Reworked("done", tuple(changes), was, now)

    def _redo(self, entry: Entry) -> None:
        books, state, body = self._books.draft(), self._state, entry.body
        if entry.kind == "summary":
            seqs = set(body["seqs"])
            made = summary_step(state, seqs, body["text"], body["ref"], books, self._tools)
            if made is None:
                raise ArtifactCorrupt("The log's summary covers what is not there.")
            state = made[0]
        else:
            state, _ = clear_step(state, body["keep"], body["exclude"], books, self._tools)
        self._settle(entry, state, books)

    def _settle(self, entry: Entry, state: State, books: Books) -> None:
        """Take what a step that is no message has made."""
        self._take(state, books)
        self._books.others[entry.seq] = entry.kind
