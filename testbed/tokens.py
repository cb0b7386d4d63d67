"""How far the token estimate is from real tokenizers, and from what a provider counted.

``python -m testbed.tokens`` prints one row a text and tokenizer family (see ``testbed.tokenizers``): our own
texts, forms that are made on the spot, then samples of at least 2,000 characters from the pages under
``PAGEFOLD_SHARED``, which no rate was fitted to; each with the error, and whether the count lies within
the error bar. Then recorded sessions beside the counts that their provider reported.
"""

from __future__ import annotations

import base64
import gzip
import html
import json
import os
import random
from collections.abc import Iterator
from pathlib import Path

import regex

from compactor.estimate import estimate_history, estimate_text
from compactor.formats import read
from compactor.gauge import Gauge, reported_tokens
from testbed.tokenizers import tokenizers

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
_EMOJI = "😀 😂 🙏 👍🏽 🎉 🔥 ✅ ❌ ⚠️ 🚀 👨‍👩‍👧‍👦 🇩🇪 🇯🇵 ❤️ 🤖 📦 🐛 💡 ✨ ➡️".split()


def forms() -> dict[str, str]:
    """Texts that are not prose, the same in every run."""
    choose = random.Random(11)
    here = Path(__file__).parent
    words = "connection worker request timeout closed retry upstream cache index shard".split()
    rows = [
        f"2026-03-{choose.randint(1, 28):02}T{choose.randint(0, 23):02}:14:{choose.randint(0, 59):02}Z "
        f"{choose.choice(['INFO', 'WARN', 'ERROR'])} [{choose.choice(words)}-{choose.randint(1, 64)}] "
        f"{' '.join(choose.choices(words, k=6))} id={choose.randrange(16**8):08x}"
        for _ in range(60)
    ]
    records = [
        {"id": choose.randrange(10**6), "name": choose.choice(words), "ok": choose.random() < 0.5}
        for _ in range(70)
    ]
    markup = "".join(
        f'<li class="item-{row["id"]}"><a href="/shop/{row["name"]}?p={row["id"]}">{row["name"]}</a></li>'
        for row in records
    )
    return {
        "python": (here / "crash.py").read_text(encoding="utf-8")[:5_000],
        "javascript": (here / "oracle" / "probe.js").read_text(encoding="utf-8")[:5_000],
        "log": "\n".join(rows),
        "json rows": json.dumps(records, indent=1),
        "html": f"<ul>{markup}</ul>",
        "base64": base64.b64encode(choose.randbytes(3_000)).decode(),
        "hex": choose.randbytes(1_500).hex(),
        "emoji": " ".join(choose.choices(_EMOJI, k=700)),
    }


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


def sessions(folder: Path) -> Iterator[tuple[str, int, int, float, float, float]]:
    """(name, characters, provider's count, best, upper, rescaled) between a session's first and last count.

    The difference leaves out the system prompt and tools, which the recordings do not hold. ``rescaled``
    is what the session's gauge says of the last request after it has heard the one in the middle.
    """
    for path in sorted(folder.glob("anthropic/*.json")):
        for index, segment in enumerate(json.loads(path.read_text(encoding="utf-8"))["segments"]):
            counted = [(i, reported_tokens(u) or 0) for i, u in enumerate(segment["usage"]) if u]
            if len(counted) < 2:
                continue
            estimates = {
                at: estimate_history(read(segment["messages"][:at], "anthropic"), "claude").best
                for at in (counted[0][0], counted[len(counted) // 2][0], counted[-1][0])
            }
            (start, low), (middle, mid), (end, high) = (
                counted[0],
                counted[len(counted) // 2],
                counted[-1],
            )
            gauge = Gauge().noted(estimates[start], low).noted(estimates[middle], mid)
            rescaled = estimates[end] * gauge.scale + gauge.unseen - low
            between = segment["messages"][start:end]
            total = estimate_history(read(between, "anthropic"), "claude")
            size = len(json.dumps(between, ensure_ascii=False, separators=(",", ":")))
            name = f"{path.stem}#{index}"
            yield name, size, high - low, total.best, total.upper, rescaled


def main() -> None:
    shared = Path(os.environ.get("PAGEFOLD_SHARED", "../shared")) / "data"
    own = {row["script"]: row["text"] for row in json.loads(SAMPLES.read_text(encoding="utf-8"))}
    counters = tokenizers()
    print(f"{'source':6} {'script':12} {'chars':>6}", *(f"{name:>16}" for name in counters))
    print("tokens, error of the best estimate, * where they lie outside of the error bar")
    sources = (("own", own), ("form", forms()), ("page", page_samples(shared / "extraction")))
    for source, texts in sources:
        for script, text in texts.items():
            cells = []
            for name, count in counters.items():
                real, made = count(text), estimate_text(text, name)
                mark = " " if made.lower <= real <= made.upper else "*"
                cells.append(f"{real:8} {made.best / real - 1:+6.1%}{mark}")
            print(f"{source:6} {script:12} {len(text):6}", *cells)
    print(f"\n{'session':32} {'chars':>7} {'provider':>8} {'best':>7} {'upper':>7} error, rescaled")
    for name, size, real, best, upper, rescaled in sessions(shared / "trajectories"):
        row = f"{name:32} {size:7} {real:8} {best:7.0f} {upper:7.0f}"
        print(f"{row} {best / real - 1:+6.1%} {rescaled / real - 1:+6.1%}")


if __name__ == "__main__":
    main()
