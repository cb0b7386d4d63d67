"""Reference pages that are made from the code, so that they cannot say anything else.

``python -m api.reference`` writes them to ``docs/reference``.
"""

from api.reference.pages import DOCUMENTS

__all__ = ["DOCUMENTS"]
