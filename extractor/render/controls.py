"""What images, form controls and other atoms say in formats that have no elements."""

from __future__ import annotations

from extractor.tree import TEXT, Tree, semantic
from extractor.units import Doc

_BUTTONS = frozenset({"submit", "button", "reset", "image"})
_DRAWINGS = frozenset({"svg", "canvas", "video", "audio"})
_CHOICES = frozenset({"checkbox", "radio"})


def control_text(doc: Doc, node: int) -> str:
    """One short line for an atom, such as ``[input city: Lima]``; empty if it says nothing."""
    tag = doc.tree.tag[node]
    attrs = doc.attrs[node] or {}
    label = attrs.get("aria-label", "")
    if tag == "input":
        return _input(attrs, label)
    if tag == "select":
        return _boxed("select", attrs.get("name", "") or label, _options(doc.tree, node))
    if tag == "textarea":
        text = "".join(doc.tree.text[node + 1 : doc.tree.end[node]]) or attrs.get("placeholder", "")
        return _boxed("textarea", attrs.get("name", "") or label, text)
    if tag in ("progress", "meter"):
        top = attrs.get("max", "")
        return _boxed(
            tag, label, f"{attrs.get('value', '')}/{top}" if top else attrs.get("value", "")
        )
    if tag == "button":
        return f"[{_line(label) or 'button'}]"
    if tag == "pf-frame":
        where = attrs.get("data-pf-url", "") or attrs.get("data-pf-error", "")
        return _boxed("frame", attrs.get("title", ""), where)
    if tag == "a":
        return _line(label or (doc.tree.attrs[node] or {}).get("title", ""))
    name = drawing_label(doc, node)
    return _boxed("image", "", name) if name else _line(label)


def drawing_label(doc: Doc, node: int) -> str:
    """What a drawing, canvas, film or sound is called; empty for other elements."""
    attrs = doc.tree.attrs[node] or {}
    if attrs.get("data-pf-tag") not in _DRAWINGS:
        return ""
    return _line(f"{attrs.get('aria-label', '')} {attrs.get('title', '')}")


def _input(attrs: dict[str, str], label: str) -> str:
    kind = attrs.get("type", "text").lower()
    name = attrs.get("name", "") or label
    if kind in _BUTTONS:
        return _boxed("button", "", attrs.get("value", "") or attrs.get("alt", "") or label or kind)
    if kind in _CHOICES:
        value = attrs.get("value", "")
        state = "checked" if "checked" in attrs else "unchecked"
        return _boxed(kind, f"{name} {value}" if value not in ("", "on") else name, state)
    shown = "input" if kind in ("", "text") else kind
    return _boxed(shown, name, attrs.get("value", "") or attrs.get("placeholder", ""))


def _options(tree: Tree, node: int) -> str:
    names: list[str] = []
    chosen = ""
    for child in range(node + 1, tree.end[node]):
        if semantic(tree, child) != "option" or tree.tag[child] == TEXT:
            continue
        name = _line("".join(tree.text[child + 1 : tree.end[child]]))
        names.append(name)
        if "selected" in (tree.attrs[child] or {}):
            chosen = name
    listed = ", ".join(name for name in names if name)
    return f"{chosen} ({listed})" if chosen and len(names) > 1 else listed


def _boxed(kind: str, name: str, value: str) -> str:
    head = " ".join(part for part in (kind, _line(name)) if part)
    value = _line(value)
    return f"[{head}: {value}]" if value else f"[{head}]"


def _line(text: str) -> str:
    return " ".join(text.split())
