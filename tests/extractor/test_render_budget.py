"""Costs of Markdown and text are never under the real length, whatever is kept."""

from __future__ import annotations

import random
import re

import pytest

from extractor.compose import compose
from extractor.errors import BudgetImpossible
from extractor.fold import fold
from extractor.markers import Costs, Folded, Frame, Marker
from extractor.refs import ref_of
from extractor.render.html import Shell
from extractor.render.inline import Inline, Linked
from extractor.render.line import Place
from extractor.render.markdown import MarkdownCosts, render_markdown
from extractor.render.text import TextCosts, render_text
from extractor.tree import parse
from extractor.units import Doc, build
from extractor.visibility import judge

SHELL = Shell("s", "", "", "")
WORDS = [
    "kettle",
    "*",
    "`x`",
    "a_b",
    "1.",
    "# no",
    "- dash",
    "a|b",
    "]",
    "[",
    "<b",
    "&amp;amp;",
    "``",
    "~~",
    "終わり。",
    "é",
    "!",
    "\\",
]
BLOCKS = [
    "p",
    "div",
    "h2",
    "blockquote",
    "ul",
    "ol",
    "dl",
    "table",
    "pre",
    "hr",
    "details",
    "section",
    "a",
]
ATOMS = [
    "<br>",
    "<img alt='a]b' src='/x(1).png'>",
    "<input name=q value='v|w'>",
    "<img src=y>",
    "<span data-pf-tag=math data-pf-tex='a|b'>ab</span>",
    "<select><option>A<option selected>B</select>",
]
INLINE = ["b", "i", "a", "code", "em", "sup", "button", "span", "del"]


def doc_of(html: str) -> Doc:
    tree = parse(compose(html).html)
    verdicts = judge(tree)
    return build(tree, verdicts.state, [0] * len(tree), {}, "")


