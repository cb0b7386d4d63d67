"""The nesting pass: give a tree a shape that HTML can express.

A composed tree (shadow roots, slots and frames in place, or a DOM built by script) often has no HTML
that parses back into it. A small table of rules (``nesting.json``, shared with the page script) renames
or wraps what HTML cannot nest where it stands. No text is lost or moved. The rules are stricter than the
parser: whatever they accept stays valid when subtrees are taken out or bare ``div`` and ``span``
wrappers are removed, which is what folding does.

Source of the parsing rules: WHATWG HTML, "Parsing HTML documents", tree construction.
"""

from extractor.nesting.normal import normalise
from extractor.nesting.rules import RULES, Rules
from extractor.nesting.writable import clean_text

__all__ = ["RULES", "Rules", "clean_text", "normalise"]
