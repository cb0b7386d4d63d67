"""How Chromium is started: its arguments, environment and sandbox."""

from __future__ import annotations

import os
import tempfile

import structlog
from playwright.async_api import Browser, BrowserType, ProxySettings

from extractor.browser.discover import find_chromium
from extractor.errors import BrowserCrashed
from extractor.settings import ExtractorSettings

_log = structlog.get_logger(__name__)

#: With it set, Playwright lets Chromium dial loopback and link-local addresses past the proxy.
BYPASS_VARIABLE = "PLAYWRIGHT_DISABLE_FORCED_CHROMIUM_PROXIED_LOOPBACK"
#: Takes away Chromium's built-in exceptions for loopback and link-local addresses.
NO_BYPASS = "<-loopback>"

_ARGUMENTS = (
    "--disable-quic",
    # WebRTC would send UDP around the proxy; the spelling without "force-" does nothing.
    "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
    # WebGL: its memory is in the graphics process, which no page's limits reach.
    "--disable-3d-apis",
    "--js-flags=--max-old-space-size=512",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
#: For pages that are read once: none may open another.
_ONE_PAGE = "--block-new-web-contents"
#: A browser takes the last list of features alone, so the first two, which Playwright asks for, stand
#: here again. The third binds a cookie to the port that set it.
_FEATURES = (
    "CDPScreenshotNewSurface",
    "SkipListAccountsWithoutGaiaCookies",
    "EnablePortBoundCookies",
)
#: What Playwright adds for tests of trusted pages, and is taken out again.
_NOT_WANTED = (
    # A page that never stops calling `history.pushState` would flood the driver.
    "--disable-ipc-flooding-protection",
    # 3D in software, which Chromium calls unsafe for the web.
    "--enable-unsafe-swiftshader",
)
# Pages run in processes that inherit this, so nothing secret may be in it.
_ENVIRONMENT = ("PATH", "HOME", "LANG", "LC_ALL", "TZ", "TMPDIR", "LD_LIBRARY_PATH", "USER")
_ENVIRONMENT_PREFIXES = ("XDG_", "FONTCONFIG_", "DBUS_")


def check_environment() -> None:
    """Refuse to start where somebody asks for a way past the proxy.

    Raises:
        BrowserCrashed: the variable that opens it is set.
    """
    if os.environ.get(BYPASS_VARIABLE):
        raise BrowserCrashed(
            f"{BYPASS_VARIABLE} is set, which lets a browser connect past the egress proxy: unset it."
        )


async def launch(
    kind: BrowserType, settings: ExtractorSettings, proxy_url: str, *, windows: bool = False
) -> Browser:
    """Start one Chromium whose every connection goes to the proxy; with ``windows`` pages may open more.

    Raises:
        BrowserMissing: no Chromium was found.
        playwright.async_api.Error: it did not start in time.
    """
    chromium = find_chromium(settings.chromium_path)
    sandbox = os.geteuid() != 0
    if not sandbox:
        _log.warning("chromium_sandbox_off", why="running as root")
    # Without credentials: what the browser itself tries to send outside a request gets a 407.
    proxy = ProxySettings(server=proxy_url, bypass=NO_BYPASS)
    return await kind.launch(
        executable_path=str(chromium.path),
        # Nothing is downloaded or traced. With a folder given, the driver makes none that could be left.
        artifacts_dir=tempfile.gettempdir(),
        args=[
            *_ARGUMENTS,
            *(() if windows else (_ONE_PAGE,)),
            f"--enable-features={','.join(_FEATURES)}",
        ],
        ignore_default_args=list(_NOT_WANTED),
        env=_browser_environment(),
        chromium_sandbox=sandbox,
        headless=True,
        proxy=proxy,
        timeout=settings.launch_timeout_s * 1000,
        handle_sigint=False,
        handle_sigterm=False,
        handle_sighup=False,
    )


def _browser_environment() -> dict[str, str | float | bool]:
    return {
        name: value
        for name, value in os.environ.items()
        if name in _ENVIRONMENT or name.startswith(_ENVIRONMENT_PREFIXES)
    }
