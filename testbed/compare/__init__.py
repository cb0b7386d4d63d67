"""A fair comparison of source-side filters: the same pages, budgets, text and arithmetic for all."""
