"""How the browser is really started: read from the running process, not from our lists."""

from __future__ import annotations

from pathlib import Path

from tests.browser.site import serve
from tests.faults.pools import in_s, running_pool

WANTED = {
    "--disable-quic",
    "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--block-new-web-contents",
    "--disable-3d-apis",
    "--js-flags=--max-old-space-size=512",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--proxy-bypass-list=<-loopback>",
}


async def test_the_browser_runs_with_every_flag_and_with_no_secret() -> None:
    async with running_pool(concurrency=1) as pool:
        folder = Path("/proc", str(pool.state.browser_pid))
        arguments = (folder / "cmdline").read_bytes().decode().split("\0")
        # Chromium writes its arguments as one text where it has set its own title.
        flags = {part for argument in arguments for part in argument.split(" ")}
        environment = (folder / "environ").read_bytes().decode().split("\0")
    assert flags >= WANTED
    [proxy] = {flag for flag in flags if flag.startswith("--proxy-server=")}
    assert proxy.startswith("--proxy-server=http://127.0.0.1:")
    # A flag given twice counts once, the last: no other value may stand beside ours.
    for name in {flag.partition("=")[0] for flag in WANTED if "=" in flag}:
        assert len({flag for flag in flags if flag.partition("=")[0] == name}) == 1, name
    assert not [each for each in environment if each.startswith("PAGEFOLD_")]


async def test_what_a_page_may_do_is_as_little_as_possible() -> None:
    script = """async () => {
        const names = ["geolocation", "notifications", "camera", "microphone", "clipboard-read"];
        const asked = names.map((name) => navigator.permissions.query({ name }));
        const states = (await Promise.all(asked)).map((each) => each.state);
        const canvas = (kind) => Boolean(document.createElement("canvas").getContext(kind));
        return {
            granted: states.filter((state) => state === "granted"),
            ran: Boolean(window.ran),
            drawn: ["2d", "webgl", "webgl2"].filter(canvas),
        };
    }"""
    page_text = (
        "<meta http-equiv=Content-Security-Policy content=\"script-src 'none'\">"
        "<script>window.ran = 1</script><p>x</p>"
    )
    async with serve({"/": page_text}) as site:
        allowed = (f"127.0.0.1:{site.port}",)
        async with (
            running_pool(concurrency=1, allow_hosts=allowed) as pool,
            pool.lease("k", {}, deadline=in_s(30)) as lease,
        ):
            page = await lease.context.new_page()
            await page.goto(site.url())
            answer = await page.evaluate(script)
    # Flat drawing is what pages need; 3D has its memory where no page's limits reach.
    assert answer == {"granted": [], "ran": False, "drawn": ["2d"]}
