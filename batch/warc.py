"""Web archives as a source of answers."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import urldefrag, urljoin

from fastwarc import ArchiveIterator, WarcRecord, WarcRecordType

from batch.decoding import decode_body
from extractor.egress.replay import TRANSFER_HEADERS, StoredResponse

_REDIRECTS = frozenset({301, 302, 303, 307, 308})
_MAX_HOPS = 10


class WarcResponses:
    """The answers of one WARC file, in memory, by address. Implements ``ResponseSource``.

    Of several answers for one address the first counts. An address that is missing is also looked for
    with the other of ``http`` and ``https``. Only ``GET`` and ``HEAD`` are answered.
    """

    def __init__(self, responses: dict[str, StoredResponse]) -> None:
        self._responses = responses

    @classmethod
    def load(cls, path: Path, *, max_bytes: int = 1_000_000_000) -> WarcResponses:
        """Read the file; bodies are decoded.

        Args:
            path: ``.warc``, ``.warc.gz`` or ``.warc.zst``.
            max_bytes: decoded bytes that may be held.

        Raises:
            OSError: the file cannot be read.
            ValueError: more than ``max_bytes``.
        """
        responses: dict[str, StoredResponse] = {}
        held = 0
        with path.open("rb") as stream:
            for record in ArchiveIterator(
                stream, record_types=WarcRecordType.response, parse_http=True
            ):
                url = record.headers.get("WARC-Target-URI")
                if not url or not record.is_http_parsed:
                    continue
                stored = _stored(record, max_bytes - held)
                held += len(stored.body)
                responses.setdefault(_key(url), stored)
        return cls(responses)

    @property
    def urls(self) -> tuple[str, ...]:
        """Archived addresses in the order of the file."""
        return tuple(self._responses)

    def find(self, method: str, url: str) -> StoredResponse | None:
        """The answer to a request, archived redirects followed; ``None`` when there is none."""
        if method not in ("GET", "HEAD"):
            return None
        return self._get(self.final_url(url))

    def final_url(self, url: str) -> str:
        """Where archived redirects lead from ``url``; a loop ends after ten steps."""
        for _ in range(_MAX_HOPS):
            stored = self._get(url)
            if stored is None or stored.status not in _REDIRECTS:
                break
            location = next(
                (value for name, value in stored.headers if name.lower() == "location"), None
            )
            if location is None:
                break
            url = urljoin(url, location)
        return url

    def _get(self, url: str) -> StoredResponse | None:
        key = _key(url)
        found = self._responses.get(key)
        if found is None:
            scheme, mark, rest = key.partition("://")
            other = {"http": "https", "https": "http"}.get(scheme, scheme)
            found = self._responses.get(other + mark + rest)
        return found


def _stored(record: WarcRecord, max_bytes: int) -> StoredResponse:
    http = record.http_headers
    body = decode_body(
        record.reader.read(),
        http.get("Transfer-Encoding") or "",
        http.get("Content-Encoding") or "",
        max_bytes,
    )
    headers = tuple(
        (name, value) for name, value in http.to_tuples() if name.lower() not in TRANSFER_HEADERS
    )
    return StoredResponse(http.status_code or 200, headers, body)


def _key(url: str) -> str:
    bare = urldefrag(url.strip("<> ")).url
    scheme, mark, rest = bare.partition("://")
    return f"{scheme.lower()}{mark}{rest}" if "/" in rest else f"{scheme.lower()}{mark}{rest}/"
