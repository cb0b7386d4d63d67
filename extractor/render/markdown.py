"""Write what was kept as Markdown (CommonMark with the tables of GFM)."""

from __future__ import annotations

from extractor.markers import Folded
from extractor.render.blocks import MARKDOWN, Blocks
from extractor.render.costs import BlockCosts
from extractor.render.html import Shell
from extractor.render.writer import BlockWriter
from extractor.units import Doc


class MarkdownCosts(BlockCosts):
    """Costs of the Markdown form; see ``fold.Costs``."""

    style = MARKDOWN


def render_markdown(doc: Doc, folded: Folded, shell: Shell, scope: range) -> str:
    """The kept units as Markdown, a line for each fold. Fences and emphasis balance; linear."""
    return BlockWriter(Blocks(doc, MARKDOWN), scope).write(folded)
