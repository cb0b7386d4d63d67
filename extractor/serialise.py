"""Write flat arrays as HTML, so that parsing the result gives the same arrays."""

from __future__ import annotations

from extractor.nesting import RULES
from extractor.tree import TEXT, Attrs, Tree


def escape_text(data: str) -> str:
    """Text as HTML character data."""
    if "&" in data:
        data = data.replace("&", "&amp;")
    if "<" in data:
        data = data.replace("<", "&lt;")
    return data.replace(">", "&gt;") if ">" in data else data


def escape_attribute(value: str) -> str:
    """A value for a double-quoted attribute.

    Angle brackets are escaped too, so that no value can end an element for a parser that reads it in
    another state (HTML Living Standard, 13.3, "escaping a string").
    """
    value = escape_text(value)
    return value.replace('"', "&quot;") if '"' in value else value


def open_tag(tag: str, attrs: Attrs | None) -> str:
    """A start tag with its attributes in the order given."""
    if not attrs:
        return f"<{tag}>"
    plain, quotes = f"<{tag}", 0
    for name, value in attrs.items():
        if value:
            plain += f' {name}="{value}"'
            quotes += 2
        else:
            plain += f" {name}"
    # One look at all values together: most hold nothing that must be escaped.
    unescaped = "&" not in plain and ">" not in plain and plain.rfind("<") == 0
    if unescaped and plain.count('"') == quotes:
        return plain + ">"
    written = [
        f' {name}="{escape_attribute(value)}"' if value else f" {name}"
        for name, value in attrs.items()
    ]
    return f"<{tag}{''.join(written)}>"


def leading_newline_guard(tag: str, first_text: str) -> str:
    """What must stand before text that starts with LF, which a parser would swallow.

    In ``pre`` the comment keeps the LF through serialisers that do not double it; the LF before it is for
    parsers that look past the comment.
    """
    if first_text.startswith("\n"):
        if tag == "pre":
            return "\n<!---->"
        if tag == "textarea":
            return "\n"
    return ""


def serialise(tree: Tree) -> str:
    """The whole document. ``tree`` must be in normal form (see ``nesting.normalise``)."""
    out = ["<!DOCTYPE html>"]
    tags, ends, texts, attrs = tree.tag, tree.end, tree.text, tree.attrs
    void = RULES.void
    open_ends: list[int] = []
    open_tags: list[str] = []
    size = len(tree)
    for node in range(size):
        while open_ends and open_ends[-1] <= node:
            open_ends.pop()
            out.append(f"</{open_tags.pop()}>")
        tag = tags[node]
        if tag == TEXT:
            out.append(escape_text(texts[node]))
            continue
        out.append(open_tag(tag, attrs[node]))
        if tag in void:
            continue
        if tag in ("pre", "textarea") and node + 1 < ends[node] and tags[node + 1] == TEXT:
            out.append(leading_newline_guard(tag, texts[node + 1]))
        open_ends.append(ends[node])
        open_tags.append(tag)
    while open_tags:
        out.append(f"</{open_tags.pop()}>")
    return "".join(out)
