"""Text inside one block: emphasis, links, code, images, maths."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial

from extractor.render.controls import control_text, drawing_label
from extractor.render.escape import escape_inline, link_target, link_title
from extractor.render.line import Line, Piece, Place, break_of, guarded
from extractor.render.standins import standins
from extractor.render.wraps import Wrap, wraps_of
from extractor.tree import TEXT
from extractor.units import Doc
from extractor.units.spacing import collapsed

COLLAPSED = "(collapsed) "


def flat(text: str) -> str:
    """``text`` on one line; no-break and other wide spaces stay as they are."""
    return collapsed(text).strip(" ")


@dataclass(slots=True)
class Linked:
    """Links written in blocks before; one around several blocks is written in the first."""

    done: set[int] = field(default_factory=set)


class Inline:
    """Inline Markdown, or plain text, of consecutive runs.

    ``exact=False`` gives a length to charge: never less than what the runs take beside others.
    """

    def __init__(self, doc: Doc, *, markdown: bool, exact: bool = True) -> None:
        self.doc, self.markdown, self.exact = doc, markdown, exact
        self.above = doc.once(("wraps", markdown), partial(wraps_of, markdown=markdown))
        self.instead = doc.once(("standins", markdown), partial(standins, markdown=markdown))
        self.starts = doc.once("starts", _starts)
        #: Atoms that are written elsewhere: a check box as part of the bullet.
        self.silent: frozenset[int] = frozenset()

    def text(self, runs: Sequence[int], place: Place, linked: Linked) -> str:
        """The runs as one stretch, balanced whatever they are."""
        bare = self._bare(runs, place)
        return self._balanced(runs, place, linked) if bare is None else bare

    def _bare(self, runs: Sequence[int], place: Place) -> str | None:
        """The text of runs that nothing is written around; ``None`` where there is more to them.

        Says what ``_balanced`` would, without its pieces and tokens.
        """
        doc, instead, above = self.doc, self.instead, self.above
        tags, parents = doc.tree.tag, doc.tree.parent
        line_break = break_of(self.markdown)
        out: list[str] = []
        glue, previous = "", -2
        for run in runs:
            node = doc.run_node[run]
            if tags[node] != TEXT or node in instead or parents[node] in above:
                return None
            if previous == run - 1:
                own = doc.run_glue[run]
                if not own and doc.run_block[run] != doc.run_block[previous]:
                    own = " "
                glue = "<br>" if "<br>" in (own, glue) or "\n" in own else own or glue
            previous, said = run, doc.run_text[run]
            if said.strip():
                if glue and out:
                    out.append(" " if glue == " " or place.one_line else line_break)
                raw = flat(self.starts.get(run, "") + said)
                if self.markdown:
                    raw = escape_inline(raw, in_link=False, in_cell=place.cell)
                out.append(raw)
                glue = ""
            if said.endswith("\n"):
                glue = "<br>"
        text = "".join(out)
        return guarded(text, place) if self.markdown else text

    def _balanced(self, runs: Sequence[int], place: Place, linked: Linked) -> str:
        line = Line(place, markdown=self.markdown, exact=self.exact)
        doc, here, last, previous = self.doc, set[int](), -1, -2
        for run in runs:
            glue = doc.run_glue[run] if previous == run - 1 else ""
            if previous == run - 1 and doc.run_block[run] != doc.run_block[previous]:
                glue = glue or " "
            previous = run
            node = doc.run_node[run]
            whole = self.instead.get(node, (-1, ""))
            if whole[0] >= 0 and whole[0] == last:
                continue
            last = whole[0]
            wraps = self._wraps(last if last >= 0 else node, linked)
            piece = self._piece(run, whole[1], wraps, place)
            here.update(wrap.node for wrap in wraps if wrap.kind == "link" and piece.raw)
            line.add(glue, wraps, piece)
            if doc.run_text[run].endswith("\n"):
                line.glue = "<br>"
        linked.done |= here
        return line.finish()

    def raw(self, run: int) -> str:
        """A run of preformatted text as it stands."""
        node = self.doc.run_node[run]
        return self.doc.run_text[run] if self._plain(node) else control_text(self.doc, node)

    def _plain(self, node: int) -> bool:
        return self.doc.tree.tag[node] == TEXT

    def _wraps(self, node: int, linked: Linked) -> tuple[Wrap, ...]:
        tree = self.doc.tree
        stands_in = tree.parent[node] if node in self.instead or self._plain(node) else node
        return tuple(
            wrap
            for wrap in self.above.get(stands_in, ())
            if wrap.kind != "link" or wrap.node not in linked.done
        )

    def _piece(self, run: int, instead: str, wraps: tuple[Wrap, ...], place: Place) -> Piece:
        doc = self.doc
        node = doc.run_node[run]
        label = self.starts.get(run, "")
        if instead:
            text = instead.replace("|", "\\|") if place.cell and self.markdown else instead
            return Piece(label + text, label + instead, fixed=True)
        if doc.tree.tag[node] == "img":
            return self._image(node, place, label)
        if node in self.silent:
            return Piece("", "")
        said = doc.run_text[run] if self._plain(node) else control_text(doc, node)
        if not said.strip():
            return Piece("", "")
        if doc.tree.tag[node] == "a":
            # An attribute's words, not the page's text: whoever reads must be able to tell.
            said = f"(label: {said})"
        raw = flat(label + said)
        if not self.markdown:
            return Piece(raw, raw)
        in_link = any(wrap.kind in ("link", "button") for wrap in wraps)
        if not self._plain(node) and raw.endswith("]"):
            # A control's own brackets; they are no link.
            inner = escape_inline(raw[:-1], in_link=in_link, in_cell=place.cell)
            return Piece(inner + ("\\]" if in_link else "]"), raw, fixed=True)
        return Piece(escape_inline(raw, in_link=in_link, in_cell=place.cell), raw)

    def _image(self, node: int, place: Place, label: str) -> Piece:
        attrs = self.doc.attrs[node] or {}
        alt = flat(attrs.get("alt", ""))
        if not alt:
            return Piece("", "")
        raw = f"{label}[image: {alt}]"
        if not self.markdown:
            return Piece(raw, raw)
        source = attrs.get("src", "")
        target = link_target(source, self.doc.base_url) if source else ""
        title = link_title(attrs.get("title", "")) if target else ""
        escaped = escape_inline(alt, in_link=True, in_cell=place.cell)
        body = f"{label}![{escaped}]({target}{title})"
        return Piece(body.replace("\n", " "), raw, fixed=True)


def _starts(doc: Doc) -> dict[int, str]:
    """What is written before a run: that a collapsed part begins, what a drawing with text is called."""
    tree, found, labels = doc.tree, dict[int, str](), dict[int, str]()
    for node, attrs in enumerate(doc.attrs):
        if attrs and "data-pf-state" in attrs:
            labels[node] = COLLAPSED
        elif attrs and (name := drawing_label(doc, node)):
            labels[node] = f"[image: {name}] "
    previous = -1
    for run, node in enumerate(doc.run_node):
        up = tree.parent[node] if tree.tag[node] == TEXT or node not in labels else node
        if up == node and labels[node] != COLLAPSED:
            up = tree.parent[node]
        while up > previous and up > 0 and labels:
            found[run] = labels.get(up, "") + found.get(run, "")
            up = tree.parent[up]
        previous = node
    return found
