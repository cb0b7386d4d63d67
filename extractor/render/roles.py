"""ARIA roles that tell a reader or an actor something."""

from __future__ import annotations

ROLES = frozenset(
    "alert alertdialog article banner button cell checkbox columnheader combobox complementary contentinfo "
    "dialog feed figure form grid gridcell heading img link list listbox listitem log main math menu menubar "
    "menuitem menuitemcheckbox menuitemradio meter navigation note option progressbar radio radiogroup "
    "region row rowheader search searchbox slider spinbutton status switch tab table tablist tabpanel "
    "textbox timer toolbar tree treegrid treeitem".split()
)
IMPLIED_ROLES = {
    "a": "link", "article": "article", "aside": "complementary", "button": "button", "dialog": "dialog",
    "figure": "figure", "footer": "contentinfo", "form": "form", "header": "banner", "img": "img",
    "li": "listitem", "main": "main", "nav": "navigation", "ol": "list", "search": "search",
    "section": "region", "table": "table", "td": "cell", "textarea": "textbox", "tr": "row", "ul": "list",
}  # fmt: skip
