"""Who writes a summary: the extractive one, which needs no model, and a chat model behind an endpoint.

The chat model's client is in ``compactor.summarisers.chat`` and is imported only by who wants it.
"""

from compactor.summarisers.extractive import extractive

__all__ = ["extractive"]