class _Pages:
    """Random documents that nest everything in everything."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)

    def page(self) -> str:
        return "".join(self.block(0) for _ in range(self.random.randint(3, 14)))

    def words(self) -> str:
        return " ".join(self.random.choices(WORDS, k=self.random.randint(1, 12)))

    def phrase(self, depth: int) -> str:
        parts = []
        for _ in range(self.random.randint(1, 5)):
            roll = self.random.random()
            if roll < 0.5 or depth > 4:
                parts.append(self.words() * (40 if self.random.random() < 0.05 else 1))
            elif roll < 0.6:
                parts.append(self.random.choice(ATOMS))
            else:
                tag = self.random.choice(INLINE)
                opened = "a href='https://e.test/a_b?c=(d)'" if tag == "a" else tag
                parts.append(f"<{opened}>{self.phrase(depth + 1)}</{tag}>")
        return self.random.choice([" ", ""]).join(parts)

    def block(self, depth: int) -> str:
        tag = self.random.choice(BLOCKS) if depth < 3 else "p"
        children = self.random.randint(0, 2) if depth < 3 else 0
        inner = "".join(self.block(depth + 1) for _ in range(children))
        if tag in ("p", "h2"):
            return f"<{tag}>{self.phrase(0)}</{tag}>"
        if tag in ("ul", "ol"):
            items = "".join(
                f"<li>{self.phrase(1)}{inner}" for _ in range(self.random.randint(1, 6))
            )
            return f"<{tag} start={self.random.randint(1, 99)}>{items}</{tag}>"
        if tag == "dl":
            return f"<dl><dt>{self.phrase(1)}<dd>{self.phrase(1)}{inner}<dd>{self.words()}</dl>"
        if tag == "table":
            wide = self.random.randint(1, 4)
            rows = "".join(
                "<tr>"
                + "".join(
                    f"<{self.random.choice(['td', 'td', 'th'])}>{self.phrase(2)}"
                    for _ in range(wide)
                )
                for _ in range(self.random.randint(1, 6))
            )
            return f"<table><caption>{self.words()}</caption>{rows}</table>"
        if tag == "pre":
            lines = "\n".join(
                self.words() + self.random.choice(["", "```", " <b>z</b>"])
                for _ in range(self.random.randint(1, 9))
            )
            return f"<pre><code class=language-py>\n{lines}</code></pre>"
        if tag == "hr":
            return "<hr>"
        if tag == "a":
            return f"<a href='https://e.test/card'><div>{self.words()}</div><div>{self.phrase(1)}</div></a>"
        state = " data-pf-c=details" if tag == "details" else ""
        return f"<{tag}{state}>{self.phrase(1)}{inner}</{tag}>"


FORMATS = {"markdown": (MarkdownCosts, render_markdown), "text": (TextCosts, render_text)}


@pytest.mark.parametrize("markdown", [False, True])
@pytest.mark.parametrize("exact", [False, True])
def test_runs_without_marks_read_the_same_by_the_short_way(exact: bool, markdown: bool) -> None:
    places = [Place(), Place(cell=True), Place(heading=True), Place(term=True)]
    bare = 0
    for seed in range(7):
        doc, chance = doc_of(_Pages(seed).page()), random.Random(seed)
        inline = Inline(doc, markdown=markdown, exact=exact)
        size = len(doc.run_text)
        stretches = [range(at, min(at + n, size)) for at in range(size) for n in (1, 2, 3)]
        stretches += [sorted(chance.sample(range(size), min(4, size))) for _ in range(20)]
        for runs in stretches:
            for place in places:
                short = inline._bare(runs, place)
                if short is not None:
                    bare += 1
                    assert short == inline._balanced(runs, place, Linked())
    assert bare > 50


@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.parametrize("seed", range(15))
def test_output_of_a_fold_is_within_the_budget(seed: int, name: str) -> None:
    doc = doc_of(_Pages(seed).page())
    costs, render = FORMATS[name]
    scope = range(doc.units)
    frame = Frame(
        scope,
        [""] * doc.units,
        ["main" if u % 7 else "nav" for u in scope],
        [u // 3 for u in scope],
    )
    ranked = list(scope)
    random.Random(seed).shuffle(ranked)
    for budget in (None, 500, 700, 1_000, 1_500, 2_500, 5_000):
        folded = fold(doc, ranked, costs(doc, SHELL, scope), frame, budget)
        out = render(doc, folded, SHELL, scope)
        assert budget is None or len(out) <= budget
        if name == "markdown":
            assert_fences_balance(out)


@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.parametrize("seed", range(15))
def test_costs_are_never_under_the_length_of_any_subset(seed: int, name: str) -> None:
    chance = random.Random(seed)
    doc = doc_of(_Pages(1_000 + seed).page())
    write = FORMATS[name][1]
    for share in (0.1, 0.5, 0.9):
        low = chance.randint(0, doc.units // 2)
        scope = range(low, doc.units)
        costs: Costs = FORMATS[name][0](doc, SHELL, scope)
        keep = [unit in scope and chance.random() < share for unit in range(doc.units)]
        bound = costs.total() - sum(costs.remove(unit) for unit in scope if not keep[unit])
        markers = _markers(doc, keep, scope, chance)
        bound += sum(costs.marker(marker) for marker in markers)
        assert len(write(doc, Folded(keep, markers), SHELL, scope)) <= bound


def _markers(doc: Doc, keep: list[bool], scope: range, chance: random.Random) -> list[Marker]:
    found: list[Marker] = []
    unit = scope.start
    while unit < scope.stop:
        last = unit
        while last + 1 < scope.stop and not keep[last + 1]:
            last += 1
        if keep[unit]:
            unit += 1
            continue
        middle = (unit + last) // 2
        cut = last > unit and chance.random() < 0.4
        pieces = (
            [(unit, middle, "before"), (middle + 1, last, "after")]
            if cut
            else [(unit, last, "any")]
        )
        for first, end, edge in pieces:
            ref = ref_of(doc, doc.unit_start[first], doc.unit_start[end + 1] - 1)
            found.append(
                Marker(first, end, ref, 9, end - first + 1, "nav", "budget", "a | b] c", edge)
            )
        unit = last + 1
    return found


def assert_fences_balance(markdown: str) -> None:
    fence = ""
    for line in markdown.split("\n"):
        match = re.match(r"[ >:.\d-]*?(`{3,})[^`]*$", line)
        if match and not fence:
            fence = match.group(1)
        elif fence and line.strip(" >").strip() == fence:
            fence = ""
    assert not fence


def test_a_budget_under_the_minimum_is_refused() -> None:
    doc = doc_of("<p>a")
    frame = Frame(range(doc.units), [""], ["main"], [0])
    with pytest.raises(BudgetImpossible):
        fold(doc, [0], MarkdownCosts(doc, SHELL, range(1)), frame, 499)
