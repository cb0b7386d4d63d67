"""Zstandard streams, whole, in several frames, cut off, and meant to fill the memory."""

from __future__ import annotations

import io
import resource

import pytest
import zstandard

from batch.compressed import open_zstd


@pytest.mark.parametrize("size", [0, 1, 1_000, 1_000_000])
def test_every_frame_is_read(size: int) -> None:
    parts = [bytes([65 + at]) * size for at in range(3)]
    stream = io.BytesIO(b"".join(map(zstandard.compress, parts)))
    assert open_zstd(stream).read() == b"".join(parts)


def test_a_stream_that_is_cut_off_is_an_error_wherever_it_is_cut() -> None:
    whole = zstandard.compress(bytes(range(256)) * 4) + zstandard.compress(b"second" * 99)
    first = len(zstandard.compress(bytes(range(256)) * 4))
    for size in range(1, len(whole)):
        stream = open_zstd(io.BytesIO(whole[:size]))
        if size == first:
            assert stream.read() == bytes(range(256)) * 4
            continue
        with pytest.raises((EOFError, zstandard.ZstdError)):
            stream.read()


def test_a_little_that_comes_to_much_is_read_bit_by_bit() -> None:
    frame = zstandard.ZstdCompressor().compressobj()
    bomb = b"".join(frame.compress(bytes(1_000_000)) for _ in range(400)) + frame.flush()
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    assert len(open_zstd(io.BytesIO(bomb)).read(1_000)) == 1_000
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 100_000
