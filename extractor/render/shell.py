"""What stands around the content of an HTML document."""

from __future__ import annotations

from dataclasses import dataclass

from extractor.markers import shorten
from extractor.serialise import escape_attribute, escape_text, open_tag

MAX_TITLE_CHARS = 80
MAX_LANG_CHARS = 16

#: Stands for a snapshot id where refs cannot be unfolded.
NOT_KEPT = "not-kept"


@dataclass(frozen=True, slots=True)
class Shell:
    """What stands around the units: the document's head and the snapshot that refs belong to."""

    snapshot_id: str
    title: str
    lang: str
    base_url: str
    direction: str = ""

    def opening(self) -> str:
        attrs = {"lang": self.lang[:MAX_LANG_CHARS]} if self.lang else {}
        if self.direction in ("rtl", "auto"):
            attrs["dir"] = self.direction
        attrs["data-pf-snapshot"] = self.snapshot_id
        base = f'<base href="{escape_attribute(self.base_url)}">' if self.base_url else ""
        title = escape_text(shorten(" ".join(self.title.split()), MAX_TITLE_CHARS))
        return (
            f'<!DOCTYPE html>{open_tag("html", attrs)}<head><meta charset="utf-8">'
            f"<title>{title}</title>{base}</head><body>"
        )

    def closing(self) -> str:
        return "</body></html>"
