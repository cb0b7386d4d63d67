"""Notes beside the history: drafts that never enter a context, readable on demand."""

from __future__ import annotations

import re

from compactor.clean import has_lone_surrogate
from compactor.errors import InvalidRequest, NotFound
from compactor.rework import draft_step
from compactor.steering import Steering

_NAME = re.compile(r"[A-Za-z0-9_.-]{1,64}")


class Drafts(Steering):
    """The part of a session that keeps notes. Their texts stand in the archive, their names in the log."""

    @property
    def notes(self) -> tuple[str, ...]:
        """Names of the notes, those that were written last at the end."""
        return tuple(name for name, _ in self._state.notes)

    def note(self, name: str) -> str:
        """A note's text.

        Raises:
            NotFound: there is none of that name.
        """
        for known, ref in self._state.notes:
            if known == name:
                return str(self.archive.get(ref))
        raise NotFound(f"This session has no note {name!r}.", field="name")

    def put_note(self, name: str, text: str, *, expected_version: int | None = None) -> int:
        """Write a note, or write over it; an empty text removes it. The session's new version.

        Raises:
            InvalidRequest: a name of other letters than those of file names, too long a text, or too many
                notes (``Policy.note_chars``, ``Policy.most_notes``).
            VersionMismatch: the session is not at ``expected_version``.
        """
        policy = self.policy
        if not _NAME.fullmatch(name):
            raise InvalidRequest(
                "name may have 64 letters, digits, dots, dashes and underscores.", field="name"
            )
        if len(text) > policy.note_chars:
            raise InvalidRequest(
                f"A note may have {policy.note_chars} characters, not {len(text)}.", field="text"
            )
        if has_lone_surrogate(text):
            raise InvalidRequest("The note holds half a surrogate pair.", field="text")
        if text and name not in self.notes and len(self.notes) >= policy.most_notes:
            raise InvalidRequest(
                f"A session may have {policy.most_notes} notes; remove one.", field="name"
            )
        self.check_version(expected_version)
        ref = self.archive.put(text) if text else ""
        return self._settle("note", {"name": name, "ref": ref}, draft_step(self._state, name, ref))
