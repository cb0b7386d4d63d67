"""What an owner tells a session between messages: the agent's note, and what must stay."""

from __future__ import annotations

from compactor.archive import Archive
from compactor.books import Books
from compactor.clean import has_lone_surrogate
from compactor.errors import InvalidRequest, VersionMismatch
from compactor.kit import Kit
from compactor.log import Along, Entry, SessionLog
from compactor.messages import Json
from compactor.policy import Policy
from compactor.rework import note_step, pin_step
from compactor.snapshot import check_refs
from compactor.state import State


class Steering:
    """The part of a session that its owner steers; each step is one entry of the log."""

    policy: Policy
    archive: Archive
    session_id: str
    _log: SessionLog | None
    _kit: Kit
    _state: State
    _books: Books

    def _take(self, state: State, books: Books) -> None:
        raise NotImplementedError

    @property
    def version(self) -> int:
        """Number of entries so far: messages, and changes of the key information."""
        return self._state.version

    @property
    def budget_chars(self) -> int:
        """The budget B of the running epoch, in characters."""
        return self._state.budget.chars

    def _forget(self) -> None:
        """Let go of what a try has made that was not taken."""
        self._kit.meter.keep_only(self._state.history)
        self._kit.settled.keep_only(self._state.history)

    def check_version(self, expected_version: int | None) -> None:
        """Raises VersionMismatch unless the session is there; ``None`` asks for nothing."""
        version = self._state.version
        if expected_version is not None and expected_version != version:
            raise VersionMismatch(
                f"The session is at version {version}, not {expected_version}; read again."
            )

    def _settle(
        self,
        kind: str,
        body: Json,
        state: State,
        books: Books | None = None,
        *,
        along: Along | None = None,
    ) -> int:
        """Commit a step that is no message and take what it made; the new version."""
        before = self._state.version
        if books is not None:
            check_refs(books.fresh_refs, self.archive)
        if self._log is not None:
            more, entry = along or Along(), Entry(before, kind, body)
            self._log.commit(
                self.session_id, before, [entry], more.keyed, more.reply, beside=more.beside
            )
        books = books or self._books.draft()
        books.others[before] = kind
        self._take(state, books)
        return state.version

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
            InvalidRequest: longer than the policy allows, or not encodable; nothing was changed.
            VersionMismatch: the session is not at ``expected_version``.
        """
        most = self.policy.key_info_chars
        if len(text) > most:
            raise InvalidRequest(
                f"key_info may have {most} characters, not {len(text)}; keep what a later turn needs.",
                field="key_info",
            )
        if has_lone_surrogate(text):
            raise InvalidRequest("key_info holds half a surrogate pair.", field="key_info")
        self.check_version(expected_version)
        return self._settle("key_info", {"text": text}, note_step(self._state, text))

    def pin(
        self, message_id: int, *, pinned: bool = True, expected_version: int | None = None
    ) -> int:
        """Keep a message, as it stands now, for good; the session's new version.

        ``message_id`` is its number in the session, as in ``Report.appended``. What shares its turn
        stays, too. ``pinned=False`` lets it go again.

        Raises:
            NotFound: it does not stand in the context.
            MandatoryDoesNotFit: what must stay would be over the budget; nothing was changed.
            VersionMismatch: the session is not at ``expected_version``.
        """
        self.check_version(expected_version)
        state = pin_step(self._state, message_id, self._kit, pinned=pinned)
        return self._settle("pin", {"seq": message_id, "pinned": pinned}, state)
