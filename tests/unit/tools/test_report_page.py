"""The page of condor_report in a real browser: it loads and runs nothing, and can be read wide, narrow and dark."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from headless import Browser
from report_world import World
from tool_runner import Spool

#: The least ratio of brightness between text and paper that WCAG asks for.
_CONTRAST = 4.5
_RATIO = """(() => {
  const light = text => { const [r, g, b] = text.match(/[\\d.]+/g).map(Number).map(v => v / 255).map(
      v => v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4); return 0.2126 * r + 0.7152 * g + 0.0722 * b; };
  const paper = light(getComputedStyle(document.body).backgroundColor);
  const ratio = one => { const ink = light(getComputedStyle(one).color);
      return (Math.max(ink, paper) + 0.05) / (Math.min(ink, paper) + 0.05); };
  return Math.min(...[...document.querySelectorAll('p, h1, h2, td, th, figcaption, a')].map(ratio)); })()"""


@pytest.fixture
def page(spool: Spool, tmp_path: Path) -> Path:
    """A report on a made-up week, with hostile names in it."""
    World(spool, int(time.time())).cycles()
    path = tmp_path / "week.html"
    done = spool.run("condor_report", "-o", str(path))
    assert (done.code, done.out, done.err) == (0, "", "")
    return path


@pytest.fixture
def browser(tmp_path: Path) -> Iterator[Browser]:
    with Browser(tmp_path / "profile") as opened:
        yield opened


def test_in_a_browser(page: Path, browser: Browser) -> None:
    for width, height, dark in (1280, 900, False), (390, 844, True):
        browser.open(page, width, height, dark)
        assert browser.value("document.title") == "Use of " + browser.value("document.title").removeprefix("Use of ")
        assert browser.value("document.scripts.length") == 0
        assert browser.value("document.querySelectorAll('img, iframe, link, object').length") == 0
        assert browser.value("document.scrollingElement.scrollWidth") <= width, "only tables and charts scroll"
        assert browser.value(_RATIO) >= _CONTRAST
        assert browser.value("Math.min(...[...document.querySelectorAll('svg text')].map("
                             "one => one.getBoundingClientRect().height))") >= 9  # fmt: skip
        sections = "[...document.querySelectorAll('section')].filter(one => one.querySelector('svg'))"
        assert browser.value(f"{sections}.length") >= 5
        assert browser.value(f"{sections}.every(one => one.querySelector('table caption'))")
        assert browser.value("[...document.querySelectorAll('svg')].every(one => one.getAttribute('aria-label'))")
        right = "one.getBBox().x + one.getBBox().width"
        outside = f"one.getBBox().x < -1 || {right} > one.ownerSVGElement.viewBox.baseVal.width + 1"
        assert browser.value(f"[...document.querySelectorAll('svg text')].filter(one => {outside}).length") == 0
        hidden = (
            "[...document.querySelectorAll('nav a')].filter(one => !document.querySelector(one.getAttribute('href')))"
        )
        assert browser.value(f"{hidden}.length") == 0
        picture = page.with_name(f"page-{width}.png")
        browser.picture(picture)
        assert picture.stat().st_size > 20_000
    assert browser.pages().startswith(b"%PDF"), "it can be printed"
    assert set(browser.requests) == {page.as_uri()}, "nothing is loaded from anywhere"
    assert browser.complaints == []
