"""Whether markup is whole: every element that was opened is closed, innermost first."""

from __future__ import annotations

from html.parser import HTMLParser

_VOID = frozenset("area base br col embed hr img input link meta param source track wbr".split())


def well_formed(markup: str) -> bool:
    """False for markup that was cut, or whose tags cross; void elements need no end."""
    reader = _Reader(convert_charrefs=True)
    reader.feed(markup)
    cut = bool(reader.rawdata)
    reader.close()
    return not cut and not reader.crossed and not reader.open


class _Reader(HTMLParser):
    def __init__(self, *, convert_charrefs: bool) -> None:
        super().__init__(convert_charrefs=convert_charrefs)
        self.open: list[str] = []
        self.crossed = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in _VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Closed where it was opened, as foreign elements may be."""

    def handle_endtag(self, tag: str) -> None:
        if tag in _VOID:
            return
        if self.open and self.open[-1] == tag:
            self.open.pop()
        else:
            self.crossed = True
