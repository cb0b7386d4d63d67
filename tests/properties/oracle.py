"""An independent HTML5 parser's view of a document, as our arrays."""

from testbed.second_parser import justhtml_tree

__all__ = ["justhtml_tree"]
