"""Random trees: anything a script could build, valid HTML or not."""

from __future__ import annotations

from hypothesis import strategies as st

from extractor.tree import TEXT, Tree

TAGS = [
    "div", "span", "p", "a", "b", "i", "ul", "ol", "li", "dl", "dt", "dd", "table", "thead", "tbody",
    "tr", "td", "th", "caption", "colgroup", "col", "select", "option", "optgroup", "button", "form",
    "h1", "h2", "pre", "textarea", "section", "article", "nav", "main", "details", "summary", "ruby",
    "rt", "rp", "rb", "rtc", "br", "hr", "img", "input", "x-card", "slot", "svg", "math", "title", "body", "html",
    "head", "frameset", "iframe", "noscript", "nobr", "object", "marquee", "applet", "label", "font",
    "center", "search", "menu", "dir", "blockquote", "figure", "listing", "xmp", "plaintext", "template",
    "image", "keygen", "em", "code", "datalist", "fieldset", "legend", "address", "strong", "u", "tt",
]  # fmt: skip

TEXTS = [
    "",
    " ",
    "\n",
    "word",
    "\nlead",
    "a & b <i>",
    "tail\n",
    "Two. Sentences here.",
    "\u00a0",
    "好",
    "x\r\ny",
]


@st.composite
def trees(draw: st.DrawFn, max_nodes: int = 60) -> Tree:
    """A document whose body is random."""
    tree = Tree(["html", "head", "body"], [-1, 0, 0], [0, 2, 0], [None] * 3, [""] * 3)
    open_nodes = [2]
    for step in range(draw(st.integers(0, max_nodes))):
        for _ in range(draw(st.integers(0, 2))):
            if len(open_nodes) > 1:
                tree.end[open_nodes.pop()] = len(tree)
        is_text = draw(st.booleans()) and tree.tag[-1] != TEXT
        tag = TEXT if is_text else draw(st.sampled_from(TAGS))
        index = len(tree)
        tree.tag.append(tag)
        tree.parent.append(open_nodes[-1])
        tree.end.append(index + 1)
        tree.attrs.append({"id": f"n{step}"} if not is_text and step % 5 == 0 else None)
        tree.text.append(draw(st.sampled_from(TEXTS[1:])) if is_text else "")
        if not is_text:
            open_nodes.append(index)
    while open_nodes:
        tree.end[open_nodes.pop()] = len(tree)
    tree.end[0] = len(tree)
    return tree
