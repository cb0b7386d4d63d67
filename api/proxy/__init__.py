"""The drop-in proxy: an agent's requests to its provider, compacted on the way through."""
