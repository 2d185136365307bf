"""Pictures as SVG. All texts and values are escaped; how things look is in static/pictures.css, by class."""

from __future__ import annotations

import zlib
from urllib.parse import quote

from markupsafe import Markup, escape

from condor_py.model.texts import printable_lines

#: Number of colours that static/pictures.css has for users, as the classes user-0 and so on.
COLOURS = 10


def element(name: str, *children: str, **attributes: object) -> Markup:
    """Return an element. Children are texts, or elements as Markup. Underscores in names of attributes become hyphens,
    except at their ends (``class_``); attributes that are None are left out."""
    shown = Markup("").join(
        Markup(' {}="{}"').format(Markup(key.rstrip("_").replace("_", "-")), _text(str(_number(value))))
        for key, value in attributes.items()
        if value is not None
    )
    return Markup("<{0}{1}>{2}</{0}>").format(Markup(name), shown, Markup("").join(_text(child) for child in children))


def _text(child: str) -> Markup:
    """Return a child as it is printed; no control characters are in a text, which XML does not take."""
    return child if isinstance(child, Markup) else escape(printable_lines(child))


def _number(value: object) -> object:
    """Numbers without needless digits."""
    return f"{value:.2f}".rstrip("0").rstrip(".") if isinstance(value, float) else value


def picture(
    width: float, height: float, title: str, *children: str, class_: str = "", sized: bool = False, **attributes: object
) -> Markup:
    """Return a picture of this size in its own units, which grows with the page unless it is ``sized``; ``title`` is
    read aloud."""
    size = {"width": width, "height": height} if sized else {}
    return element(
        "svg",
        element("title", title),
        *children,
        xmlns="http://www.w3.org/2000/svg",
        viewBox=f"0 0 {_number(width)} {_number(height)}",
        role="img",
        class_=f"picture {class_}".strip(),
        **size,
        **attributes,
    )


def strip(height: float, title: str, *children: str, class_: str = "") -> Markup:
    """Return a picture as wide as the page and ``height`` pixels high: places in it are pixels, or percents as text."""
    return element(
        "svg",
        element("title", title),
        *children,
        xmlns="http://www.w3.org/2000/svg",
        width="100%",
        height=_number(float(height)),
        role="img",
        class_=f"strip {class_}".strip(),
    )


def progress(done: int, running: int, idle: int, held: int, total: int) -> Markup:
    """Return how far a batch has come, as a bar with a part for each state."""
    whole = max(1, total, done + running + idle + held)
    title = f"{done} of {total} done, {running} running, {idle} waiting, {held} on hold"
    parts, at = [], 0.0
    for count, name in ((done, "done"), (running, "run"), (held, "held"), (idle, "idle")):
        if count > 0:
            width = 100 * count / whole
            parts.append(element("rect", x=f"{at:.3f}%", y=0, width=f"{width:.3f}%", height="100%", class_=name))
            at += width
    return element(
        "svg", element("title", title), *parts, class_="progress", role="img", width="100%", height="12",
        xmlns="http://www.w3.org/2000/svg",
    )  # fmt: skip


def plot(drawn: str) -> Markup:
    """Return a chart of plots/svg.py as a picture, which can be a file of its own."""
    return Markup(drawn.replace("<svg ", '<svg xmlns="http://www.w3.org/2000/svg" ', 1))


def document(drawn: str) -> str:
    """Return the text of a file of its own with a picture."""
    styles = [f'<?xml-stylesheet href="/static/{name}.css" type="text/css"?>\n' for name in ("pictures", "plots")]
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{"".join(styles)}{drawn}\n'


def box(x: float, y: float, width: float, height: float, *children: str, class_: str = "", rx: float = 2) -> Markup:
    """Return a rectangle; a child ``element("title", ...)`` is its tooltip."""
    return element(
        "rect", *children, x=float(x), y=float(y), width=float(max(0.0, width)), height=float(max(0.0, height)),
        rx=float(rx), class_=class_ or None,
    )  # fmt: skip


def words(x: float, y: float, text: str, class_: str = "", anchor: str | None = None) -> Markup:
    """Return a line of text that begins (``anchor`` "middle", "end") at a place."""
    return element("text", text, x=float(x), y=float(y), class_=class_ or None, text_anchor=anchor)


def line(points: list[tuple[float, float]], class_: str) -> Markup:
    """Return a line through points."""
    return element("polyline", points=" ".join(f"{_number(float(x))},{_number(float(y))}" for x, y in points),
                   class_=class_)  # fmt: skip


def link(address: str, *children: str) -> Markup:
    """Return a link to a path of the site around elements of a picture."""
    return element("a", *children, href=quote(address, errors="replace"))


def colour(user: str) -> str:
    """Return the class with the colour of a user: always the same for the same name."""
    return f"user-{zlib.crc32(user.encode('utf-8', 'surrogateescape')) % COLOURS}" if user else "user-none"
