"""Take what people cannot see out of a judged document, before anything counts or shows its text."""

from __future__ import annotations

from dataclasses import replace

from extractor.tree import TEXT, Attrs, Tree, body_of
from extractor.unicode_tricks import strip_tricks, suspicious
from extractor.units import ICON, Hidden
from extractor.units.spacing import collapsed
from extractor.visibility import HIDDEN, Verdicts


def quarantined(tree: Tree, verdicts: Verdicts) -> tuple[Tree, list[Hidden]]:
    """The same nodes without hidden text and Unicode tricks, and what was taken out, in order. Linear.

    No later stage can hand out by mistake what is not there any more. Text is hidden as a whole, from the
    outermost element that is; texts of the head are left to the metadata.
    """
    found: list[Hidden] = []
    texts, attributes = list(tree.text), list(tree.attrs)
    state, node, size, icons = verdicts.state, 0, len(tree), ""
    body = body_of(tree)
    tags, all_texts, all_attrs = tree.tag, tree.text, tree.attrs
    while node < size:
        if state[node] != HIDDEN or node <= body:
            # Most have nothing to look at.
            text, attrs = all_texts[node], all_attrs[node]
            if text.isascii() and (not attrs or "".join(attrs.values()).isascii()):
                node += 1
                continue
        if state[node] == HIDDEN and node > body:
            end = tree.end[node]
            removed, reason = (
                collapsed(" ".join(tree.text[node:end])).strip(),
                verdicts.reason[node],
            )
            texts[node:end] = [""] * (end - node)
            after = end
        elif tags[node] == TEXT:
            texts[node], removed, icons = _cleaned(all_texts[node])
            reason, after = "unicode", node + 1
        else:
            attributes[node], removed, icons = _clean_attributes(all_attrs[node])
            reason, after = "unicode", node + 1
        if removed:
            found.append(Hidden.of(node, removed, reason or "display"))
        if icons:
            found.append(Hidden.of(node, icons, ICON))
            icons = ""
        node = after
    return (replace(tree, text=texts, attrs=attributes), found) if found else (tree, found)


def _cleaned(text: str) -> tuple[str, str, str]:
    if not suspicious(text):
        return text, "", ""
    stripped = strip_tricks(text)
    return stripped.text, stripped.removed, stripped.icons


def _clean_attributes(attrs: Attrs | None) -> tuple[Attrs | None, str, str]:
    if attrs is None or all(map(str.isascii, attrs.values())):
        return attrs, "", ""
    parts = {name: _cleaned(value) for name, value in attrs.items()}
    removed, icons = ("".join(part[taken] for part in parts.values()) for taken in (1, 2))
    return {name: part[0] for name, part in parts.items()}, removed, icons


def clean_record(value: object) -> object:
    """A record of plain values (dicts, lists, texts) without tricks in any text."""
    if isinstance(value, str):
        return _cleaned(value)[0]
    if isinstance(value, dict):
        return {name: clean_record(item) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return type(value)(map(clean_record, value))
    return value
