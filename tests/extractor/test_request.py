"""What a request may say: every field is documented, every wrong value is told with its field."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlsplit

import pytest
from pydantic import ValidationError

from extractor.browser.options import context_options, origin_of
from extractor.errors import InvalidRequest
from extractor.request import PageRequest, Scroll

URL = "https://a.test/x"


@pytest.mark.parametrize("name", PageRequest.model_fields)
def test_every_field_is_described_with_an_example(name: str) -> None:
    field = PageRequest.model_fields[name]
    assert field.description
    assert field.examples or name == "viewport"


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("headers", {"X-A": "a\r\nb"}),
        ("headers", {"X A": "a"}),
        ("headers", {"Host": "other.test"}),
        ("headers", {"Proxy-Authorization": "x"}),
        ("headers", {"X-A": "ä"}),
        ("cookies", [{"name": "s", "value": "a;b"}]),
        ("cookies", [{"name": "s=t", "value": "a"}]),
        ("cookies", [{"name": "s", "value": "a", "expires": "nan"}]),
        ("cookies", [{"name": "s", "value": "a", "path": "x"}]),
        ("http_auth", {"username": "a:b", "password": "c"}),
        ("user_agent", "a\nb"),
        ("timezone", "Mars/Olympus"),
        ("locale", "not a locale"),
        ("scroll", {"steps": 0}),
        ("scroll", {"pages": 3}),
        ("viewport", {"width": 10}),
        ("deadline_s", 0),
        ("deadline_s", float("nan")),
        ("wait", {"selector": "a", "delay_ms": 3}),
        ("block", ["scripts"]),
        ("wait_untl", "load"),
    ],
)
def test_a_wrong_value_names_its_field(field: str, value: Any) -> None:
    with pytest.raises(ValidationError) as caught:
        PageRequest.model_validate({"url": URL, field: value})
    assert {error["loc"][0] for error in caught.value.errors()} == {field}


def test_secrets_stay_out_of_what_is_printed() -> None:
    request = PageRequest(
        url=URL,
        http_auth={"username": "reader", "password": "low-water"},  # type: ignore[arg-type]
        cookies=[{"name": "s", "value": "secret-value"}],  # type: ignore[arg-type]
    )
    assert "low-water" not in repr(request)
    assert "secret-value" not in repr(request)


def test_a_device_gives_way_to_what_is_said_outright() -> None:
    devices = {
        "Slate": {
            "user_agent": "Slate/1",
            "viewport": {"width": 400, "height": 700},
            "is_mobile": True,
            "default_browser_type": "webkit",
        }
    }
    plain = context_options(PageRequest(url=URL, device="Slate"), devices)
    assert plain["viewport"] == {"width": 400, "height": 700}
    assert "default_browser_type" not in plain
    own = context_options(PageRequest(url=URL, device="Slate", user_agent="Mine/1"), devices)
    assert own["user_agent"] == "Mine/1"
    with pytest.raises(InvalidRequest) as caught:
        context_options(PageRequest(url=URL, device="Slat"), devices)
    assert caught.value.field == "device"
    assert "Slate" in caught.value.message


@pytest.mark.parametrize(
    ("url", "origin"),
    [
        ("HTTP://A.test:80/x?y", "http://a.test"),
        ("https://a.test:443", "https://a.test"),
        ("https://a.test:8443#f", "https://a.test:8443"),
        ("http://[::1]:80/", "http://[::1]"),
    ],
)
def test_an_origin_is_written_as_browsers_do(url: str, origin: str) -> None:
    assert origin_of(url) == origin


def test_a_fetch_without_a_browser_sends_what_a_browser_would() -> None:
    request = PageRequest.model_validate(
        {
            "url": URL,
            "http_auth": {"username": "u", "password": "p"},
            "cookies": [
                {"name": "a", "value": "1,2"},
                {"name": "b", "value": "3", "domain": ".test", "path": "/x"},
                {"name": "c", "value": "4", "path": "/elsewhere"},
                {"name": "d", "value": "5", "domain": "b.test"},
            ],
        }
    )
    assert request.own_headers() == {"Authorization": "Basic dTpw", "Cookie": "a=1,2; b=3"}
    assert not request.cookies[2].goes_to(urlsplit(URL))


def test_scrolling_has_bounds_of_its_own() -> None:
    assert PageRequest(url=URL).scrolling is None
    assert PageRequest(url=URL, scroll=True).scrolling == Scroll()
    assert PageRequest(url=URL, scroll=Scroll(steps=3)).scrolling == Scroll(steps=3)


def test_pictures_are_drawn_with_their_images_unless_the_caller_blocks_them() -> None:
    assert PageRequest(url=URL).blocked() == ("image", "media", "font")
    assert PageRequest(url=URL, format="screenshot").blocked() == ()  # type: ignore[arg-type]
    request = PageRequest(url=URL, format=("pdf",), block=("media",))
    assert (request.blocked(), request.pictures) == (("media",), ("pdf",))
