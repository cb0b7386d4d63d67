"""What is compared: a name and a function from a page's source to text, HTML or Markdown.

Built in are ``raw``, ``visible``, ``pagefold`` with its ablations, ``readability`` and whatever of the
known peers is installed (``testbed.compare.peers``). Another package adds a function ``(html, url) ->
html`` under the entry-point group ``pagefold.filters``; the service can use the same one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib.metadata import entry_points
from typing import Literal

from extractor.filters import GROUP
from testbed.compare import held_out, ours, peers
from testbed.compare.source import Form, Missing, Source
from testbed.compare.text import html_to_text, markdown_to_text

__all__ = ["Chosen", "Filter", "choose", "names"]

Role = Literal["ours", "baseline", "peer", "added"]


@dataclass(frozen=True, slots=True)
class Filter:
    """A filter that can be loaded.

    Attributes:
        forms: what it can put out; the first is its own choice.
        load: imports what it needs; gives ``(source, form, budget) -> output``. A budget is in
            characters, 0 for none; an output over it is cut by whoever asked.
    """

    name: str
    role: Role
    forms: tuple[Form, ...]
    load: Callable[[], Callable[[Source, Form, int], str]]

    @property
    def knows_budget(self) -> bool:
        """Whether its output depends on the budget."""
        return self.role == "ours" or self.name == "visible"


@dataclass(frozen=True, slots=True)
class Chosen:
    """A filter in one of its forms."""

    filter: Filter
    form: Form

    @property
    def label(self) -> str:
        """``name``, or ``name:form`` where the form is not the filter's own choice."""
        own = self.filter.forms[0]
        return self.filter.name if self.form == own else f"{self.filter.name}:{self.form}"


def plain_text(output: str, form: Form) -> str:
    """The words of an output, read the same way for every filter."""
    if form == "html":
        return html_to_text(output)
    return markdown_to_text(output) if form == "markdown" else output


def names() -> tuple[str, ...]:
    """Every filter that can be asked for, installed or not."""
    return tuple(_all())


def choose(wanted: Sequence[str]) -> tuple[list[Chosen], dict[str, str]]:
    """Filters by ``name``, ``name:form`` or ``all``; with those that cannot be had and why.

    Raises:
        Missing: there is no filter of that name, or it has no such form.
    """
    known, chosen, absent = _all(), list[Chosen](), dict[str, str]()
    for label in [each for one in wanted for each in (known if one == "all" else [one])]:
        name, _, form = label.partition(":")
        if name not in known:
            raise Missing(f"{name!r} is no filter; there are {', '.join(known)}")
        filter = known[name]
        if form and form not in filter.forms:
            raise Missing(f"{name} puts out {' or '.join(filter.forms)}, not {form}")
        try:
            filter.load()
        except Missing as error:
            absent[label] = str(error)
        else:
            forms = [each for each in filter.forms if each == form] or [filter.forms[0]]
            chosen.append(Chosen(filter, forms[0]))
    return chosen, absent


def _all() -> dict[str, Filter]:
    found = [
        Filter("raw", "baseline", ("html",), lambda: ours.raw),
        Filter("visible", "baseline", ("text", "html", "markdown"), lambda: ours.visible),
        Filter("pagefold", "ours", ("text", "html", "markdown"), lambda: ours.pagefold),
    ]
    for name, ablation in ours.ABLATIONS.items():
        found.append(Filter(name, "ours", ("text", "html", "markdown"), _constant(ablation)))
    found.append(Filter("pagefold-held-out", "ours", ("text", "html", "markdown"), held_out.load))
    for name, (forms, load) in peers.PEERS.items():
        found.append(Filter(name, "peer", forms, load))
    for entry in sorted(entry_points(group=GROUP), key=lambda each: each.name):
        found.append(Filter(entry.name, "added", ("html",), _added(entry.load)))
    return {filter.name: filter for filter in found}


def _constant(run: Callable[[Source, Form, int], str]) -> Callable[[], ours.Run]:
    return lambda: run


def _added(load: Callable[[], Callable[[str, str], str]]) -> Callable[[], ours.Run]:
    def loaded() -> ours.Run:
        function = load()
        return lambda source, form, budget: function(source.html, source.url or "about:blank")

    return loaded
