"""What a page says, whatever it is said with."""

from __future__ import annotations

import pytest

from extractor.tree import parse
from tests.browser.conftest import Loader
from tests.browser.reading import P, hidden, nodes, shown, text_of
from tests.browser.site import serve

COLLAPSED = f"""<main>{P}<details><summary>Delivery</summary><p>closed details words</p></details>
<div role=tablist><button role=tab aria-controls=t1 aria-selected=true>One</button><button role=tab aria-controls=t2>Two</button></div>
<div role=tabpanel id=t1><p>first tab words</p></div><div role=tabpanel id=t2 hidden><p>second tab words</p></div>
<div hidden=until-found><p>until found words</p></div>
<button aria-expanded=false aria-controls=acc>More</button><div id=acc style="display:none"><p>accordion words</p></div>
<div style="display:none">junk words</div></main>"""


async def test_collapsed_content_is_kept_and_told_from_junk(loader: Loader) -> None:
    async with serve({"/": COLLAPSED}) as site:
        snapshot = await loader.load(site.url())
    tree = parse(snapshot.html)
    kinds = {
        text_of(tree, i): attrs["data-pf-c"]
        for i in range(len(tree))
        if (attrs := tree.attrs[i]) and "data-pf-c" in attrs
    }
    assert kinds == {
        "closed details words": "details",
        "second tab words": "tab",
        "until found words": "until_found",
        "accordion words": "accordion",
    }
    assert hidden(snapshot) == {"junk words": "display"}
    assert "first tab words" in shown(snapshot)


async def test_templates_and_scripts_are_no_text(loader: Loader) -> None:
    page = f"""<main>{P}<template><p>template words</p></template><noscript><p>Please turn on scripts</p></noscript>
    <script type="application/ld+json">{{"@type":"Recipe","name":"Leek pie"}}</script>
    <script type="text/template"><p>script template words</p></script></main>"""
    async with serve({"/": page}) as site:
        snapshot = await loader.load(site.url())
    for words in ("template words", "turn on scripts", "Leek pie"):
        assert words not in snapshot.html
    assert snapshot.meta.json_ld == ('{"@type":"Recipe","name":"Leek pie"}',)
    assert {"template", "noscript", "script"} <= set(snapshot.meta.dropped)


async def test_noscript_counts_when_scripts_are_off(loader: Loader) -> None:
    page = f"<main>{P}<noscript><p>Please turn on scripts</p></noscript></main>"
    async with serve({"/": page}) as site:
        snapshot = await loader.load(site.url(), javascript=False)
    assert "Please turn on scripts" in shown(snapshot)


async def test_text_after_a_removed_node_stays(loader: Loader) -> None:
    page = f"""<main>{P}<p id=t>alpha <script>var q=1</script>bravo <style>.z{{}}</style>charlie <!-- c -->delta
    <noscript>n</noscript>echo <svg width=1 height=1></svg>foxtrot <span hidden>h</span>golf</p></main>"""
    async with serve({"/": page}) as site:
        snapshot = await loader.load(site.url())
    assert shown(snapshot).endswith("alpha bravo charlie delta echo foxtrot golf")
    assert "var q" not in snapshot.html


CODE = """<span class=k>import</span><span class=w> </span><span class=n>torch</span>
<span class=k>def</span> f(x):
\t<span class=k>if</span> x:

        <span class=k>return</span><span class=w>  </span>x
"""


async def test_code_keeps_every_space(loader: Loader) -> None:
    page = f"""<main>{P}<pre><code>{CODE}</code></pre><pre id=lead>

two line feeds</pre><table class=code><tr><td class=ln><pre>1
2</pre><td><pre>a = 1
b = 2</pre></table>
<div class=tabs><div class=tab><pre>pip install x</pre></div><div class=tab style="display:none"><pre>conda install x</pre></div></div>
<p>Use <code>Map&lt;K, V&gt;</code>: it is fast.</p></main>"""
    async with serve({"/": page}) as site:
        snapshot = await loader.load(site.url())
    tree = parse(snapshot.html)
    blocks = [i for i in range(len(tree)) if tree.tag[i] == "pre"]
    raw = ["".join(tree.text[i : tree.end[i]]) for i in blocks]
    assert raw[0] == "import torch\ndef f(x):\n\tif x:\n\n        return  x\n"
    assert raw[1] == "\ntwo line feeds"
    assert raw[2:] == ["1\n2", "a = 1\nb = 2", "pip install x", "conda install x"]
    assert "<code>Map&lt;K, V&gt;</code>: it is fast." in snapshot.html
    assert (tree.attrs[tree.parent[blocks[5]]] or {})["data-pf-c"] == "tab"


async def test_a_lone_surrogate_becomes_a_replacement_and_is_counted(loader: Loader) -> None:
    page = r"<main><p id=s></p></main><script>s.textContent='x\uD83Dy\rz\0'</script>"
    async with serve({"/": page}) as site:
        snapshot = await loader.load(site.url())
    assert shown(snapshot) == "x\ufffdy z\ufffd"
    assert [n.count for n in snapshot.meta.notices if n.code == "surrogate"] == [1]


