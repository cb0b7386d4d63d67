"""Lists that go on: load-more controls, pages, scrollers and lists that draw only some of their rows."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from extractor.unseen.lookup import CONTROL_CHARS, Found, Lookup, words

_ARROWS = " ›»→>"
_LISTS = frozenset(
    {"list", "listbox", "feed", "tree", "group", "grid", "treegrid", "table", "menu", "radiogroup"}
)
#: Elements that may stand between a list and its rows.
_WRAPPERS = 6


def load_more(page: Lookup) -> Iterator[Found]:
    """Buttons and links that say, in some language, that there is more."""
    for node in page.controls:
        if not _is_control(page, node):
            continue
        text = page.called(node)
        if text and len(text) <= CONTROL_CHARS and _loads_more(text):
            yield Found("load_more", node, "brings more of the list before it", text)


def _is_control(page: Lookup, node: int) -> bool:
    tag, role = page.tag(node), page.attr(node, "role")
    # What names the part that it opens is told with that part.
    if (
        page.doc.state[node] == 2
        or page.attr(node, "aria-expanded")
        and page.attr(node, "aria-controls")
    ):
        return False
    if tag == "input":
        return page.attr(node, "type") in ("button", "submit")
    return tag in ("button", "a") or role == "button"


def pagination(page: Lookup) -> Iterator[Found]:
    """Rows of links to numbered pages, each with the one that leads on."""
    texts = {node: page.called(node) for node in page.controls}
    row: list[int] = []
    for node in (*page.controls, -1):
        if node >= 0 and len(texts[node]) <= CONTROL_CHARS and _belongs_to_pages(texts[node]):
            row.append(node)
            continue
        numbers = [number for each in row if (number := _page_number(texts[each]))]
        if len(numbers) >= 2 and numbers == sorted(set(numbers)):
            yield _pages(page, row, texts)
        row = []


@lru_cache(maxsize=4_096)
def _loads_more(text: str) -> bool:
    return words("load_more").match(text.casefold().strip()) is not None


@lru_cache(maxsize=4_096)
def _belongs_to_pages(text: str) -> bool:
    bare = text.strip(_ARROWS + "«‹←<…")
    return not bare or bool(_page_number(bare)) or _leads_on(text)


def _leads_on(text: str) -> bool:
    plain = text.casefold().strip()
    pattern = words("next_page")
    return bool(pattern.fullmatch(plain) or pattern.fullmatch(plain.strip(_ARROWS)))


def _pages(page: Lookup, row: list[int], texts: dict[int, str]) -> Found:
    around = page.tree.parent[row[0]]
    while around > 0 and page.tree.end[around] <= row[-1]:
        around = page.tree.parent[around]
    way_on = next((texts[node] for node in row if _leads_on(texts[node])), "")
    return Found("pagination", around, page.text(around), way_on, len(row))


def _page_number(text: str) -> int:
    return int(text) if text.isdecimal() and len(text) < 5 else 0


def scrollers(page: Lookup) -> Iterator[Found]:
    """Boxes that scroll: with their text in the document, or drawing only the rows in view."""
    for node in page.telling:
        more = page.attr(node, "data-pf-more")
        if more and page.doc.state[node] != 2:
            pixels, _, rows = more.partition(" ")
            drawn, _, total = rows.partition("/")
            if total:
                label = f"a list that holds only the {drawn} rows in view, of about {total}"
                count = max(1, int(total) - int(drawn))
                yield Found("virtual_list", node, label, count=count)
            elif page.text(node):
                yield Found("scroller", node, f"{pixels} px more by scrolling: {page.text(node)}")


def declared_lists(page: Lookup) -> Iterator[Found]:
    """Lists and grids that say of themselves that they have more rows than the document holds."""
    inside = 0
    rows: dict[int, tuple[int, int]] = {}
    for node in page.telling:
        total = _number(page.attr(node, "aria-setsize"))
        if total:
            above = _list_of(page, node)
            rows[above] = (max(total, rows.get(above, (0, 0))[0]), rows.get(above, (0, 0))[1] + 1)
        declared = _number(page.attr(node, "aria-rowcount"))
        if declared and node >= inside and not page.attr(node, "data-pf-more"):
            inside = page.tree.end[node]
            rows[node] = (declared, _rows_in(page, node))
    for node, (total, present) in sorted(rows.items()):
        if total > present > 0 and not _in_virtual_list(page, node):
            label = f"a list that says it has {total} rows; the document holds {present}"
            yield Found("virtual_list", node, label, count=total - present)


def _list_of(page: Lookup, row: int) -> int:
    """The list that a row counts itself in: not every wrapper between them."""
    node = page.tree.parent[row]
    for _ in range(_WRAPPERS):
        if node <= 0 or page.attr(node, "role") in _LISTS or page.tag(node) in ("ul", "ol", "menu"):
            return node
        node = page.tree.parent[node]
    return page.tree.parent[row]


def _in_virtual_list(page: Lookup, node: int) -> bool:
    while node >= 0:
        if " " in page.attr(node, "data-pf-more"):
            return True
        node = page.tree.parent[node]
    return False


def _rows_in(page: Lookup, node: int) -> int:
    return sum(
        page.tag(inner) == "tr" or page.attr(inner, "role") == "row"
        for inner in range(node + 1, page.tree.end[node])
    )


def _number(text: str) -> int:
    return int(text) if text.isascii() and text.isdigit() and len(text) < 10 else 0
