"""The output of the nesting pass while elements are still open."""

from __future__ import annotations

from extractor.nesting.rules import RULES
from extractor.nesting.tables import suits, wrappers
from extractor.tree import TEXT, Attrs, Tree

#: An element that is still open: where it ends in the input, its index in the output, its name, its bits,
#: and whether it was not in the input (implied).
Open = tuple[int, int, str, int, bool]


class Writer:
    """Open elements, and the arrays they are written to."""

    def __init__(self) -> None:
        self.out = Tree([], [], [], [], [])
        self.stack: list[Open] = []
        self.open_paragraphs: list[int] = []
        self.broken_paragraphs: list[int] = []

    def emit(
        self, name: str, attrs: Attrs | None, end: int, bits: int, *, implied: bool = False
    ) -> None:
        """Open an element."""
        out = self.out
        index = len(out.tag)
        if name in RULES.p_closers:
            self.at_block(name, index)
        out.tag.append(name)
        out.parent.append(self.stack[-1][1] if self.stack else -1)
        out.end.append(0)
        out.attrs.append(attrs)
        out.text.append("")
        self.stack.append((end, index, name, bits, implied))

    def at_block(self, name: str, index: int) -> None:
        """Note that an element begins that would end an open paragraph."""
        if self.open_paragraphs:
            self.broken_paragraphs += self.open_paragraphs
            self.open_paragraphs = []
        if name == "p":
            self.open_paragraphs.append(index)

    def pop(self) -> None:
        """Close the innermost element."""
        index = self.stack.pop()[1]
        self.out.end[index] = len(self.out.tag)
        if self.open_paragraphs and self.open_paragraphs[-1] == index:
            self.open_paragraphs.pop()

    def fit(self, name: str) -> Open:
        """Close implied wrappers that do not suit ``name``, open those that it needs."""
        stack = self.stack
        while stack[-1][4] and not suits(name, stack[-1][2]):
            self.pop()
        for wrapper in wrappers(name, stack[-1][2]):
            end, _, _, bits, _ = stack[-1]
            self.emit(wrapper, {"data-pf-tag": "-"}, end, bits, implied=True)
        return stack[-1]

    def write(self, data: str) -> None:
        """Text where it stands, joined to text right before it."""
        out = self.out
        if not data:
            return
        parent = self.stack[-1][1]
        if out.tag[-1] == TEXT and out.parent[-1] == parent:
            out.text[-1] += data
            return
        out.tag.append(TEXT)
        out.parent.append(parent)
        out.end.append(len(out.tag))
        out.attrs.append(None)
        out.text.append(data)

    def finish(self) -> Tree:
        """Close all; paragraphs that hold what a paragraph cannot become ``div``."""
        while self.stack:
            self.pop()
        for node in self.broken_paragraphs:
            self.out.tag[node] = "div"
            attrs = self.out.attrs[node] or {}
            self.out.attrs[node] = (
                attrs if "data-pf-tag" in attrs else {"data-pf-tag": "p", **attrs}
            )
        return self.out
