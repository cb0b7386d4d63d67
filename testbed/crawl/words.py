"""The small web's text: the same on every call, and no two articles alike."""

from __future__ import annotations

import hashlib
from random import Random

_WORDS = (
    "amber anchor apple autumn barley basket beacon bridge bronze butter candle canyon carbon castle "
    "cedar chapel cherry cinder circle clover cobalt copper coral cotton crater cricket crystal dagger "
    "desert drifter eagle ember engine fabric falcon feather fennel fiddle finch forest fossil fountain "
    "gallery garden garnet ginger glacier granite harbour harvest hazel heron hollow indigo island ivory "
    "jasmine juniper kettle lantern lattice lavender lemon library linen lobster magnet maple marble "
    "meadow mercury mirror mosaic mountain mustard nectar needle nettle oasis olive orchard orchid otter "
    "oyster paddle parcel parsley pebble pepper pewter pigeon pillar planet plaster poplar pottery prairie "
    "quarry quartz quiver rabbit raven reef ribbon river rocket saddle saffron salmon sandal sapphire "
    "saddlebag scarlet shadow shelter silver sparrow spindle spruce summit sunset tablet tallow temple "
    "thicket thimble thistle timber tractor tundra tunnel turnip valley vanilla velvet village violet "
    "walnut warbler water wheel whistle willow window winter wicket yarrow yellow zephyr"
).split()

#: A sentence of each encoding's own, which it alone of the usual ones writes so.
SENTENCES = {
    "windows-1251": "Широкая электрификация южных губерний даст мощный толчок подъёму.",
    "koi8-r": "Съешь ещё этих мягких французских булок, да выпей чаю.",
    "shift_jis": "いろはにほへと散りぬるを、我が世誰ぞ常ならむ。",
    "gb18030": "天地玄黄，宇宙洪荒。日月盈昃，辰宿列张。",
    "utf-16": "Zażółć gęślą jaźń, naïve façade — Ωμέγα.",
}


def phrase(number: int) -> str:
    """What only the article with this number has, in ASCII."""
    digest = hashlib.sha256(f"article {number}".encode()).hexdigest()[:8]
    return f"Entry {number} bears the seal {digest}."


def paragraphs(number: int, changed: bool = False) -> list[str]:
    """The article's text, about 300 words; ``changed`` has three of them replaced."""
    chance = Random(f"article {number}")
    words = [chance.choice(_WORDS) for _ in range(300)]
    if changed:
        for place in (60, 150, 240):
            words[place] = "rewritten"
    made = [phrase(number)]
    for start in range(0, len(words), 60):
        lines = [words[at : at + 12] for at in range(start, start + 60, 12)]
        made.append(" ".join(f"{' '.join(line).capitalize()}." for line in lines))
    return made


def article(number: int, *, changed: bool = False, head: str = "", extra: str = "") -> str:
    """A whole page: navigation, an article, a footer. ``extra`` is one more paragraph of it."""
    text = "".join(f"<p>{each}</p>" for each in paragraphs(number, changed))
    if extra:
        text += f"<p>{extra}</p>"
    return (
        f"<!DOCTYPE html><html lang=en><head><title>Article {number}</title>{head}</head><body>"
        "<header><nav><a href='/'>Home</a> <a href='/about'>About</a> <a href='/archive'>Archive</a></nav>"
        f"</header><main><article><h1>Article {number}</h1>{text}</article></main>"
        "<footer><p>Made for measuring.</p></footer></body></html>"
    )
