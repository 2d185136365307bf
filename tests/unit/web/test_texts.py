"""Amounts, times and elements of pictures, as the pages write them."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import pytest

from condor_py.cli.web import svg, texts

THIN = "\u202f"


@pytest.mark.parametrize(
    ("form", "value", "text"),
    [
        (texts.amount, None, "–"),
        (texts.amount, 0, "0"),
        (texts.amount, 2.0, "2"),
        (texts.amount, 2.25, "2.2"),
        (texts.amount, -3.5, "-3.5"),
        (texts.amount, 999.9, "999.9"),
        (texts.amount, 1000.4, f"1{THIN}000"),
        (texts.amount, -1234567.8, f"-1{THIN}234{THIN}568"),
        (texts.memory, None, "–"),
        (texts.memory, 0, "0 MB"),
        (texts.memory, 999, "999 MB"),
        (texts.memory, 1000, "1 GB"),
        (texts.memory, 1536, "1.5 GB"),
        (texts.memory, -1536, "-1.5 GB"),
        (texts.memory, 1024.0 * 1024 * 2, "2 TB"),
        (texts.memory, 1024.0**3 * 5, "5 PB"),
        (texts.memory, 1024.0**3 * 5000, f"5{THIN}000 PB"),
        (texts.disk, None, "–"),
        (texts.disk, 999, "999 KB"),
        (texts.disk, 1536, "1.5 MB"),
        (texts.disk, 1024.0**4 * 3, "3 PB"),
        (texts.span, None, "–"),
        (texts.span, -5, "0 s"),
        (texts.span, 59.9, "59 s"),
        (texts.span, 60, "1 min 00 s"),
        (texts.span, 3599, "59 min 59 s"),
        (texts.span, 3600, "1 h 00 min"),
        (texts.span, 86399, "23 h 59 min"),
        (texts.span, 86400, "1 d 0 h"),
        (texts.span, 90061 + 86400, "2 d 1 h"),
        (texts.percent, None, "–"),
        (texts.percent, 0.126, f"13{THIN}%"),
        (texts.percent, 1, f"100{THIN}%"),
        (texts.moment, None, "–"),
        (texts.moment, 0, "–"),
        (texts.moment, 1795888800, "2026-11-28 18:00:00"),
        (texts.moment, 1e300, "–"),
        (texts.iso, None, ""),
        (texts.iso, 1795888800, "2026-11-28T18:00:00+0000"),
        (texts.account, "physics.ann@example.net", "physics.ann"),
        (texts.account, "ann", "ann"),
    ],
)
def test_what_people_read(monkeypatch: pytest.MonkeyPatch, form: Callable[[Any], str], value: Any, text: str) -> None:
    monkeypatch.setenv("TZ", "UTC")
    time.tzset()
    assert form(value) == text
    monkeypatch.undo()
    time.tzset()


@pytest.mark.parametrize(
    ("output", "text"),
    [
        ("a\nb\n", "a\nb\n"),
        ("a\r\nb", "a\nb"),
        ("10%\r20%\r100%\r\nend", "100%\nend"),
        ("10%\r", "10%"),
        ("\x1b[31mred\x1b[0m \x1b]0;title\x07x\x1b]2;t\x1b\\y\x1b(Bz\x1b=", "red xyz"),
        ("a\x1bQb", "a\x1bQb"),
    ],
)
def test_output_as_a_terminal_leaves_it(output: str, text: str) -> None:
    assert texts.terminal(output) == text


def test_long_texts_of_a_page() -> None:
    bounded = texts.Bounded()
    long = "x" * 600_000
    found = bounded.of({"a": "y" * 2000, "b": [long, (long, 3)], "c": [1, 2], "d": None})
    assert (found["a"], found["b"][0], found["c"], found["d"]) == ("y" * 2000, long, [1, 2], None)
    assert found["b"][1] == ["x" * 2000 + "... (598000 more characters)", 3]
    assert texts.Bounded().of("z" * 2001) == "z" * 2001


def test_elements() -> None:
    made = svg.element("g", "a<b", svg.element("c"), x=1.5, y=2.0, z=None, text_anchor="m", class_='"q"', w=0.126)
    assert made == '<g x="1.5" y="2" text-anchor="m" class="&#34;q&#34;" w="0.13">a&lt;b<c></c></g>'
    assert svg.element("t", "a\x00b") == "<t>a?b</t>"


HEAD = 'xmlns="http://www.w3.org/2000/svg"'


@pytest.mark.parametrize(
    ("made", "text"),
    [
        (lambda: svg.picture(10, 2.5, "t", class_="c"),
         f'<svg {HEAD} viewBox="0 0 10 2.5" role="img" class="picture c"><title>t</title></svg>'),
        (lambda: svg.picture(10, 2.5, "t", sized=True, id="i"),
         f'<svg {HEAD} viewBox="0 0 10 2.5" role="img" class="picture" width="10" height="2.5" id="i"><title>t</title>'
         "</svg>"),
        (lambda: svg.strip(7, "t"),
         f'<svg {HEAD} width="100%" height="7" role="img" class="strip"><title>t</title></svg>'),
        (lambda: svg.box(1, 2, -3, 4), '<rect x="1" y="2" width="0" height="4" rx="2"></rect>'),
        (lambda: svg.box(1, 2, 3, -4, class_="c", rx=0),
         '<rect x="1" y="2" width="3" height="0" rx="0" class="c"></rect>'),
        (lambda: svg.words(1, 2, "w"), '<text x="1" y="2">w</text>'),
        (lambda: svg.words(1, 2, "w", "c", "end"), '<text x="1" y="2" class="c" text-anchor="end">w</text>'),
        (lambda: svg.line([(0, 1), (2.5, 3.333)], "l"), '<polyline points="0,1 2.5,3.33" class="l"></polyline>'),
        (lambda: svg.link("/queue/a b", "x"), '<a href="/queue/a%20b">x</a>'),
        (lambda: svg.plot('<svg a="1"><svg b="2">'), f'<svg {HEAD} a="1"><svg b="2">'),
        (lambda: svg.document("<svg/>"),
         '<?xml version="1.0" encoding="UTF-8"?>\n<?xml-stylesheet href="/static/pictures.css" type="text/css"?>\n'
         '<?xml-stylesheet href="/static/plots.css" type="text/css"?>\n<svg/>\n'),
    ],
)  # fmt: skip
def test_parts_of_pictures(made: Callable[[], str], text: str) -> None:
    assert made() == text


def test_how_far_a_batch_is() -> None:
    bar = svg.progress(1, 2, 0, 1, 8)
    assert "<title>1 of 8 done, 2 running, 0 waiting, 1 on hold</title>" in bar
    assert bar.endswith(
        '<rect x="0.000%" y="0" width="12.500%" height="100%" class="done"></rect>'
        '<rect x="12.500%" y="0" width="25.000%" height="100%" class="run"></rect>'
        '<rect x="37.500%" y="0" width="12.500%" height="100%" class="held"></rect></svg>'
    )
    assert 'width="50.000%" height="100%" class="idle"' in svg.progress(1, 0, 1, 0, 0)
    assert "<rect" not in svg.progress(0, 0, 0, 0, 0)


def test_colours_of_users() -> None:
    assert svg.colour("") == "user-none"
    assert {svg.colour(f"user{number}") for number in range(200)} == {f"user-{number}" for number in range(10)}
    assert svg.colour("ann") == svg.colour("ann")
    assert svg.colour("a\udcff").startswith("user-")
