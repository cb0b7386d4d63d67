"""What HTML must be to run nothing, written from the standards and without a look at our own lists.

``nh3`` (the Rust sanitiser ammonia) is set up with these; a document is inert when it finds nothing to remove.
"""

from __future__ import annotations

import nh3

from extractor.serialise import serialise
from extractor.tree import TEXT, Tree, parse
from testbed.second_parser import justhtml_tree

#: HTML Living Standard, 4.3 to 4.11, and the obsolete ones of 16.2, without all that loads or runs.
_SECTIONS = "address article aside footer h1 h2 h3 h4 h5 h6 header hgroup main nav search section"
_GROUPS = "blockquote center dd details dialog dir div dl dt figcaption figure hr li menu ol p pre summary ul"
_TEXT = (
    "a abbr acronym b bdi bdo big br cite code del dfn em font i ins kbd mark q rp rt ruby s samp small span "
    "strike strong sub sup time tt u var wbr data"
)
_TABLES = "caption col colgroup table tbody td tfoot th thead tr"
_FORMS = "button datalist fieldset form input label legend meter optgroup option output progress select textarea"
_OURS = "pf-fold pf-frame pf-url pf-fence"
TAGS = frozenset(
    " ".join((_SECTIONS, _GROUPS, _TEXT, _TABLES, _FORMS, _OURS, "img picture slot")).split()
)
#: Attributes that change nothing but meaning, or what a reader is told.
ANYWHERE = frozenset(
    "id lang dir role title aria-label aria-expanded aria-selected aria-checked aria-pressed aria-current "
    "aria-disabled contenteditable".split()
)
BY_TAG = {
    "a": {"href"},
    "blockquote": {"cite"},
    "button": {"type", "name", "disabled"},
    "details": {"open"},
    "dialog": {"open"},
    "form": {"action", "method"},
    "img": {"alt", "src"},
    "input": {
        "type", "name", "value", "placeholder", "checked", "disabled", "readonly", "required", "alt",
    },
    "label": {"for"},
    "li": {"value"},
    "meter": {"value", "min", "max"},
    "ol": {"start", "reversed", "type"},
    "optgroup": {"label"},
    "option": {"value", "selected", "disabled"},
    "pf-fence": {"mac", "origin", "trust"},
    "pf-fold": {"ref", "items", "chars", "region", "what"},
    "pf-url": {"href"},
    "progress": {"value", "max"},
    "q": {"cite"},
    "select": {"name", "multiple", "disabled", "required"},
    "td": {"colspan", "rowspan"},
    "textarea": {"name", "placeholder", "disabled", "readonly", "required"},
    "th": {"colspan", "rowspan", "scope"},
    "time": {"datetime"},
}  # fmt: skip
#: RFC 3986 schemes that name a resource and run nothing.
URL_SCHEMES = frozenset({"http", "https", "mailto", "tel"})
_URLS = frozenset({"href", "src", "action", "cite", "data-pf-href", "data-pf-url"})


def cleaned(fragment: str) -> str:
    """What the sanitiser leaves of a fragment."""
    return nh3.clean(
        fragment,
        tags=set(TAGS),
        clean_content_tags=set(),
        attributes={"*": set(ANYWHERE)} | {tag: set(names) for tag, names in BY_TAG.items()},
        generic_attribute_prefixes={"data-pf-"},
        url_schemes=set(URL_SCHEMES),
        link_rel=None,
        strip_comments=False,
    )


def assert_inert(html: str) -> None:
    """A whole document: nothing for the sanitiser to remove, nothing in the head, no mutation.

    Two parsers must agree on what it is, before and after it is written again.
    """
    tree = parse(html)
    assert serialise(tree) == html, "not what our serialiser writes of it"
    other = justhtml_tree(html)
    assert (other.tag, other.end, other.text) == (tree.tag, tree.end, tree.text), "parsers differ"
    assert [a or {} for a in other.attrs] == [a or {} for a in tree.attrs], "parsers differ"
    _assert_head(tree)
    inside = html[html.index("<body>") + len("<body>") :].removesuffix("</body></html>")
    assert "<body" not in inside
    before, after = (_shape(f"<!DOCTYPE html><body>{part}") for part in (inside, cleaned(inside)))
    assert before == after, "the sanitiser removed something"
    _assert_addresses(tree)


def _assert_head(tree: Tree) -> None:
    body = tree.tag.index("body")
    head = [(tree.tag[n], tree.attrs[n] or {}) for n in range(1, body) if tree.tag[n] != TEXT]
    names = [tag for tag, _ in head]
    assert names[:3] == ["head", "meta", "title"], names
    assert names[3:] in ([], ["base"]), names
    assert head[1][1] == {"charset": "utf-8"}
    assert not head[0][1]
    assert not head[2][1]
    if names[3:]:
        assert list(head[3][1]) == ["href"]
        assert head[3][1]["href"].startswith(("http://", "https://"))
    assert set(tree.attrs[0] or {}) <= {"lang", "dir", "data-pf-snapshot", "data-pf-markup"}
    assert not tree.attrs[body]


def _assert_addresses(tree: Tree) -> None:
    """No address whose scheme, read as a browser reads it, is any but a harmless one.

    WHATWG URL: leading controls and spaces and all tabs and line ends are dropped first.
    """
    for attrs in tree.attrs:
        for name, value in (attrs or {}).items():
            assert not name.startswith("on")
            assert name not in ("style", "srcset", "srcdoc", "formaction", "ping", "background")
            if name in _URLS:
                read = "".join(c for c in value if c not in "\t\n\r").lstrip(
                    "".join(map(chr, range(33)))
                )
                scheme, found, _ = read.partition(":")
                if (
                    found
                    and scheme.isascii()
                    and scheme.replace("+", "a").replace("-", "a").replace(".", "a").isalnum()
                ):
                    assert scheme.lower() in URL_SCHEMES, (name, value)


def _shape(html: str) -> tuple[list[tuple[str, object]], str]:
    """Elements with attributes, and text without white space (nh3 drops a line feed at a pre's start)."""
    tree = justhtml_tree(html)
    nodes = [node for node in range(len(tree)) if tree.tag[node] != TEXT]
    text = "".join("".join(tree.text).split())
    return [(tree.tag[node], tree.attrs[node] or {}) for node in nodes], text
