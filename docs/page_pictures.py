"""Makes the pictures of docs/pages.md from the pages of a pool that runs.

python docs/page_pictures.py "$(condor_web -login)" [DAG [JOB]]

It needs playwright, Pillow and chromium. DAG is the cluster of a DAG, JOB the number of a job (17.0).
"""

from __future__ import annotations

import io
import sys
from pathlib import Path

from PIL import Image
from playwright.sync_api import Page, sync_playwright

FOLDER = Path(__file__).resolve().parent / "pages"
_WIDE, _HIGH = 1180, 760
#: Pages that are shown dark, so that both can be seen.
_DARK = ("queue", "history")
_COLOURS = 96
#: Seconds after which a page that shows all it has may be asked again.
_SOON = 5


def main(login: str, dag: str = "", job: str = "") -> None:
    """Write all pictures."""
    site, _, _ = login.partition("/login/")
    wanted = {name: f"/{name}" for name in ("pool", "queue", "why", "shares", "history", "machine", "wall")}
    wanted |= {"dag": f"/dag/{dag}"} if dag else {}
    wanted |= {"job": f"/queue/{job}?file=output"} if job else {}
    FOLDER.mkdir(exist_ok=True)
    with sync_playwright() as play:
        browser = play.chromium.launch(executable_path="/usr/bin/chromium", args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": _WIDE, "height": _HIGH})
        page.goto(login)
        page.wait_for_url("**/pool")
        for name, address in wanted.items():
            page.emulate_media(color_scheme="dark" if name in _DARK else "light")
            page.goto(f"{site}{address}")
            _settle(page)
            picture = (
                Image.open(io.BytesIO(page.screenshot())).convert("RGB").quantize(_COLOURS, dither=Image.Dither.NONE)
            )
            picture.save(FOLDER / f"{name}.png", optimize=True)
        browser.close()


def _settle(page: Page) -> None:
    """Wait until the page asks for nothing more: what takes long is there."""
    for _ in range(60):
        page.wait_for_timeout(1000)
        again = page.locator("#main").get_attribute("data-again")
        if not again or int(again) >= _SOON:
            return


if __name__ == "__main__":
    main(*sys.argv[1:])
