"""A thousand pages of the demo site, and the sitemap that lists them: the same on every call.

Made for trying many pages at once: some are in German, some carry a licence or an opt-out, some are gone.
"""

from __future__ import annotations

import html
import json
from random import Random

CATALOGUE_SIZE = 1_000

_MATERIALS = {
    "Oak": "Eiche",
    "Brass": "Messing",
    "Linen": "Leinen",
    "Clay": "Ton",
    "Slate": "Schiefer",
}
_THINGS = {
    "kettle": "Kessel", "lantern": "Laterne", "stool": "Hocker", "tray": "Tablett", "vase": "Vase",
    "clock": "Uhr", "bowl": "Schale", "basket": "Korb", "mirror": "Spiegel", "shelf": "Regal",
}  # fmt: skip
_ENGLISH = (
    "It was drawn by {who} in {year} and has been made in the same workshop ever since.",
    "Each piece takes {hours} hours, most of them for a surface that nobody sees.",
    "The first ones went to a harbour inn, where {count} are still in use.",
    "It weighs {weight} grams and stands on three points, so that it never rocks.",
    "We lend it for {count} days, since a thing for every day should be tried for some.",
    "Its parts come off without a tool, and each of them can be had alone.",
)
_GERMAN = (
    "Der Entwurf stammt von {who} aus dem Jahr {year}, gefertigt wird noch immer in derselben Werkstatt.",
    "Jedes Stück braucht {hours} Stunden, die meisten davon für eine Fläche, die niemand sieht.",
    "Die ersten gingen an ein Gasthaus am Hafen; {count} davon sind noch in Gebrauch.",
    "Mit {weight} Gramm steht es auf drei Punkten und wackelt nie.",
    "Wir verleihen es für {count} Tage, denn ein Ding für jeden Tag will erprobt sein.",
    "Die Teile lassen sich ohne Werkzeug lösen, und jedes ist einzeln zu haben.",
)
_DESIGNERS = ("Ada Brandt", "Noor Visser", "Jun Sato", "Mira Okafor", "Lew Petrow", "Ines Duarte")
_LICENCE = '<link rel="license" href="https://creativecommons.org/licenses/by/4.0/">'


def is_gone(number: int) -> bool:
    """Whether the sitemap still has a page that is there no more."""
    return number % 90 == 0


def product_page(number: int) -> str:
    """The page of one product, counted from 1."""
    chance = Random(number)
    german = number % 10 == 3
    material, thing = chance.choice([*_MATERIALS.items()]), chance.choice([*_THINGS.items()])
    name = f"{material[german]} {thing[german]} {number}"
    pounds = f"{chance.randint(9, 240)}.{chance.randint(0, 99):02d}"
    sentences = chance.sample(_GERMAN if german else _ENGLISH, 4)
    facts = {
        "who": chance.choice(_DESIGNERS),
        "year": chance.randint(1921, 2019),
        "hours": chance.randint(2, 60),
        "count": chance.randint(3, 90),
        "weight": chance.randint(80, 9_000),
    }
    head = _LICENCE if number % 20 == 7 else ""
    head += '<meta name="robots" content="noai">' if number % 25 == 4 else ""
    return _page(name, pounds, [each.format(**facts) for each in sentences], german, head)


def sitemap(origin: str) -> str:
    """Addresses of all products, as sitemaps.org has it; ``origin`` is the site's own."""
    urls = "".join(
        f"<url><loc>{html.escape(origin)}/products/{number}</loc></url>\n"
        for number in range(1, CATALOGUE_SIZE + 1)
    )
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        f'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n{urls}</urlset>\n'
    )


def _page(name: str, pounds: str, sentences: list[str], german: bool, head: str) -> str:
    text = "".join(f"<p>{html.escape(each)}</p>" for each in sentences)
    product = {
        "@context": "https://schema.org",
        "@type": "Product",
        "name": name,
        "offers": {"@type": "Offer", "price": pounds, "priceCurrency": "GBP"},
    }
    return (
        f'<!DOCTYPE html><html lang="{"de" if german else "en"}"><head><title>{name}</title>{head}'
        f'<script type="application/ld+json">{json.dumps(product)}</script></head><body>'
        '<header><nav><a href="/">Home</a> <a href="/shop">Shop</a></nav></header>'
        f"<main><h1>{name}</h1>{text}<p>£{pounds}</p></main>"
        "<footer><p>Demo pages: nothing here can be bought.</p></footer></body></html>"
    )
