"""How far the token estimate is from real tokenizers, and from what a provider counted.

``python -m testbed.tokens`` needs the ``eval`` extra (the tables ship inside ``litellm``; nothing is
fetched). It prints one row a tokenizer and script: our own short texts, then samples of at least
2,000 characters from the pages under ``PAGEFOLD_SHARED``, then recorded sessions beside the counts
that their provider reported.
"""

from __future__ import annotations

import gzip
import html
import importlib.util
import json
import os
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import regex

from compactor.estimate import estimate_history, estimate_text
from compactor.formats import read

SAMPLES = Path(__file__).with_name("token_samples.json")
LEAST_CHARS = 2_000
MOST_CHARS = 8_000
_CODE = regex.compile(r"(?is)<(script|style|noscript|svg)\b.*?</\1\s*>|<!--.*?-->")
_BREAK = regex.compile(r"(?i)</?(p|div|li|td|th|h\d|br|ul|table|section|title|option|dd)\b[^>]*>")
_TAG = regex.compile(r"<[^>]*>")
_LETTER = regex.compile(r"\p{L}")
#: A line belongs to the first script that half of its letters have.
_SCRIPTS = {
    "japanese": regex.compile(r"[\p{Hiragana}\p{Katakana}]"),
    "korean": regex.compile(r"\p{Hangul}"),
    "chinese": regex.compile(r"\p{Han}"),
    "arabic": regex.compile(r"\p{Arabic}"),
    "hebrew": regex.compile(r"\p{Hebrew}"),
    "greek": regex.compile(r"\p{Greek}"),
    "russian": regex.compile(r"\p{Cyrillic}"),
}
_SHARE = {"japanese": 0.2}
Count = Callable[[str], int]


def tokenizers() -> dict[str, Count]:
    """Counters by vocabulary, from the tables in litellm's folder; the package is not imported."""
    spec = importlib.util.find_spec("litellm")
    if spec is None or spec.origin is None:
        raise SystemExit("testbed.tokens needs the eval extra: pip install 'pagefold[eval]'")
    folder = Path(spec.origin).parent / "litellm_core_utils" / "tokenizers"
    os.environ["TIKTOKEN_CACHE_DIR"] = str(folder)
    tiktoken: Any = importlib.import_module("tiktoken")
    tokenizers: Any = importlib.import_module("tokenizers")
    found: dict[str, Count] = {}
    for name in ("o200k", "cl100k"):
        found[name] = partial(_by_tiktoken, tiktoken.get_encoding(f"{name}_base"))
    for name, file in (("claude2", "anthropic"), ("deepseek", "deepseek")):
        table = tokenizers.Tokenizer.from_file(str(folder / f"{file}_tokenizer.json"))
        found[name] = partial(_by_table, table)
    return found


def _by_tiktoken(encoding: Any, text: str) -> int:
    return len(encoding.encode(text, disallowed_special=()))


def _by_table(table: Any, text: str) -> int:
    return len(table.encode(text, add_special_tokens=False).ids)


def page_samples(folder: Path) -> dict[str, str]:
    """Text by script from stored pages: lines of one script, at most ``MOST_CHARS`` a page."""
    found: dict[str, str] = {}
    for path in sorted(folder.glob("*/pages/*.html.gz")):
        data = gzip.decompress(path.read_bytes())
        if data.isascii():
            continue
        text = data.decode("utf-8", "replace")
        if len(regex.findall(r"[^\x00-\u024f\u2000-\u2fff]", text)) < 200 or "\ufffd" in text:
            continue
        text = html.unescape(_TAG.sub("", _BREAK.sub("\n", _CODE.sub("", text))))
        mine: dict[str, dict[str, None]] = {}
        for line in (" ".join(line.split()) for line in text.split("\n")):
            script = _script_of(line) if len(line) >= 25 else ""
            if script:
                mine.setdefault(script, {})[line] = None
        for script, lines in mine.items():
            found[script] = found.get(script, "") + "\n".join(lines)[:MOST_CHARS] + "\n"
    found = {script: text for script, text in found.items() if len(text) >= LEAST_CHARS}
    parts = [found[script] for script in ("chinese", "japanese", "korean") if script in found]
    own = json.loads(SAMPLES.read_text(encoding="utf-8"))
    parts += [row["text"] for row in own if row["script"] in ("english", "code", "json")]
    found["mixed"] = "\n".join(part[:1_500] for part in parts)
    return found


def _script_of(line: str) -> str:
    letters = len(_LETTER.findall(line)) or 1
    for script, pattern in _SCRIPTS.items():
        if len(pattern.findall(line)) / letters > _SHARE.get(script, 0.5):
            return script
    return ""


def sessions(folder: Path) -> Iterator[tuple[str, int, int, float, float]]:
    """(name, characters, provider's count, best, upper) between a session's first and last count.

    The difference leaves out the system prompt and tools, which the recordings do not hold.
    """
    for path in sorted(folder.glob("anthropic/*.json")):
        for index, segment in enumerate(json.loads(path.read_text(encoding="utf-8"))["segments"]):
            counted = [(i, reported(u)) for i, u in enumerate(segment["usage"]) if u]
            if len(counted) < 2:
                continue
            (start, low), (end, high) = counted[0], counted[-1]
            between = segment["messages"][start:end]
            total = estimate_history(read(between, "anthropic"), "claude")
            size = len(json.dumps(between, ensure_ascii=False, separators=(",", ":")))
            yield f"{path.stem}#{index}", size, high - low, total.best, total.upper


def reported(usage: dict[str, int]) -> int:
    """Tokens of a request by its provider's count."""
    kinds = ("input_tokens", "cache_read_input_tokens", "cache_creation_input_tokens")
    return sum(usage.get(kind, 0) or 0 for kind in kinds)


def main() -> None:
    shared = Path(os.environ.get("PAGEFOLD_SHARED", "../shared")) / "data"
    own = {row["script"]: row["text"] for row in json.loads(SAMPLES.read_text(encoding="utf-8"))}
    counters = tokenizers()
    print(
        f"{'source':6} {'tokenizer':9} {'script':12} {'chars':>6} {'tokens':>6} {'estimate':>8} error"
    )
    for source, texts in (("own", own), ("pages", page_samples(shared / "extraction"))):
        for script, text in texts.items():
            for name in counters:
                real, best = counters[name](text), estimate_text(text, name).best
                row = f"{source:6} {name:9} {script:12} {len(text):6} {real:6} {best:8.0f}"
                print(f"{row} {best / real - 1:+6.1%}")
    print(f"\n{'session':36} {'chars':>7} {'provider':>8} {'best':>7} {'upper':>7} error")
    for name, size, real, best, upper in sessions(shared / "trajectories"):
        print(f"{name:36} {size:7} {real:8} {best:7.0f} {upper:7.0f} {best / real - 1:+6.1%}")


if __name__ == "__main__":
    main()
