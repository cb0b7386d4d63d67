# Made from its namesake in ../awaiting: python -m api.reference
"""Sessions, and what the compactor does without one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Unpack

from api.client import answers, session_calls
from api.client.blocking.sending import Sending
from api.client.call import Json
from api.client.options import MessageFormat, PageOptions, SessionOptions


class Sessions(Sending):
    """Sessions, and what the compactor does without one."""

    def open_session(self, **options: Unpack[SessionOptions]) -> answers.Session:
        """A new session."""
        return self.send(session_calls.open_session(**options))

    def sessions(self, *, cursor: str | None = None, limit: int | None = None) -> Json:
        """Sessions, the one that was written to last first; ``next`` is the cursor for those after."""
        return self.send(session_calls.listed(cursor, limit))

    def session(self, session: str) -> answers.Session:
        """Version and sizes of a session."""
        return self.send(session_calls.show(session))

    def delete_session(self, session: str) -> None:
        """Delete a session, and the originals that only it holds."""
        self.send(session_calls.delete(session))

    def append(
        self,
        session: str,
        messages: Sequence[Json],
        *,
        format: MessageFormat = "anthropic",
        key: str | None = None,
        version: int | None = None,
    ) -> answers.Report:
        """Append messages. A repeated ``key`` changes nothing twice; a stale ``version`` is refused."""
        call = session_calls.append(session, messages, format, key=key, version=version)
        return self.send(call)

    def append_page(
        self,
        session: str,
        page: PageOptions,
        *,
        format: MessageFormat = "anthropic",
        key: str | None = None,
        version: int | None = None,
    ) -> answers.AppendedPage:
        """Fetch a page and append it as a tool's result."""
        call = session_calls.append_page(session, page, format, key=key, version=version)
        return self.send(call)

    def context(
        self, session: str, *, format: MessageFormat = "anthropic"
    ) -> tuple[answers.Context, str]:
        """What to send to the model, with its ETag."""
        made = self.send(session_calls.context(session, format, None))
        assert made is not None
        return made

    def context_since(
        self, session: str, etag: str, *, format: MessageFormat = "anthropic"
    ) -> tuple[answers.Context, str] | None:
        """As ``context``; ``None`` when it is still that of ``etag``."""
        return self.send(session_calls.context(session, format, etag))

    def key_info(self, session: str) -> answers.KeyInfo:
        """What the agent keeps in view."""
        return self.send(session_calls.key_info(session))

    def put_key_info(
        self, session: str, text: str, *, version: int | None = None
    ) -> answers.KeyInfo:
        """Replace what the agent keeps in view."""
        return self.send(session_calls.put_key_info(session, text, version))

    def expand(
        self, session: str, ref: str, *, start: int = 0, count: int | None = None
    ) -> answers.Expanded:
        """What was taken out of a session, or a range of it in characters."""
        return self.send(session_calls.expand(session, ref, start, count))

    def grep(self, session: str, ref: str, keyword: str) -> list[answers.Line]:
        """The lines of what was taken out that hold ``keyword``."""
        return self.send(session_calls.grep(session, ref, keyword))

    def search(self, session: str, keyword: str, *, limit: int | None = None) -> Json:
        """The ``lines`` of all that was taken out that hold ``keyword``, and the ``refs`` looked into."""
        return self.send(session_calls.search(session, keyword, limit))

    def plan(
        self,
        session: str,
        *,
        target_chars: int | None = None,
        format: MessageFormat = "anthropic",
    ) -> Json:
        """What a compaction would do and cost; nothing is done."""
        return self.send(session_calls.plan(session, target_chars, format))

    def apply(self, session: str, plan: Json) -> Json:
        """Do exactly what ``plan`` says, or refuse if the session has moved on."""
        return self.send(session_calls.apply(session, plan))

    def pin(self, session: str, message: int, *, version: int | None = None) -> Json:
        """Keep a message, by its number in the session, whatever is compacted."""
        return self.send(session_calls.pin(session, message, "PUT", version))

    def unpin(self, session: str, message: int, *, version: int | None = None) -> Json:
        """No longer keep it."""
        return self.send(session_calls.pin(session, message, "DELETE", version))

    def certificate(self, session: str) -> list[Json]:
        """Where every entry of the session stands."""
        return self.send(session_calls.certificate(session))

    def validate(self, messages: Sequence[Json], *, profile: str = "anthropic") -> answers.Verdict:
        """What a provider would refuse of these messages."""
        return self.send(session_calls.validate(messages, profile))

    def compact(
        self,
        messages: Sequence[Json],
        *,
        format: MessageFormat = "anthropic",
        **options: Unpack[SessionOptions],
    ) -> dict[str, Any]:
        """A whole history compacted at once, without a session."""
        return self.send(session_calls.compact(messages, format, options))
