"""Random texts of ads in each format that HTCondor reads, good ones and broken ones."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

NAMES = ["a", "B", "Cc", "x1", "_u", "Request_Memory", "a"]
EXPRESSIONS = [
    "1", "-7", "2.5", "-1e3", "true", "FALSE", "undefined", "error", '"s"', '"q\\"x"', '"b\\\\c"', "a + 1",
    "x1 > 2 && B", "{1,2}", "{}", "[n = 1; m = {a}]", 'strcat(a, "z")', "(1)", "!a", "-a", 'relTime("1:00")', "a ?: 3",
    "a ? 1 : 2", "9223372036854775807", "9223372036854775808", "x.y", "'odd name' + 1", '"tab\\tend"', "1 ==", "(",
    "a b", "",
]  # fmt: skip
SPACES = ["", "", "", " ", "\n", "\t", "\r\n", "  \n", "/* c */", "// c\n", "\v"]
JSON_WORDS = ["true", "false", "null", "TRUE", "Null", "undefined", "error", "foo", "nan"]
JSON_NUMBERS = [
    "0", "1", "-1", "12", "-0", "007", "-07", "0.5", "00.5", ".5", "-.5", "5.", "1e3", "1E+2", "1e", "-1.5e-3", "0x1F",
    "-0x1F", "9223372036854775807", "9223372036854775808", "-9223372036854775808", "- 1", "+1", "1.5.2", "08", "--1",
]  # fmt: skip
JSON_STRINGS = [
    "", "s", "a b", "\\n\\t", '\\"', "\\\\", "\\/", "\\u0041", "\\u0000", "\\u00", "\\q", "\u00e9", "\\/Expr(1 + a)\\/",
    "\\/expr(a > 2)\\/", "\\/Expr()\\/", "\\/Expr(1 2)\\/", "/Expr(1)/", '\\/Expr({1,\\"x\\"})\\/', "\\/Expr(1", "'",
    "//", "\\/\\/", "\\/Expr(error)\\/", "\\b\\f\\r",
]  # fmt: skip
XML_TEXTS = [
    "1", " 5", "5 ", "+5", "-3", "abc", "1.5", "1e3", "NaN", "INF", "", " ", "a &amp; b", "&lt;x&gt;", "&quot;q&quot;",
    "&apos;", "&amp", "&amp;lt;", "&#65;", "x & y", "\\n", '\\"', "\\000", "\\101", "a + 1", "B &gt; 2", "(", "\u00e9",
    "9223372036854775808", "2.5 3", "0x10", "true", " lead", "12:00", "01:02:03", "1+02:03:04", "2:3", "-5", "junk",
    "00:00:07.5", "2024-01-02T03:04:05+01:00", "2024-01-02T03:04:05Z", "2024-01-02",
]  # fmt: skip
XML_KINDS = ["i", "r", "s", "e", "at", "rt", "i", "s", "e", "rt"]


def old(random: Random) -> str:
    lines = []
    for _ in range(random.randint(0, 8)):
        pick = random.random()
        name, value = random.choice(NAMES), random.choice(EXPRESSIONS)
        if pick < 0.7:
            equals = random.choice([" = ", "=", "  = ", " =\t"])
            lines.append(f"{random.choice(['', '', ' '])}{name}{equals}{value}")
        else:
            lines.append(random.choice(["", " ", "# note", " # note", "junk", "= 1", "a == 1", "***", "'q' = 1", "\t"]))
    return random.choice(["\n", "\n", "\r\n"]).join(lines) + random.choice(["", "\n", "\n\n"])


def _space(random: Random) -> str:
    return random.choice(SPACES)


def new(random: Random) -> str:
    ads = [_new_ad(random, 2) for _ in range(random.randint(0, 4))]
    form = random.random()
    if form < 0.5:
        return _space(random).join(ads) + _space(random)
    between = random.choice([",", "\n,\n", ", ", ",,", "\n"])
    return random.choice(["{", "{\n", " { "]) + between.join(ads) + random.choice(["}", "\n}\n", "", "} x"])


def _new_ad(random: Random, depth: int) -> str:
    parts = ["["]
    for _ in range(random.randint(0, 3)):
        value = _new_ad(random, depth - 1) if depth and random.random() < 0.2 else random.choice(EXPRESSIONS)
        parts.append(f"{_space(random)}{random.choice(NAMES)}{_space(random)}={_space(random)}{value}{_space(random)}")
        parts.append(random.choice([";", ";", ";", ";;", "", ","]))
    return "".join(parts) + "]"


def json(random: Random) -> str:
    ads = [_json_ad(random, 2) for _ in range(random.randint(0, 4))]
    form = random.random()
    if form < 0.5:
        return random.choice(["", "\n", " ", "\n\n"]).join(ads) + _space(random)
    between = random.choice([",", "\n,\n", ", ", ",,", "\n"])
    return random.choice(["[", "[\n", " [ "]) + between.join(ads) + random.choice(["]", "\n]\n", "", "] x"])


def _json_ad(random: Random, depth: int) -> str:
    items = []
    for _ in range(random.randint(0, 3)):
        name = random.choice(NAMES) if random.random() < 0.9 else random.choice(JSON_STRINGS)
        items.append(
            f'{_space(random)}"{name}"{_space(random)}:{_space(random)}{_json_value(random, depth)}{_space(random)}'
        )
    return "{" + random.choice([",", ",", ",", ",,", ";"]).join(items) + random.choice(["", "", "", ","]) + "}"


def _json_value(random: Random, depth: int) -> str:
    pick = random.random()
    if pick < 0.1 and depth:
        return _json_ad(random, depth - 1)
    if pick < 0.2 and depth:
        return (
            "["
            + ",".join(_json_value(random, depth - 1) for _ in range(random.randint(0, 3)))
            + random.choice(["]", "]", ",]"])
        )
    if pick < 0.5:
        return f'"{random.choice(JSON_STRINGS)}"'
    return random.choice(JSON_WORDS if pick < 0.7 else JSON_NUMBERS)


def json_lines(random: Random) -> str:
    lines = [_json_ad(random, 1).replace("\n", " ") for _ in range(random.randint(0, 4))]
    return random.choice(["\n", "\n", "\n\n", " ", "\r\n"]).join(lines) + random.choice(["", "\n", " x\n"])


def xml(random: Random) -> str:
    ads = random.choice(["", "\n"]).join(_xml_ad(random, 2) for _ in range(random.randint(0, 3)))
    if random.random() < 0.6:
        return ads
    head = '<?xml version="1.0"?>\n<!DOCTYPE classads SYSTEM "classads.dtd">\n<classads>\n'
    return head + ads + random.choice(["\n</classads>\n", "", "</classads>"])


def _xml_ad(random: Random, depth: int) -> str:
    parts = [random.choice(["<c>", "<c>", "<c>\n", "<c >", "< c>", '<c x="1">', "<c/>"])]
    for _ in range(random.randint(0, 3)):
        name = (
            random.choice(NAMES)
            if random.random() < 0.85
            else random.choice(["", "a b", "a&amp;b", "x\\n", 'q\\"r', "\u00e9"])
        )
        begin = random.choice(
            [f'<a n="{name}">'] * 8 + [f"<a n='{name}'>", f'<a  n = "{name}" >', f'<a m="1" n="{name}">', "<a>", "<a/>"]
        )
        parts.append(
            f"{begin}{_xml_value(random, depth)}{random.choice(['</a>'] * 9 + ['', '</ a>', '<foo>', 'text</a>'])}\n"
        )
    return "".join(parts) + random.choice(["</c>"] * 8 + ["", "</c >", "</d>"])


def _xml_value(random: Random, depth: int) -> str:
    pick = random.random()
    if pick < 0.1 and depth:
        return _xml_ad(random, depth - 1).strip()
    if pick < 0.2 and depth:
        return "<l>" + "".join(_xml_value(random, 0) for _ in range(random.randint(0, 3))) + "</l>"
    if pick < 0.35:
        return random.choice(
            [
                '<b v="t"/>',
                '<b v="f"/>',
                '<b v="T"></b>',
                "<b/>",
                "<un/>",
                "<er/>",
                "<un></un>",
                "<i/>",
                "<s/>",
                "<b v='t'/>",
            ]
        )
    kind = random.choice(XML_KINDS)
    return f"<{kind}>{random.choice(XML_TEXTS)}{random.choice([f'</{kind}>'] * 12 + ['</x>', ''])}"


def broken(random: Random, text: str) -> str:
    """``text`` with a few characters taken, doubled, exchanged or cut off."""
    for _ in range(random.randint(1, 3)):
        at = random.randint(0, len(text))
        pick = random.randint(0, 3)
        if pick == 0:
            text = text[:at] + text[at + 1 :]
        elif pick == 1:
            text = text[:at] + random.choice('[]{}",:;=<>/\\\n a1&') + text[at:]
        elif pick == 2:
            text = text[:at]
        else:
            text = text[:at] + text[at : at + 4] + text[at:]
    return text


#: The parsers of classad2 by name, and what their texts look like.
MAKERS: dict[str, Callable[[Random], str]] = {"Old": old, "New": new, "JSON": json, "XML": xml, "FileAuto": json_lines}


def document(random: Random, form: str) -> str:
    """A text for the parser ``form``, now and then for another one."""
    maker = MAKERS[form] if form in MAKERS and random.random() < 0.9 else random.choice(list(MAKERS.values()))
    text = maker(random)
    return broken(random, text) if random.random() < 0.3 else text
