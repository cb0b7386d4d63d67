"""What Pagefold costs beside the least that could be done, and beside others: ``python -m testbed.bench``."""
