"""Stores of bytes that an address names."""

from __future__ import annotations

from urllib.parse import urlsplit
from urllib.request import url2pathname

from obstore.store import LocalStore, ObjectStore, from_url


def store_at(url: str) -> ObjectStore:
    """The store at an address such as ``s3://bucket/prefix`` or ``file:///srv/archive``.

    A folder is made where it is missing, as a prefix in a bucket needs no making either.
    """
    parts = urlsplit(url)
    if parts.scheme == "file":
        return LocalStore(prefix=url2pathname(parts.path), mkdir=True)
    return from_url(url)
