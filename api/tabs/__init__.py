"""``/v1/tabs``: pages that stay open."""
