"""A session: a growing history whose context always fits, always is valid, and loses nothing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Literal

import regex

from compactor import formats
from compactor.admit import open_calls
from compactor.archive import Archive, ObjectArchive
from compactor.circuit import NO_PROGRESS, Circuit
from compactor.conform import ALLOWANCE_CHARS, conform
from compactor.context import Context, Stats
from compactor.cost import history_cost, serialise
from compactor.errors import ArtifactCorrupt, InvalidRequest, NotFound, VersionMismatch
from compactor.log import Entry, Keyed, SessionLog
from compactor.memory import attach
from compactor.messages import CLEARED, Block, Json, JsonObject, Message
from compactor.meter import Meter
from compactor.older import entries, is_summary, older
from compactor.policy import Policy
from compactor.report import Change, Covered, Report, Reworked
from compactor.rework import clear_step, history_tokens, summary_step
from compactor.schema import digest_of, tools_text
from compactor.state import CHECKED_FORMATS, Books, State, Tools, fit_beside_note, note_of, step
from compactor.summarise import (
    Summariser,
    SummaryRule,
    ask,
    believed,
    framed,
    statements_of,
)
from compactor.toolset import allowed, unique_tools
from compactor.truncate import FoldHtml
from compactor.validate import format_of

_REF = regex.compile(r"\bref=(a:[0-9a-f]{8,64})\b")


class Session:
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
    ) -> None:
        """Raises BudgetImpossible if the fixed part leaves no room, InvalidRequest if a tool's name
        stands for two definitions.
        """
        self.policy = policy or Policy()
        self.system = system
        self.tools = unique_tools(tools)
        self.archive: Archive = archive or ObjectArchive()
        self.session_id = session_id
        self.budget_chars = self.policy.budget(system, self.tools)
        self._log = store
        self._tools = Tools(
            self.policy,
            self.budget_chars,
            self.archive,
            self._meter(CHECKED_FORMATS),
            fold_html,
            digest_of(self.tools),
        )
        self._state = State()
        self._books = Books()
        self._circuit = Circuit()

    @property
    def version(self) -> int:
        """Number of entries so far: messages, and changes of the key information."""
        return self._state.version

    @property
    def key_info(self) -> str:
        """What the agent keeps in view; the newest entry carries it."""
        return self._state.memory.key_info

    @key_info.setter
    def key_info(self, text: str) -> None:
        self.set_key_info(text)

    def set_key_info(self, text: str, *, expected_version: int | None = None) -> int:
        """Replace the agent's note; the session's new version.

        Raises:
            InvalidRequest: longer than the policy allows, nothing was changed.
            VersionMismatch: the session is not at ``expected_version``.
        """
        most = self.policy.key_info_chars
        if len(text) > most:
            raise InvalidRequest(
                f"key_info may have {most} characters, not {len(text)}; keep what a later turn needs.",
                field="key_info",
            )
        self._check(expected_version)
        entry = Entry(self.version, "key_info", {"text": text})
        if self._log is not None:
            self._log.commit(self.session_id, self.version, [entry], None, {})
        self._note(entry)
        return self.version

    def _note(self, entry: Entry) -> None:
        state = self._state
        memory = replace(state.memory, key_info=str(entry.body["text"]))
        self._state = replace(state, version=state.version + 1, memory=memory)
        self._books.others[entry.seq] = entry.kind

    def _check(self, expected_version: int | None) -> None:
        if expected_version is not None and expected_version != self.version:
            raise VersionMismatch(
                f"The session is at version {self.version}, not {expected_version}; read again."
            )

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
        self._check(expected_version)
        self._count_in(format)
        books = self._books.draft()
        state, changes = before, []
        for offset, read in enumerate(formats.read(messages, format)):
            message = replace(read, seq=before.version + offset, pinned=pinned)
            state, made = step(state, message, books, self._tools)
            changes += made
        state = replace(state, usage=usage if usage is not None else state.usage)
        report = Report(
            version=state.version,
            appended=tuple(range(before.version, state.version)),
            changes=tuple(changes),
            cost_chars=self._tools.meter.total(state.history),
            budget_chars=self.budget_chars,
        )
        if self._log is not None:
            entries = [
                Entry(
                    before.version + i, "message", {"format": format, "pinned": pinned, "raw": raw}
                )
                for i, raw in enumerate(messages)
            ]
            self._log.commit(self.session_id, before.version, entries, keyed, report.as_json())
        self._take(state, books)
        return report

    def _take(self, state: State, books: Books) -> None:
        self._state = state
        self._books.take(books)
        self._tools.meter.keep_only(state.history)

    def _meter(self, names: Sequence[str]) -> Meter:
        return Meter(names, ALLOWANCE_CHARS.get(self.policy.profile, 0))

    def _count_in(self, format: str) -> None:
        """From now on the budget holds in this format too."""
        names = self._tools.meter.names
        if format in formats.FORMATS and format not in names:
            self._tools = replace(self._tools, meter=self._meter((*names, format)))

    def replay(self, entries: Sequence[Entry]) -> None:
        """Bring the session to where its log is; entries that it already has are skipped."""
        for entry in entries:
            if entry.seq != self._state.version:
                continue
            if entry.kind != "message":
                self._redo(entry)
                continue
            self._count_in(entry.body["format"])
            read = formats.read([entry.body["raw"]], entry.body["format"])[0]
            message = replace(read, seq=entry.seq, pinned=bool(entry.body["pinned"]))
            books = self._books.draft()
            state, _ = step(self._state, message, books, self._tools)
            self._take(state, books)

    def _redo(self, entry: Entry) -> None:
        books, state, body = self._books.draft(), self._state, entry.body
        if entry.kind == "key_info":
            self._note(entry)
            return
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

    def should_compact(self, rule: SummaryRule | None = None) -> bool:
        """Whether a summary is due: what stands in the context now is over the trigger, and a try can help.

        Usage that a provider reported for an earlier, longer context does not count.
        """
        rule = rule or SummaryRule()
        allowed = replace(self._circuit, tries=rule.tries).allows(self.version)
        return allowed and history_tokens(self._state.history) > rule.trigger_tokens

    def summarise(self, summariser: Summariser, rule: SummaryRule | None = None) -> Reworked:
        """Replace the older messages by one summary, originals archived first; or change nothing.

        The summariser may append to this session while it works: what came meanwhile stays, in order.
        Its reply is refused where it is empty or not smaller than what it stands for.
        """
        rule = rule or SummaryRule()
        self._circuit = replace(self._circuit, tries=rule.tries)
        if not self._circuit.allows(self.version):
            return Reworked(self._circuit.status())
        if not self.should_compact(rule):
            return Reworked("below the trigger")
        covered = older(self._state.history, rule.keep_messages, self.policy)
        if not covered:
            self._circuit = self._circuit.stuck(self.version)
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
            self._circuit = self._circuit.failed().stuck(self.version)
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

    def context(
        self, format: str = "anthropic", *, allowed_tools: Sequence[str] | None = None
    ) -> Context:
        """The context, ready to send; in its own format also by the rules of the policy's profile.

        The tools never change in a session; ``allowed_tools`` masks those that this request wants.

        Raises:
            InvalidRequest: unknown format, or a tool that the session does not have.
            BudgetError: it cannot be made to fit in this format.
        """
        self._fit_format(format)
        state = self._state
        history = self._with_note()
        messages, lost = formats.write(history, format)
        if self.policy.profile and format_of(self.policy.profile) == format:
            messages = conform(messages, self.policy.profile)
        stats = Stats(
            cost_chars=history_cost(messages),
            budget_chars=self.budget_chars,
            messages=len(messages),
            appended=state.version,
            evicted=state.evicted,
            refs=len(self._books.refs),
        )
        tools = self.tools
        if format == "text" and tools:
            tools = tools_text(tools, state.shown, state.memory.turn)
        mask = allowed(self.tools, allowed_tools)
        return Context(self.system, tools, messages, stats, tuple(lost), mask)

    def _with_note(self) -> Sequence[Message]:
        """The history; between two compactions the working memory floats on its newest entry."""
        state = self._state
        if self.policy.schedule != "epoch":
            return state.history
        text = note_of(state, self._books, self._tools)
        return attach(state.history, text, into_result=self.policy.profile == "mistral-strict")

    def _fit_format(self, format: str) -> None:
        """Make the history fit in a format that no entry came in."""
        if format not in formats.FORMATS or format in self._tools.meter.names:
            return
        self._count_in(format)
        books = self._books.draft()
        before = self._state.history
        history, changes = fit_beside_note(list(before), self._state.memory, self._tools)
        books.note(changes, before, self.archive)
        evicted = sum(change.step == "evict" for change in changes)
        state = replace(self._state, history=tuple(history), evicted=self._state.evicted + evicted)
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

    def refs(self, text: str) -> tuple[str, ...]:
        """Refs in a text that this session can expand; look-alikes are left out."""
        found = dict.fromkeys(match.group(1) for match in _REF.finditer(text))
        return tuple(ref for ref in found if ref in self._books.refs)

    def expand(self, ref: str) -> Json:
        """The exact original behind a ref: a text, or a message or block as a JSON value.

        Raises:
            NotFound: this session has no such ref.
            ArtifactCorrupt: the archive's bytes do not match their hash.
        """
        if ref not in self._books.refs:
            raise NotFound(f"This session has no ref {ref!r}.", field="ref")
        return self.archive.get(ref)

    def expand_text(self, ref: str) -> str:
        """As ``expand``; what is not a text comes as its JSON."""
        value = self.expand(ref)
        return value if isinstance(value, str) else serialise(value)

    def peek(self, ref: str, start: int = 0, count: int = 2_000) -> str:
        """``count`` characters of the original from ``start`` on."""
        return self.expand_text(ref)[max(0, start) : max(0, start) + max(0, count)]

    def grep(self, ref: str, pattern: str, *, most: int = 100) -> list[tuple[int, str]]:
        """Line numbers (from 1) and lines that hold ``pattern`` literally, case-insensitively."""
        wanted = pattern.casefold()
        found = []
        for number, line in enumerate(self.expand_text(ref).splitlines(), 1):
            if wanted in line.casefold():
                found.append((number, line))
                if len(found) >= most:
                    break
        return found

    def visible(self, call_id: str) -> Literal["whole", "partly", "ref", "unknown"]:
        """Whether a call's result stands in the context whole, partly, or only in the archive."""
        for message in self._state.history:
            for result in message.results:
                if call_id in (result.id, result.alias):
                    if result.name == CLEARED:
                        return "ref"
                    return "partly" if result.origin or _has_origin(result) else "whole"
        return "ref" if call_id in self._books.names else "unknown"

    def as_json(self) -> JsonObject:
        """Version, policy and sizes, for a listing."""
        state = self._state
        return {
            "version": state.version,
            "policy": self.policy.name,
            "budget_chars": self.budget_chars,
            "cost_chars": self._tools.meter.total(state.history),
            "messages": len(state.history),
            "evicted": state.evicted,
            "open_calls": list(open_calls(state.history)[1]),
        }


def _has_origin(result: Block) -> bool:
    return any(part.origin for part in result.parts or ())
