"""Duplicates: found, decided in the order of the input, and the same whatever the order of reading."""

from __future__ import annotations

import itertools
import random
from pathlib import Path

import duckdb
import orjson
import pytest
import zstandard
from hypothesis import given, settings
from hypothesis import strategies as st

from batch.duplicates import (
    DUPLICATES,
    Document,
    find_duplicates,
    rows_of,
    write_duplicates,
)
from batch.duplicates.signatures import Signer, shingles, similarity
from batch.errors import OutputDamaged, PlanError
from batch.outputs.rows_jsonl import JsonlRows
from batch.outputs.rows_parquet import ParquetRows
from batch.plan import DuplicateRules
from batch.rows import Row

RULES = DuplicateRules()
WORDS = [f"{a}{b}" for a in "bcdfgh" for b in ("a", "en", "il", "orm", "ust", "yxa")]


def text(seed: int, size: int = 400) -> str:
    draw = random.Random(seed)
    return " ".join(draw.choice(WORDS) for _ in range(size))


def changed(original: str, places: int, seed: int = 0) -> str:
    words, draw = original.split(), random.Random(seed)
    for at in draw.sample(range(len(words)), places):
        words[at] = f"other{at}"
    return " ".join(words)


def jaccard(one: str, other: str, words: int = 5) -> float:
    """By definition, for words divided by single spaces."""
    sets = [
        {tuple(split[at : at + words]) for at in range(max(1, len(split) - words + 1))}
        for split in (one.split(), other.split())
    ]
    return len(sets[0] & sets[1]) / len(sets[0] | sets[1])


def found(
    *texts: str, rules: DuplicateRules = RULES, order: list[int] | None = None
) -> list[tuple[int, int, str]]:
    documents = [Document(at, f"u{at}", content) for at, content in enumerate(texts)]
    shuffled = [documents[at] for at in order] if order else documents
    return [(one.index, one.duplicate_of, one.kind) for one in find_duplicates(shuffled, rules)]


def test_the_same_and_nearly_the_same_point_to_the_first() -> None:
    one, other = text(1), text(2)
    near, far = changed(one, 3), changed(one, 60)
    assert jaccard(one, near) > 0.9
    assert jaccard(one, far) < 0.5
    assert found(one, other, one, near, far, other) == [
        (2, 0, "exact"),
        (3, 0, "near"),
        (5, 1, "exact"),
    ]


def test_likeness_does_not_drift_from_copy_to_copy() -> None:
    versions = [text(3)]
    for step in range(1, 9):
        versions.append(changed(versions[-1], 6, seed=step))
    assert all(jaccard(a, b) > 0.85 for a, b in itertools.pairwise(versions))
    assert jaccard(versions[0], versions[-1]) < 0.5
    duplicates = found(*versions)
    kept = set(range(9)) - {index for index, _, _ in duplicates}
    assert len(kept) > 1
    for index, first, _ in duplicates:
        assert first in kept
        assert first < index
        assert jaccard(versions[index], versions[first]) > 0.65


def test_the_most_like_of_several_is_named() -> None:
    one = text(4)
    near = changed(one, 8)
    # Both are kept: the second is not like enough to the first.
    strict = DuplicateRules(threshold=0.9)
    assert jaccard(one, near) < 0.85
    assert found(one, near, changed(near, 1, seed=9), rules=strict) == [(2, 1, "near")]


def test_the_threshold_is_a_setting() -> None:
    one = text(5)
    other = changed(one, 12)
    assert 0.65 < jaccard(one, other) < 0.78
    assert found(one, other, rules=DuplicateRules(threshold=0.9)) == []
    assert found(one, other, rules=DuplicateRules(threshold=0.5)) == [(1, 0, "near")]


@settings(max_examples=15, deadline=None)
@given(st.data())
def test_the_order_of_reading_changes_nothing(data: st.DataObject) -> None:
    base = [text(seed, 60) for seed in range(3)]
    picks = data.draw(
        st.lists(st.tuples(st.integers(0, 2), st.integers(0, 4), st.integers(0, 3)), max_size=12)
    )
    texts = [changed(base[at], places, seed) for at, places, seed in picks]
    order = data.draw(st.permutations(range(len(texts))))
    assert found(*texts, order=list(order)) == found(*texts)


