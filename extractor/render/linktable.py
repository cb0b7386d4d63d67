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

_ENTRY = len('<pf-url id="" href=""></pf-url>')


class LinkTable:
    """Which links may share an entry, and what their addresses cost."""

    def __init__(self, doc: Doc) -> None:
        self.doc = doc
        self.number: dict[str, int] = {}
        self.uses: Counter[str] = Counter()
        self._sizes: dict[str, tuple[int, int, int]] = {}
        atoms = {node for node in doc.run_node if doc.tree.tag[node] == "a"}
        links = [
            node
            for node in range(len(doc.tree))
            if doc.tags[node] == "a" and node not in atoms and (doc.attrs[node] or {}).get("href")
        ]
        total = Counter((doc.attrs[node] or {})["href"] for node in links)
        for url, count in total.items():
            number = len(self.number) + 1
            if count * len(escape_attribute(url)) > count * (len(str(number)) + 2) + _ENTRY:
                self.number[url] = number
                if not self._shorter(url, count):
                    del self.number[url], self._sizes[url]
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
        return self._lengths((self.doc.attrs[node] or {})["href"])[0]

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
        whole, short, entry = self._lengths(url)
        return count * short + entry if count * (whole - short) > entry else count * whole

    def _tabled(self, url: str) -> bool:
        return self._shorter(url, self.uses[url])

    def _shorter(self, url: str, count: int) -> bool:
        whole, short, entry = self._lengths(url)
        return count * (whole - short) > entry

    def _lengths(self, url: str) -> tuple[int, int, int]:
        """Characters of an address, of what stands for it, and of its entry."""
        found = self._sizes.get(url)
        if found is None:
            whole, number = len(escape_attribute(url)), f"#~{self.number[url]}"
            found = self._sizes[url] = (whole, len(number), whole + len(number) - 1 + _ENTRY)
        return found

    def _entry(self, url: str) -> str:
        return open_tag("pf-url", {"id": f"~{self.number[url]}", "href": url}) + "</pf-url>"
