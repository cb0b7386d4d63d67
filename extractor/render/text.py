"""Write what was kept as plain text."""

from __future__ import annotations

from extractor.markers import Folded
from extractor.render.blocks import PLAIN, Blocks
from extractor.render.costs import BlockCosts
from extractor.render.html import Shell
from extractor.render.writer import BlockWriter
from extractor.units import Doc


class TextCosts(BlockCosts):
    """Costs of the text form; see ``fold.Costs``."""

    style = PLAIN


def render_text(doc: Doc, folded: Folded, shell: Shell, scope: range) -> str:
    """The kept units as lines of text: items with bullets, bars between cells, code as it is."""
    return BlockWriter(Blocks(doc, PLAIN), scope).write(folded)
