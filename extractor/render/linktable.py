"""Addresses that many links share, written once.

Where it is shorter, a link says ``href="#~3"`` and the entry ``<pf-url id="~3" href="https://…">`` at the end
of the body says where that leads: a fragment that names an element, as in any document. Numbers
depend on the document alone, so a link has the same one under every budget.
"""

from __future__ import annotations

from collections import Counter

from extractor.serialise import escape_attribute, open_tag
from extractor.tree import Attrs
from extractor.units import Doc


class LinkTable:
    """Which links may share an entry, and what their addresses cost."""

    def __init__(self, doc: Doc) -> None:
        self.doc = doc
        self.number: dict[str, int] = {}
        self.uses: Counter[str] = Counter()
        atoms = {node for node in doc.run_node if doc.tree.tag[node] == "a"}
        links = [
            node
            for node in range(len(doc.tree))
            if doc.tags[node] == "a" and node not in atoms and (doc.attrs[node] or {}).get("href")
        ]
        total = Counter((doc.attrs[node] or {})["href"] for node in links)
        for url, count in total.items():
            self.number[url] = len(self.number) + 1
            if not self._shorter(url, count):
                del self.number[url]
        self.shared = {node for node in links if (doc.attrs[node] or {})["href"] in self.number}

    def use(self, node: int, change: int) -> int:
        """Count one more (1) or one less (-1) written link; what that adds, in characters.

        An address is counted here alone, not with its element (see ``without``).
        """
        url = (self.doc.attrs[node] or {})["href"]
        before = self._chars(url)
        self.uses[url] += change
        return self._chars(url) - before

    def without(self, node: int) -> int:
        """Characters of the address in the start tag of a shared link."""
        return len(escape_attribute((self.doc.attrs[node] or {})["href"]))

    def written(self, node: int) -> Attrs | None:
        """The attributes of an element, with what stands for its address."""
        attrs = self.doc.attrs[node]
        if node not in self.shared or attrs is None or not self._tabled(attrs["href"]):
            return attrs
        return attrs | {"href": f"#~{self.number[attrs['href']]}"}

    def entries(self) -> str:
        """The table: one element for each address that stands for two links or more."""
        return "".join(self._entry(url) for url in self.number if self._tabled(url))

    def _chars(self, url: str) -> int:
        count = self.uses[url]
        if not self._tabled(url):
            return count * len(escape_attribute(url))
        return count * len(f"#~{self.number[url]}") + len(self._entry(url))

    def _tabled(self, url: str) -> bool:
        return self._shorter(url, self.uses[url])

    def _shorter(self, url: str, count: int) -> bool:
        short = len(f"#~{self.number[url]}")
        return count * len(escape_attribute(url)) > count * short + len(self._entry(url))

    def _entry(self, url: str) -> str:
        return open_tag("pf-url", {"id": f"~{self.number[url]}", "href": url}) + "</pf-url>"
