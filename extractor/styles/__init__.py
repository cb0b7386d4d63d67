"""What a page's style sheets say of visibility, without a browser: a small, honest cascade."""

from extractor.styles.cascade import Styles, style_of
from extractor.styles.computed import Shown, shown_by
from extractor.styles.media import Viewport

__all__ = ["Shown", "Styles", "Viewport", "shown_by", "style_of"]
