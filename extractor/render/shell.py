"""What stands around the content of an HTML document."""

from __future__ import annotations

from dataclasses import dataclass

from extractor.markers import shorten
from extractor.serialise import escape_attribute, escape_text, open_tag

MAX_TITLE_CHARS = 80
MAX_LANG_CHARS = 16
#: The whole shell, so that a marker still fits beside it in the smallest budget.
MAX_SHELL_CHARS = 420

#: Stands for a snapshot id where refs cannot be unfolded.
NOT_KEPT = "not-kept"


@dataclass(frozen=True, slots=True)
class Shell:
    """What stands around the units: the document's head and the snapshot that refs belong to.

    ``markup`` says how much markup was left out, and under which ref all of it is; empty where nothing was.
    """

    snapshot_id: str
    title: str
    lang: str
    base_url: str
    direction: str = ""
    markup: str = ""

    def opening(self) -> str:
        attrs = {"lang": self.lang[:MAX_LANG_CHARS]} if self.lang else {}
        if self.direction in ("rtl", "auto"):
            attrs["dir"] = self.direction
        attrs["data-pf-snapshot"] = self.snapshot_id
        if self.markup:
            attrs["data-pf-markup"] = self.markup
        base = f'<base href="{escape_attribute(self.base_url)}">' if self.base_url else ""
        before = f'<!DOCTYPE html>{open_tag("html", attrs)}<head><meta charset="utf-8"><title>'
        after = f"</title>{base}</head><body>"
        room = MAX_SHELL_CHARS - len(before) - len(after) - len(self.closing())
        return f"{before}{self._title(room)}{after}"

    def _title(self, room: int) -> str:
        """The title in at most ``room`` characters, its escapes counted."""
        limit, title = MAX_TITLE_CHARS, " ".join(self.title.split())
        while limit > 1:
            written = escape_text(shorten(title, limit))
            if len(written) <= room:
                return written
            limit -= max(1, (len(written) - room) // 5)
        return ""

    def closing(self) -> str:
        return "</body></html>"
