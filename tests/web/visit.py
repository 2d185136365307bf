"""Visits to pages in a real browser: what is wrong with each, by eyes, by keyboard, and by the console."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

CHROMIUM = "/usr/bin/chromium"
WIDE, NARROW = (1280, 900), (375, 740)
#: Steps by Tab after which a page is left.
_MOST_STOPS = 150
#: Is there when a page loads, and collects what breaks its content security policy.
_LISTEN = """
window.violations = [];
document.addEventListener('securitypolicyviolation',
  e => window.violations.push(e.violatedDirective + ' ' + e.blockedURI));
"""
_OVERFLOW = """() => {
  const wide = document.documentElement.scrollWidth - document.documentElement.clientWidth;
  if (wide <= 0) return '';
  const limit = document.documentElement.clientWidth;
  const scrolls = e => ['auto', 'scroll', 'hidden'].includes(getComputedStyle(e).overflowX);
  const inside = e => { for (let p = e.parentElement; p && p !== document.body; p = p.parentElement) {
    if (scrolls(p)) return true; } return false; };
  const guilty = [...document.querySelectorAll('body *')]
    .find(e => e.getBoundingClientRect().right > limit + 1 && !inside(e));
  return wide + ' pixels too wide' + (guilty ? ': ' + guilty.tagName + '.' + guilty.getAttribute('class') : '');
}"""
#: The element with the focus: a name for it, and whether the focus can be seen.
_FOCUS = """() => {
  const e = document.activeElement;
  if (!e || e === document.body || e === document.documentElement) return null;
  const s = getComputedStyle(e), box = e.getBoundingClientRect();
  const marked = (s.outlineStyle !== 'none' && parseFloat(s.outlineWidth) > 0) || s.boxShadow !== 'none';
  e.dataset.stop = e.dataset.stop || String(Math.random());
  const text = (e.getAttribute('aria-label') || e.textContent || e.name || '').trim().slice(0, 40);
  return { key: e.dataset.stop, name: e.tagName + ' ' + text,
           seen: marked && box.width > 0 && box.height > 0 && box.right > 0 && box.left < innerWidth,
           link: e.getAttribute('href') || (e.href && e.href.baseVal) || '' };
}"""
_PAINT = "() => { const p = performance.getEntriesByName('first-contentful-paint')[0]; return p ? p.startTime : -1; }"


@contextmanager
def chromium() -> Iterator[Any]:
    """A browser without a window."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        try:
            yield browser
        finally:
            browser.close()


class Visitor:
    """A person with a browser. ``problems`` collects what is wrong."""

    def __init__(self, browser: Any, place: str, entry: str) -> None:
        self.place = place
        self.problems: list[str] = []
        self._browser = browser
        self._state = self._log_in(entry)

    def _log_in(self, entry: str) -> Any:
        context = self._browser.new_context()
        page = context.new_page()
        page.goto(entry)
        page.wait_for_selector("nav a")
        state = context.storage_state()
        context.close()
        return state

    @contextmanager
    def page(
        self, path: str, size: tuple[int, int] = WIDE, scheme: str = "light", script: bool = True
    ) -> Iterator[Any]:
        """A page that is open. What the console says and what breaks the policy is a problem."""
        where = f"{path} {size[0]} {scheme}"
        context = self._browser.new_context(
            storage_state=self._state,
            viewport={"width": size[0], "height": size[1]},
            color_scheme=scheme,
            java_script_enabled=script,
        )
        try:
            page = context.new_page()
            page.add_init_script(_LISTEN)
            page.on("pageerror", lambda error: self.problems.append(f"{where}: {error}"))
            page.on(
                "console",
                lambda said: said.type in ("error", "warning") and self.problems.append(f"{where}: {said.text}"),
            )
            answer = page.goto(self.place + path, wait_until="load")
            if answer.status >= 400:
                self.problems.append(f"{where}: status {answer.status}")
            yield page
            if script:
                self.problems += [f"{where}: policy: {text}" for text in page.evaluate("window.violations")]
        finally:
            context.close()

    def look(self, path: str, size: tuple[int, int], scheme: str, picture: Path | None = None) -> float:
        """Look at a page; return the milliseconds to its first paint."""
        with self.page(path, size, scheme) as page:
            page.wait_for_selector("main h1, main canvas, main .wall")
            # a paint is told of a moment after it
            page.wait_for_function(f"({_PAINT})() >= 0", timeout=5000)
            paint = float(page.evaluate(_PAINT))
            if wide := page.evaluate(_OVERFLOW):
                self.problems.append(f"{path} {size[0]} {scheme}: {wide}")
            if picture is not None:
                page.wait_for_timeout(700)
                page.screenshot(path=str(picture), full_page=False)
            return paint

    def walk(self, path: str) -> list[str]:
        """Go through a page by Tab; return the names of the stops. A focus that cannot be seen is a problem."""
        stops: list[str] = []
        seen: set[str] = set()
        with self.page(path) as page:
            page.wait_for_selector("main h1, main .wall")
            for _ in range(_MOST_STOPS):
                page.keyboard.press("Tab")
                stop = page.evaluate(_FOCUS)
                if stop is None or stop["key"] in seen:
                    break
                seen.add(stop["key"])
                stops.append(stop["name"])
                if not stop["seen"]:
                    self.problems.append(f"{path}: the focus on {stop['name']!r} cannot be seen")
        return stops

    def follow(self, path: str, name: str, target: str) -> None:
        """Reach a link by Tab and open it by Enter."""
        with self.page(path) as page:
            for _ in range(_MOST_STOPS):
                page.keyboard.press("Tab")
                stop = page.evaluate(_FOCUS)
                if stop is not None and stop["name"].endswith(name):
                    page.keyboard.press("Enter")
                    page.wait_for_url(f"**{target}")
                    return
            self.problems.append(f"{path}: Tab does not reach {name}")
