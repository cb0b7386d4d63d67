"""The token estimate: properties, and its error against counts by named tokenizers."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from compactor.estimate import (
    estimate_block,
    estimate_json,
    estimate_text,
    estimate_tokens,
)
from compactor.messages import Block
from compactor.rates import FAMILIES, MARGINS, RATES, family_of
from compactor.scripts import PIECES, pieces

SAMPLES = json.loads(
    (Path(__file__).parents[2] / "testbed" / "token_samples.json").read_text(encoding="utf-8")
)


BY_SCRIPT = {str(sample["script"]): sample for sample in SAMPLES}


@pytest.mark.parametrize("family", sorted(SAMPLES[0]["tokens"]))
@pytest.mark.parametrize("sample", SAMPLES, ids=lambda sample: str(sample["script"]))
def test_estimate_is_within_ten_percent_of_the_tokenizer(sample, family) -> None:
    estimate = estimate_text(sample["text"], family)
    assert estimate.best == pytest.approx(sample["tokens"][family], rel=0.1)
    assert estimate.lower <= sample["tokens"][family] <= estimate.upper


@pytest.mark.parametrize("script", ["chinese", "japanese", "korean", "mixed"])
def test_samples_of_scripts_without_spaces_have_two_thousand_characters(script: str) -> None:
    assert len(BY_SCRIPT[script]["text"]) >= 2_000
    assert len(BY_SCRIPT[script]["tokens"]) >= 8


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda sample: str(sample["script"]))
def test_bar_of_an_unknown_family_holds_every_tokenizer_and_its_best_none_exceeds(sample) -> None:
    estimate = estimate_text(sample["text"])
    counts = sample["tokens"].values()
    assert all(estimate.lower <= real <= estimate.upper for real in counts)
    assert estimate.best >= 0.9 * max(counts)


def test_three_characters_a_token_undercounts_these_scripts_threefold_and_the_estimate_does_not() -> (
    None
):
    for script in ("chinese", "japanese", "korean"):
        text, real = BY_SCRIPT[script]["text"], BY_SCRIPT[script]["tokens"]["cl100k"]
        assert len(text) / 3 < real / 2.5
        assert estimate_text(text, "cl100k").upper >= real


@pytest.mark.parametrize(
    ("model", "family"),
    [
        ("gpt-4o-mini", "o200k"),
        ("openai/gpt-5.2", "o200k"),
        ("gpt-4.1", "o200k"),
        ("gpt-4-turbo", "cl100k"),
        ("gpt-3.5-turbo", "cl100k"),
        ("claude-opus-4-1", "claude"),
        ("anthropic.claude-sonnet-4-5-v1:0", "claude"),
        ("claude-2.1", "claude2"),
        ("DeepSeek-V3", "deepseek"),
        ("Qwen3-Coder", "qwen"),
        ("meta-llama/Llama-3.3-70B", "llama3"),
        ("Llama-4-Scout", "llama4"),
        ("mistral-large-latest", "mistral"),
        ("qwen", "qwen"),
        ("gemini-3-pro", ""),
        ("", ""),
    ],
)
def test_family_comes_from_the_model_name(model: str, family: str) -> None:
    assert family_of(model) == family


def test_nothing_costs_nothing() -> None:
    assert estimate_tokens("") == 0
    assert estimate_text("").upper == 0


@given(st.text())
def test_same_text_has_the_same_estimate_and_an_ordered_bar(text: str) -> None:
    estimate = estimate_text(text)
    assert estimate == estimate_text(text)
    assert 0 <= estimate.lower <= estimate.best <= estimate.upper


@given(st.text(), st.text())
def test_joining_texts_changes_the_estimate_by_a_bound_only(one: str, two: str) -> None:
    # At a seam two words, numbers, marks or lines may become one, or a short word a long one.
    bound = 8.0
    parts = estimate_text(one).best + estimate_text(two).best
    both = estimate_text(one + two).best
    assert parts - bound <= both <= parts + bound
    assert both >= max(estimate_text(one).best, estimate_text(two).best) - bound


@pytest.mark.parametrize("unit", [" ", "\n", "a", "A", "7", "!", "中", "한", "é", "\u0301", "a 中"])
def test_pieces_grow_in_step_with_the_text(unit: str) -> None:
    small, large = pieces(unit * 1_000), pieces(unit * 300_000)
    assert set(small) == set(large) <= set(PIECES)
    assert estimate_text(unit * 300_000).best <= 302 * estimate_text(unit * 1_000).best + 10


def test_rates_cover_the_tokenizers_that_the_samples_were_counted_with() -> None:
    assert all(set(sample["tokens"]) <= set(FAMILIES) for sample in SAMPLES)


def test_every_piece_has_a_rate_and_a_margin_in_every_family() -> None:
    assert set(RATES) == set(MARGINS) == set(PIECES)
    assert all(len(rates) == len(FAMILIES) for rates in RATES.values())


def test_base64_costs_what_its_kind_costs_not_its_characters() -> None:
    source = {"type": "base64", "media_type": "image/png", "data": "A" * 400_000}
    block = Block("opaque", name="image", raw={"type": "image", "source": source})
    assert estimate_block(block).upper < 2_000
    assert estimate_json([block.raw]).best > 1_000


def test_blocks_cost_their_text_and_a_frame_by_kind() -> None:
    words = "the same words in every block " * 20
    plain = estimate_text(words)
    for kind in ("text", "thinking", "tool_result"):
        made = estimate_block(Block(kind, text=words))
        assert plain.best <= made.best <= plain.best + 20
    call = estimate_block(Block("tool_use", name="run", input={"code": words}))
    assert call.best > plain.best