@pytest.mark.parametrize("places", [0, 1, 4, 10, 20, 60, 200])
def test_similarity_is_estimated_within_its_error(places: int) -> None:
    signer = Signer(1_024, 5)
    one = text(6, 600)
    other = changed(one, places)
    signatures = signer.sign(one), signer.sign(other)
    assert signatures[0] is not None
    assert signatures[1] is not None
    # Four standard errors at the least favourable similarity.
    assert similarity(*signatures) == pytest.approx(jaccard(one, other), abs=4 * 0.5 / 32)


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("", []),
        (" — !", []),
        ("One, two.", [b"one two"]),
        ("a b c d e f", [b"a b c d e", b"b c d e f"]),
        ('[a](http://x.example/y) B ![c](z "t") d e', [b"a b c d e"]),
        ("a a a a a a a", [b"a a a a a"]),
        ("日本語です", ["日 本 語 で す".encode()]),
        ("ÄÖ é", ["äö é".encode()]),
    ],
)
def test_shingles_are_words_in_a_row(content: str, expected: list[bytes]) -> None:
    assert shingles(content, 5) == expected


def test_texts_without_words_are_no_duplicates() -> None:
    assert found("", "", "—", "—") == []
    assert found("one", "one", "One") == [(1, 0, "exact"), (2, 0, "near")]


def test_an_index_that_comes_twice_is_an_error() -> None:
    documents = [Document(1, "a", "one"), Document(1, "b", "two")]
    with pytest.raises(ValueError, match="index 1"):
        list(find_duplicates(documents, RULES))


@pytest.mark.parametrize("wrong", [{"threshold": 1.0}, {"threshold": 0.1}, {"signature": 4}])
def test_rules_that_cannot_work_are_refused(wrong: dict[str, float]) -> None:
    with pytest.raises(PlanError, match=next(iter(wrong))):
        DuplicateRules(**wrong)  # type: ignore[arg-type]


def rows() -> list[bytes]:
    one = text(7)
    texts = [one, None, text(8), one, changed(one, 2)]
    return [
        orjson.dumps(Row(at, f"{at:032}", f"http://a.example/{at}", markdown=content))
        for at, content in enumerate(texts)
    ]


@pytest.mark.parametrize("writer", [JsonlRows, ParquetRows])
def test_the_shards_of_a_run_give_a_file_beside_them(
    tmp_path: Path, writer: type[JsonlRows | ParquetRows]
) -> None:
    lines = rows()
    shards = [tmp_path / f"part-{at}{writer.suffix}" for at in (1, 0)]
    for shard, part in zip(shards, (lines[3:], lines[:3]), strict=True):
        with shard.open("wb") as file:
            out = writer(file)
            for line in part:
                out.add(line)
            out.close()
    assert [one.index for one in rows_of(shards[1], "markdown")] == [0, 2]
    assert write_duplicates(tmp_path, shards, RULES) == {"exact": 1, "near": 1}
    head, *found = map(orjson.loads, (tmp_path / DUPLICATES).read_bytes().splitlines())
    assert head["rules"]["threshold"] == 0.8
    assert [one["index"] for one in found] == [3, 4]
    assert found[0] == {
        "index": 3,
        "url": "http://a.example/3",
        "duplicate_of": 0,
        "duplicate_of_url": "http://a.example/0",
        "kind": "exact",
        "similarity": 1.0,
    }
    assert found[1]["kind"] == "near"
    assert 0.8 <= found[1]["similarity"] < 1
    if writer is ParquetRows:
        query = f"select index from '{tmp_path}/*.parquet' anti join '{tmp_path}/{DUPLICATES}'"
        assert sorted(duckdb.sql(f"{query} using (index)").fetchall()) == [(0,), (1,), (2,)]
    assert {path.name for path in tmp_path.iterdir()} == {DUPLICATES, *(s.name for s in shards)}


def test_a_damaged_shard_leaves_no_file(tmp_path: Path) -> None:
    shard = tmp_path / "part-0.jsonl.zst"
    whole = zstandard.compress(b"\n".join(rows()))
    for content in (whole[: len(whole) // 2], zstandard.compress(b"{}\n"), b"nothing"):
        shard.write_bytes(content)
        with pytest.raises(OutputDamaged, match="part-0"):
            write_duplicates(tmp_path, [shard], RULES)
        assert not (tmp_path / DUPLICATES).exists()
