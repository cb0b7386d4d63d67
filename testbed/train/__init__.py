"""Learns which blocks of a page are its main content, from pages whose content is known."""
