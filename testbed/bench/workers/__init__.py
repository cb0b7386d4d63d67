"""Fetchers, each a process of its own. Those of others run under another Python."""