async def test_a_formula_is_there_once_with_its_tex(loader: Loader) -> None:
    page = f"""<main>{P}<p>Rate <span class=katex><span class=katex-mathml style="position:absolute;clip:rect(1px,1px,1px,1px);width:1px;height:1px;overflow:hidden"><math><semantics><mrow><mi>E</mi><mo>=</mo><mi>m</mi></mrow><annotation encoding="application/x-tex">E=m_{{tex}}</annotation></semantics></math></span><span class=katex-html aria-hidden=true>E=m</span></span> holds.</p><script type="math/tex">a_{{1}}+b</script></main>"""
    async with serve({"/": page}) as site:
        snapshot = await loader.load(site.url())
    assert shown(snapshot).count("E=m") == 1
    tex = [attrs["data-pf-tex"] for attrs in nodes(snapshot, "span") if "data-pf-tex" in attrs]
    assert tex == ["E=m_{tex}", "a_{1}+b"]
    assert hidden(snapshot) == {}


FORM = f"""<main>{P}<input id=i value=old><textarea id=t>old</textarea><select id=s><option>Cod<option>Herring</select>
<input type=checkbox id=c><input type=password id=p><input type=hidden name=csrf value=SECRET1>
<form id=f><input name=childNodes value=clobber><input name=parentNode></form><div contenteditable id=ce>draft</div></main>
<script>i.value='typed';t.value='typed note';s.selectedIndex=1;c.checked=true;p.value='SECRET2'</script>"""


async def test_live_form_state_is_read_and_secrets_are_not(loader: Loader) -> None:
    async with serve({"/": FORM}) as site:
        snapshot = await loader.load(site.url())
    inputs = nodes(snapshot, "input")
    assert inputs[0]["value"] == "typed"
    assert "checked" in next(a for a in inputs if a.get("type") == "checkbox")
    assert '<textarea id="t">typed note</textarea>' in snapshot.html
    assert ["selected" in attrs for attrs in nodes(snapshot, "option")] == [False, True]
    assert "SECRET" not in snapshot.html
    assert [a["value"] for a in inputs if a.get("name") == "childNodes"] == ["clobber"]
    assert "draft" in shown(snapshot)


async def test_pictures_are_labels_and_text(loader: Loader) -> None:
    page = f"""<main>{P}<svg role=img aria-label="Tide chart" width=200 height=40><title>Tide title</title><style>t{{}}</style><text x=0 y=20>High at noon</text><path d="M0 0{"L1 1" * 500}"/></svg>
<canvas aria-label="Wind rose" width=90 height=90>Wind fallback</canvas><button><svg aria-hidden=true><path d="M0 0"/></svg></button><a href=/x><img src=/x.png alt="Go to X"></a></main>"""
    async with serve({"/": page}) as site:
        snapshot = await loader.load(site.url())
        url = site.url()
    for words in ("Tide chart", "Tide title", "High at noon", "Wind rose", 'alt="Go to X"'):
        assert words in snapshot.html
    assert "L1 1" not in snapshot.html
    assert "Wind fallback" not in snapshot.html
    assert snapshot.meta.dropped["svg"] == 2004 + 4
    assert nodes(snapshot, "button") == [{}]
    assert nodes(snapshot, "img")[0]["src"] == f"{url}x.png"


async def test_addresses_resolve_as_the_browser_does(loader: Loader) -> None:
    page = f"""<base href="/docs/v2/"><main>{P}<a href="pier.html">Pier</a><a href="#s2">Part two</a><a href="?q=1">Query</a><a href="//cdn.test/x">Cdn</a><a href="javascript:void(0)">Script</a><a href=" /sp ace?a=1&amp;b=2 ">Space</a><form action="send"></form></main>"""
    async with serve({"/": page}) as site:
        snapshot = await loader.load(site.url())
        base = site.url("/docs/v2/")
        root = site.url("")
    assert [a.get("href") for a in nodes(snapshot, "a")] == [
        f"{base}pier.html", f"{base}#s2", f"{base}?q=1", "http://cdn.test/x", None,
        f"{root}/sp%20ace?a=1&b=2",
    ]  # fmt: skip
    assert nodes(snapshot, "form")[0]["action"] == f"{base}send"


async def test_the_page_is_not_changed_and_runs_nothing(loader: Loader) -> None:
    page = f"""<main>{P}<x-a></x-a><img loading=lazy src=/lazy.png style="margin-top:9000px"></main><pre id=log></pre>
    <script>let made=0;customElements.define('x-a',class extends HTMLElement{{constructor(){{super();made++}}}});
    Array.prototype.map=()=>['EVIL'];getComputedStyle=()=>({{}});
    new MutationObserver(r=>fetch('/changed?'+made)).observe(document,{{subtree:true,childList:true,attributes:true}});
    setTimeout(()=>fetch('/made-'+made),600)</script>"""
    async with serve({"/": page}) as site:
        snapshot = await loader.load(site.url(), wait={"delay_ms": 100}, block=())
        paths = [path for path, _ in site.seen]
    assert "EVIL" not in snapshot.html
    assert "A ledger" in shown(snapshot)
    assert not [path for path in paths if path.startswith("/changed")]


@pytest.mark.parametrize(
    ("depth", "how"), [(300, "html"), (600, "html"), (600, "script"), (1500, "script")]
)
async def test_deep_nesting_keeps_its_text(loader: Loader, depth: int, how: str) -> None:
    if how == "html":
        page = "<div>" * depth + "deep words" + "</div>" * depth + "<p>after</p>"
    else:
        page = f"""<main id=m></main><p>after</p><script>let e=m;for(let i=0;i<{depth};i++)
        {{const d=document.createElement('div');e.append(d);e=d}} e.append('deep words')</script>"""
    async with serve({"/": page}) as site:
        snapshot = await loader.load(site.url())
    assert shown(snapshot) == "deep words after"
