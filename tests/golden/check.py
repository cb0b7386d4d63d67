"""Expectations of a case, each a function from what is wanted and what was read to what is wrong."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from hashlib import sha256
from html import unescape
from typing import Any

from tests.golden.reading import Reading, squeeze, unmarked

Found = Iterator[str]
#: Lines said of one kind of expectation.
MOST = 6


def failures(expect: dict[str, Any], reading: Reading) -> list[str]:
    """What is wrong, a line each; empty when every expectation holds.

    Raises:
        KeyError: there is no expectation of that name.
    """
    wrong: list[str] = []
    for name, wanted in expect.items():
        said = [f"{name}: {line}" for line in CHECKS[name](wanted, reading)]
        wrong += said[:MOST] + ([f"{name}: {len(said) - MOST} more"] if len(said) > MOST else [])
    return wrong


def keep(wanted: list[str], reading: Reading) -> Found:
    """The words stand in every format, as text or (in HTML) as what an attribute says."""
    formats = {
        "html": squeeze(f"{reading.words} {reading.names}"),
        "markdown": reading.full_markdown,
        "text": reading.page.content["text"],
    }
    for name, content in formats.items():
        for words in wanted:
            if unmarked(words) not in unmarked(content):
                yield f"{words!r} is not in the {name}"


def names(wanted: list[str], reading: Reading) -> Found:
    """Attributes of the HTML say the words."""
    yield from (
        f"{words!r} is no name in the html" for words in wanted if words not in reading.names
    )


def once(wanted: list[str], reading: Reading) -> Found:
    """The words stand exactly once in the text of every format."""
    formats = {
        "html": reading.words,
        "markdown": reading.full_markdown,
        "text": reading.page.content["text"],
    }
    for name, content in formats.items():
        for words in wanted:
            count = unmarked(content).count(unmarked(words))
            if count != 1:
                yield f"{words!r} stands {count} times in the {name}"


def order(wanted: list[str], reading: Reading) -> Found:
    """The words follow each other in every format."""
    formats = {"html": reading.words, "markdown": reading.full_markdown}
    formats["text"] = reading.page.content["text"]
    for name, content in formats.items():
        text, at = unmarked(content), 0
        for words in wanted:
            place = text.find(unmarked(words), at)
            if place < 0:
                yield f"{words!r} does not follow in the {name}: …{text[at : at + 80]}…"
                break
            at = place + len(unmarked(words))


def never(wanted: list[str], reading: Reading) -> Found:
    """The words stand in no output, not even in its markup."""
    content = unescape(reading.everything)
    yield from (f"{words!r} is in an output" for words in wanted if words in content)


def absent(wanted: list[str], reading: Reading) -> Found:
    """The words are not in the text of the HTML; what stands for a fold may still name them."""
    yield from (f"{words!r} is in the html" for words in wanted if words in reading.words)


def secret(wanted: list[str], reading: Reading) -> Found:
    """The words are not even in what is stored."""
    stored = reading.snapshot.to_bytes().decode()
    yield from (f"{words!r} is in the snapshot" for words in wanted if words in stored)


def report(wanted: list[list[str]], reading: Reading) -> Found:
    """For each ``[reason, words]`` the report of hidden text has these words, by size and hash."""
    entries = Counter((item.reason, item.chars, item.sha256) for item in reading.page.hidden)
    for reason, words in wanted:
        key = (reason, len(words), sha256(words.encode()).hexdigest())
        if not entries[key]:
            known = sorted((r, chars) for r, chars, _ in entries.elements())
            yield f"no {len(words)} characters hidden as {reason!r} ({words!r}); there are {known}"
        entries[key] -= 1


def closed(wanted: list[str], reading: Reading) -> Found:
    """The ledger counts the words, and nothing else, as left out because they are not open."""
    chars = sum(entry.chars for entry in reading.page.ledger if entry.rule == "collapsed")
    if chars != sum(map(len, wanted)):
        yield f"{chars} characters left out as collapsed, expected {sum(map(len, wanted))}"


def hidden(wanted: dict[str, int], reading: Reading) -> Found:
    """The ledger has exactly these reasons of hidden text; the numbers, where positive, are characters."""
    found: Counter[str] = Counter()
    for entry in reading.page.ledger:
        if entry.rule == "hidden":
            found[entry.reason] += entry.chars
    for reason in sorted(set(wanted) | set(found)):
        if reason not in wanted or not found[reason] or wanted[reason] not in (0, found[reason]):
            yield f"{found[reason]} characters hidden as {reason!r}, expected {wanted.get(reason)}"


def reasons(wanted: list[str], reading: Reading) -> Found:
    """The ledger gives each reason for something that no one sees."""
    given = {entry.reason for entry in reading.page.ledger if entry.rule in ("hidden", "element")}
    yield from (
        f"nothing is hidden as {reason!r}: {sorted(given)}"
        for reason in wanted
        if reason not in given
    )


def dropped(wanted: list[str], reading: Reading) -> Found:
    """The ledger names these elements as left out."""
    tags = {entry.reason for entry in reading.page.ledger if entry.rule == "element"}
    yield from (
        f"<{tag}> is not in the ledger: {sorted(tags)}" for tag in wanted if tag not in tags
    )


def collapsed(wanted: list[str], reading: Reading) -> Found:
    """The words are kept and something around them says that they are not open."""
    for words in wanted:
        if not any(attrs.get("data-pf-state") == "collapsed" for attrs in reading.around(words)):
            yield f"{words!r} is not marked as collapsed"


def shown(wanted: list[str], reading: Reading) -> Found:
    """The words are kept without any mark of a state or label."""
    for words in wanted:
        around = reading.around(words)
        marks = [a for a in around if "data-pf-state" in a or "data-pf-label" in a]
        if marks or not around:
            yield f"{words!r} is not plainly shown: {marks or 'absent'}"


def labelled(wanted: list[list[str]], reading: Reading) -> Found:
    """For each ``[label, words]`` something around the words bears the label."""
    for label, words in wanted:
        found = [a["data-pf-label"] for a in reading.around(words) if "data-pf-label" in a]
        if not any(label in (text or "").split() for text in found):
            yield f"{words!r} is not labelled {label!r}: {found}"


def main(wanted: list[str], reading: Reading) -> Found:
    """The words are in the main content."""
    yield from (f"{words!r} is not in main" for words in wanted if words not in reading.main)


def outside(wanted: list[str], reading: Reading) -> Found:
    """The words are in the document but not in its main content."""
    for words in wanted:
        if words not in squeeze(f"{reading.words} {reading.names}"):
            yield f"{words!r} is nowhere"
        if words in reading.main:
            yield f"{words!r} is in main"


def regions(wanted: dict[str, list[str]], reading: Reading) -> Found:
    """Of each role there is a region that holds the words; without words, there is none."""
    for role, texts in wanted.items():
        found = reading.region_texts(role)
        if not texts and found:
            yield f"there is a region {role!r}"
        for words in texts:
            if not any(words in text for text in found):
                roles = sorted(region.role for region in reading.page.regions)
                yield f"no region {role!r} holds {words!r}; there are {roles}"


def dom(wanted: list[dict[str, Any]], reading: Reading) -> Found:
    """For each selector: ``count`` elements; of the one at ``index`` (the first) the ``text``, white space
    as it is, or words that it ``holds``, and ``attrs``."""
    for want in wanted:
        found = reading.tree.query(want["css"])
        if len(found) != want.get("count", max(1, len(found))):
            yield f"{want['css']}: {len(found)} elements, expected {want.get('count', 'some')}"
        if len(found) <= want.get("index", 0):
            continue
        element = found[want.get("index", 0)]
        text = _text(element)
        if "text" in want and text != want["text"]:
            yield f"{want['css']}: text {text!r}, expected {want['text']!r}"
        if "holds" in want and want["holds"] not in squeeze(text):
            yield f"{want['css']}: {want['holds']!r} is not in {squeeze(text)[:200]!r}"
        attrs = element.attrs or {}
        for name, value in want.get("attrs", {}).items():
            if name not in attrs or value is not None and (attrs[name] or "") != value:
                yield f"{want['css']}: {name}={attrs.get(name)!r}, expected {value!r}"


def _text(root: Any) -> str:
    parts, stack = [], [root]
    while stack:
        node = stack.pop()
        if node.name == "#text":
            parts.append(node.data or "")
        stack += reversed(node.children or ())
    return "".join(parts)


def _raw(name: str, *, present: bool) -> Callable[[list[str], Reading], Found]:
    def check(wanted: list[str], reading: Reading) -> Found:
        content = reading.full_markdown if name == "markdown" else reading.page.content[name]
        for words in wanted:
            if (words in content) is not present:
                yield f"{words!r} is {'not ' if present else ''}there, character for character"

    return check


def links(wanted: list[list[str]], reading: Reading) -> Found:
    """The list of links has each ``[text, address]``, in this order."""
    found = [[link.text, link.url] for link in reading.page.links]
    at = 0
    for link in wanted:
        try:
            at = found.index(link, at) + 1
        except ValueError:
            yield f"{link} does not follow in {found[:40]}"


def notices(wanted: list[str], reading: Reading) -> Found:
    """There is a warning of each code."""
    codes = [notice.code for notice in reading.page.warnings]
    yield from (f"no {code!r} in {codes}" for code in wanted if code not in codes)


def unseen(wanted: list[str], reading: Reading) -> Found:
    """What the page holds back is listed by kind."""
    kinds = [item.kind for item in reading.page.unseen]
    yield from (f"no {kind!r} in {kinds}" for kind in wanted if kind not in kinds)


def page(wanted: dict[str, Any], reading: Reading) -> Found:
    """Fields of the result have these values; below ``metadata`` too."""
    for name, value in wanted.items():
        found: Any = reading.page
        for step in name.split("."):
            found = found.get(step) if isinstance(found, dict) else getattr(found, step)
        found = list(found) if isinstance(found, tuple) else found
        if found != value:
            yield f"{name} is {found!r}, expected {value!r}"


def within(wanted: dict[str, int], reading: Reading) -> Found:
    """Outputs have at most so many code points."""
    for name, most in wanted.items():
        if len(reading.page.content[name]) > most:
            yield f"{name} has {len(reading.page.content[name])} code points, at most {most} asked for"


def whole(wanted: list[str], reading: Reading) -> Found:
    """Wherever a cluster begins in the text of an output it is there to its end."""
    formats = {"html": reading.words, "text": reading.page.content["text"]}
    for name, content in formats.items():
        for cluster in wanted:
            loose = content.replace(cluster, "")
            # An ASCII letter also stands in the words of markers.
            if any(part in loose for part in cluster if not part.isascii()):
                yield f"a part of {cluster!r} stands alone in the {name}"


def formula(wanted: list[str], reading: Reading) -> Found:
    """The formula stands exactly once in the text of the HTML and of the plain text, spaces apart."""
    for name, content in (("html", reading.words), ("text", reading.page.content["text"])):
        for symbols in wanted:
            count = content.replace(" ", "").count(symbols)
            if count != 1:
                yield f"{symbols!r} stands {count} times in the {name}"


def again(wanted: list[dict[str, Any]], reading: Reading) -> Found:
    """The same snapshot under other ``options`` meets expectations of its own."""
    for turn in wanted:
        other = Reading(reading.snapshot, turn["options"])
        yield from (f"{turn['options']} {said}" for said in failures(turn["expect"], other))


CHECKS: dict[str, Callable[[Any, Reading], Found]] = {
    "keep": keep, "names": names, "once": once, "order": order, "never": never, "absent": absent, "secret": secret,
    "report": report, "closed": closed, "hidden": hidden, "reasons": reasons, "dropped": dropped, "collapsed": collapsed, "shown": shown,
    "labelled": labelled, "main": main, "outside": outside, "regions": regions, "dom": dom,
    "html": _raw("html", present=True), "html_not": _raw("html", present=False),
    "markdown": _raw("markdown", present=True), "markdown_not": _raw("markdown", present=False),
    "text": _raw("text", present=True), "text_not": _raw("text", present=False),
    "links": links, "notices": notices, "unseen": unseen, "page": page, "within": within,
    "whole": whole, "formula": formula, "again": again,
}  # fmt: skip
