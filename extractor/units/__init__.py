"""Cut a judged document into the pieces that fold keeps or takes out.

A *run* is one piece of one text node (a sentence, a line of code) or an atom (an image, a control, an empty
cell). A *unit* is a few consecutive runs that stay together: a sentence or two, a line, a list item, a row.
Runs and units depend on the snapshot alone, so a ref made of them means the same for every budget and query.
"""

from extractor.units.apart import cut_at, cut_before
from extractor.units.atoms import atom
from extractor.units.blocks import ancestors_of, is_block
from extractor.units.build import build
from extractor.units.doc import ICON, Doc, Hidden
from extractor.units.spacing import visible_chars

__all__ = [
    "ICON",
    "Doc",
    "Hidden",
    "ancestors_of",
    "atom",
    "build",
    "cut_at",
    "cut_before",
    "is_block",
    "visible_chars",
]
