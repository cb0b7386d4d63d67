"""Random annotated pages: what real pages are made of, in several scripts, nested in one another."""

from __future__ import annotations

from hypothesis import strategies as st

from extractor.compose import compose
from extractor.snapshot import Snapshot, SnapshotMeta

SENTENCES = [
    "The clerk writes down each ship.",
    "Low water at four; high water at ten.",
    "a & b < c > d",
    "x",
    "係員は船ごとに積荷を記録する。黒は一年で薄くなるからだ。",
    "港",
    "يكتب الكاتب اسم السفينة ABC-12 في الدفتر.",
    "می\u200cروم",
    "שלום עולם.",
    "नमस्ते दुनिया।",
    "👩\u200d🔬 🇳🇴 e\u0301",
    "\u00a0no\u00a0break\u00a0",
    "No.",
]
LONG = st.builds(lambda text, n: (text + " ") * n, st.sampled_from(SENTENCES), st.integers(5, 60))
WORDS = st.one_of(st.sampled_from(SENTENCES), st.sampled_from(SENTENCES), LONG).map(
    lambda text: text.replace("&", "&amp;").replace("<", "&lt;")
)
INLINE = st.sampled_from(
    ["b", "i", "a href=/x", "code", "span", "em lang=de", "button", "sup", "u"]
)
ATOMS = st.sampled_from(
    ["<br>", "<img alt='a pier' src=/p.png>", "<input name=q value=v>", "<wbr>", "<select><option>A<option>B</select>"]
)  # fmt: skip
WRAPS = st.sampled_from(
    ["div", "section", "nav", "aside", "blockquote", "div data-pf-c=details", "div data-pf-h=display",
     "div data-pf-t=opacity", "pf-frame data-pf-url='https://f.test/'", "x-card data-pf-shadow=open", "article",
     "span", "main", "div data-pf-box=1,2,3,4", "form", "footer"]
)  # fmt: skip


def _element(opened: str, inner: str) -> str:
    return f"<{opened}>{inner}</{opened.split()[0]}>"


PHRASE = st.recursive(
    st.one_of(WORDS, ATOMS),
    lambda inner: st.builds(
        _element, INLINE, st.lists(inner, min_size=1, max_size=3).map(" ".join)
    ),
    max_leaves=4,
)
PARAGRAPH = st.builds(
    _element, st.sampled_from(["p", "h1", "h2", "h3", "div", "p dir=rtl"]), PHRASE
)
LIST = st.builds(
    lambda tag, items: _element(tag, "".join(f"<li>{item}</li>" for item in items)),
    st.sampled_from(["ul", "ol start=3"]),
    st.lists(PHRASE, min_size=1, max_size=9),
)
TABLE = st.builds(
    lambda caption, rows: (
        f"<table><caption>{caption}</caption><thead><tr><th>Day</th><th>Note</th></tr></thead><tbody>"
        + "".join(f"<tr><td>{one}</td><td>{two}</td></tr>" for one, two in rows)
        + "</tbody></table>"
    ),
    st.sampled_from(SENTENCES[:2]),
    st.lists(st.tuples(PHRASE, PHRASE), min_size=1, max_size=8),
)
CODE = st.builds(
    lambda lines: "<pre><code>" + "\n".join(lines) + "</code></pre>",
    st.lists(
        st.sampled_from(["", "def f(x):", "\treturn  x", "&lt;b>", "x" * 90, "注释"]), max_size=20
    ),
)
DEEP = st.builds(
    lambda depth, inner: "<div>" * depth + inner + "</div>" * depth, st.integers(2, 60), PARAGRAPH
)
DEFINITIONS = st.builds(lambda a, b: f"<dl><dt>{a}</dt><dd>{b}</dd></dl>", PHRASE, PHRASE)
LEAVES = st.one_of(PARAGRAPH, PARAGRAPH, LIST, TABLE, CODE, DEEP, DEFINITIONS, st.just("<hr>"))
BLOCKS = st.recursive(
    LEAVES,
    lambda inner: st.builds(_element, WRAPS, st.lists(inner, min_size=1, max_size=4).map("".join)),
    max_leaves=12,
)


@st.composite
def snapshots(draw: st.DrawFn) -> Snapshot:
    """A capture of a random page, annotated as the page script would."""
    body = "".join(draw(st.lists(BLOCKS, min_size=1, max_size=8)))
    html = compose(f"<!doctype html><html lang=en><title>Pier &amp; tides</title><body>{body}").html
    return Snapshot(html, SnapshotMeta("https://pier.test/a", "https://pier.test/a", "browser"))
